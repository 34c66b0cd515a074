package server_test

import (
	"io"
	"net"
	"testing"
	"time"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server"
)

// The server closes two connections that do nothing, one that never sent a header and one that sent half of it. By
// then the time-outs are over, and the streams must have outlived them.
func TestTimeoutsNeverCutAStream(t *testing.T) {
	t.Parallel()
	service, err := server.New(server.WithListener(wildcard()), withTokens)
	must(t, err)
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	// A caller may have to wait for a processor between its connection and its header.
	web := service.ServeHastily(socket, 2*time.Second)
	t.Cleanup(func() { _ = web.Close() })
	address := socket.Addr().String()

	type watch interface {
		Receive() bool
		Msg() *dialpointv1.WatchEndpointsResponse
	}
	var streams []watch
	for _, http2 := range []bool{false, true} {
		client := dialpointv1connect.NewEndpointServiceClient(webClient(t, http2, ""), "http://"+address)
		stream, err := client.WatchEndpoints(t.Context(), &dialpointv1.WatchEndpointsRequest{})
		must(t, err)
		t.Cleanup(func() { _ = stream.Close() })
		if !stream.Receive() {
			t.Fatal(stream.Err())
		}
		streams = append(streams, stream)
	}

	var idle []net.Conn
	for _, sent := range []string{"", "POST / HTTP/1.1\r\nHost:"} {
		conn, err := net.Dial("tcp", address)
		must(t, err)
		_, err = io.WriteString(conn, sent)
		must(t, err)
		idle = append(idle, conn)
	}
	for _, conn := range idle {
		_, _ = io.ReadAll(conn)
		must(t, conn.Close())
	}

	must(t, service.SetBind("", server.Bind{Host: "10.0.0.7", Port: 9119}))
	for _, stream := range streams {
		if !stream.Receive() || stream.Msg().GetEndpoints().GetExplanation().GetDialHost() != "10.0.0.7" {
			t.Errorf("the stream was cut: %v", stream)
		}
	}
}

// TestIdleConnectionsEnd: a service closes what its callers leave open. Package limit shows how.
func TestIdleConnectionsEnd(t *testing.T) {
	t.Parallel()
	service, err := server.New(server.WithListener(wildcard()))
	must(t, err)
	if got := service.IdleTimeout(); got != 2*time.Minute {
		t.Errorf("after %v, want 2m", got)
	}
}
