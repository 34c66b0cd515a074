package patient

import (
	"context"
	"io"
	"net"
	"time"
)

// roomForRequest is the size in bytes of what is read at once. A handshake fits into it.
const roomForRequest = 4 << 10

// rawKinds are those that are no HTTP servers: what they do with a connection and what they read from it first.
var rawKinds = map[string]func(conn net.Conn, read []byte){
	"garbage": func(conn net.Conn, _ []byte) { _, _ = io.WriteString(conn, "220 mail.example ESMTP\r\n") },
	"echo":    func(conn net.Conn, read []byte) { _, _ = conn.Write(read) },
	"hangup":  func(net.Conn, []byte) {},
	"silent":  func(conn net.Conn, _ []byte) { _, _ = io.Copy(io.Discard, conn) },
	"forged": func(conn net.Conn, _ []byte) {
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	},
}

// serveRaw answers one connection after the other, until the socket is closed. The end of the context ends the one at
// hand.
func serveRaw(ctx context.Context, socket net.Listener, answer func(net.Conn, []byte)) {
	for {
		conn, err := socket.Accept()
		if err != nil {
			return
		}
		end := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
		read := make([]byte, roomForRequest)
		if n, err := conn.Read(read); err == nil {
			answer(conn, read[:n])
		}
		end()
		_ = conn.Close()
	}
}
