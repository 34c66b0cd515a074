package server_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"dialpoint/server"
)

// openWatch opens a watch by gRPC on a connection, as a peer that can then do what no client does.
func openWatch(t *testing.T, conn net.Conn) *http2.Framer {
	t.Helper()
	_, err := io.WriteString(conn, http2.ClientPreface)
	must(t, err)
	framer := http2.NewFramer(conn, conn)
	must(t, framer.WriteSettings())
	var header bytes.Buffer
	encoder := hpack.NewEncoder(&header)
	for _, field := range [][2]string{
		{":method", "POST"},
		{":scheme", "http"},
		{":authority", "localhost"},
		{":path", "/dialpoint.v1.EndpointService/WatchEndpoints"},
		{"content-type", "application/grpc"},
		{"te", "trailers"},
		{"authorization", "Bearer " + childToken},
	} {
		must(t, encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}))
	}
	must(t, framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: header.Bytes(), EndHeaders: true}))
	// The empty message, uncompressed.
	must(t, framer.WriteData(1, true, binary.BigEndian.AppendUint32([]byte{0}, 0)))
	return framer
}

// readPing reads on to the next ping of the server.
func readPing(framer *http2.Framer) (*http2.PingFrame, error) {
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return nil, err
		}
		if ping, ok := frame.(*http2.PingFrame); ok {
			return ping, nil
		}
	}
}

func attentive(t *testing.T, pingAfter, pingTimeout time.Duration) (service *server.Server, conn net.Conn) {
	t.Helper()
	service, err := server.New(server.WithListener(wildcard()), withTokens)
	must(t, err)
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	web := service.ServeAttentively(socket, pingAfter, pingTimeout)
	t.Cleanup(func() { _ = web.Close() })
	conn, err = net.Dial("tcp", socket.Addr().String())
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return service, conn
}

// readState reads on to the first message of the watch, and lives until then.
func readState(t *testing.T, framer *http2.Framer) {
	t.Helper()
	for {
		frame, err := framer.ReadFrame()
		must(t, err)
		switch frame := frame.(type) {
		case *http2.PingFrame:
			must(t, framer.WritePing(true, frame.Data))
		case *http2.HeadersFrame:
			if frame.StreamEnded() {
				t.Fatal("the watch was refused")
			}
		case *http2.DataFrame:
			return
		}
	}
}

func TestStreamOfAPeerThatIsGoneEnds(t *testing.T) {
	t.Parallel()
	service, conn := attentive(t, 20*time.Millisecond, 2*time.Second)
	framer := openWatch(t, conn)
	readState(t, framer)
	if _, err := readPing(framer); err != nil {
		t.Fatalf("no ping came: %v", err)
	}
	if ping, err := readPing(framer); err == nil {
		t.Errorf("after a ping that nobody answered came %v, want the end", ping)
	}
	service.AwaitNoWatches(t)
}

// Each ping that is answered shows that the connection has lived through the one before.
func TestStreamOfASilentPeerThatLivesGoesOn(t *testing.T) {
	t.Parallel()
	service, conn := attentive(t, 20*time.Millisecond, time.Minute)
	framer := openWatch(t, conn)
	for range 5 {
		ping, err := readPing(framer)
		must(t, err)
		must(t, framer.WritePing(true, ping.Data))
	}
	service.AwaitWatches(t, 1)
}
