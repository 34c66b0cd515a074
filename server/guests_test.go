package server_test

import (
	"testing"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"

	"dialpoint/server/socket"
)

// Who needs no token has places of its own: when these are taken, those with a token still have theirs.
func TestGuestsTakeNoPlaceOfCallers(t *testing.T) {
	t.Parallel()
	built, _ := fromConfig(t, "serve: {tcp: \"127.0.0.1:0\", limits: {streams: 1}}\n"+first)
	sockets, err := built.Listen(t.Context(), socket.Sockets{})
	must(t, err)
	service := run(t, built, sockets...)
	// One client has few streams on each connection, and as many connections as it needs.
	client := grpchealth.NewClient(overHTTP2(t), service.tcp, connect.WithGRPC())
	for {
		event, open := <-client.Watch(t.Context(), new(grpchealth.CheckRequest))
		if open && event.Err == nil {
			continue
		}
		if connect.CodeOf(event.Err) != connect.CodeResourceExhausted {
			t.Fatal(event.Err)
		}
		break
	}
	must(t, service.resolveWith(t, operatorToken))
	watching(t, service.as(t, childToken, true))
}
