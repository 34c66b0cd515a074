package server_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/durationpb"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server"
)

func TestStopTellsWatchesAndWaitingCalls(t *testing.T) {
	t.Parallel()
	for name, web := range map[string]*http.Client{"HTTP/1.1": overHTTP1(t), "HTTP/2": overHTTP2(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := start(t, server.WithListener(server.Listener{}))
			client := dialpointv1connect.NewEndpointServiceClient(web, service.tcp)
			stream, err := client.WatchEndpoints(t.Context(), &dialpointv1.WatchEndpointsRequest{})
			must(t, err)
			defer func() { _ = stream.Close() }()
			if !stream.Receive() {
				t.Fatal(stream.Err())
			}
			held := make(chan error, 1)
			go func() {
				_, err := client.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Wait: durationpb.New(time.Minute)})
				held <- err
			}()
			service.AwaitWatches(t, 2)
			service.stop()
			if err := <-held; connect.CodeOf(err) != connect.CodeUnavailable {
				t.Errorf("held call ended with %v, want UNAVAILABLE", err)
			}
			if stream.Receive() || connect.CodeOf(stream.Err()) != connect.CodeUnavailable {
				t.Errorf("watch ended with %v, want UNAVAILABLE", stream.Err())
			}
			must(t, <-service.ended)
		})
	}
}

func TestStopDoesNotWaitForIdleConnections(t *testing.T) {
	t.Parallel()
	service := start(t, server.WithListener(wildcard()))
	for _, web := range []*http.Client{overHTTP1(t), overHTTP2(t)} {
		client := dialpointv1connect.NewEndpointServiceClient(web, service.tcp)
		_, err := client.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{})
		must(t, err)
	}
	begin := time.Now()
	service.stop()
	must(t, <-service.ended)
	if took := time.Since(begin); took >= server.StopTimeout {
		t.Errorf("the stop ran into its time-out: %v", took)
	}
}

func TestServeFailsWithItsSocket(t *testing.T) {
	t.Parallel()
	service, err := server.New()
	must(t, err)
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, socket.Close())
	if err := service.Serve(t.Context(), socket); !errors.Is(err, net.ErrClosed) {
		t.Errorf("error = %v, want that of the socket", err)
	}
}

func TestListenAndServe(t *testing.T) {
	t.Parallel()
	service, file := fromConfig(t, "serve: {tcp: none}\n")
	socket := filepath.Join(filepath.Dir(file), "s")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- service.ListenAndServe(ctx) }()
	awaitSocket(t, socket)
	stop()
	must(t, <-ended)
	if _, err := os.Lstat(socket); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}

// awaitSocket returns once someone listens on a unix socket.
func awaitSocket(t *testing.T, path string) {
	t.Helper()
	for t.Context().Err() == nil {
		if conn, err := net.Dial("unix", path); err == nil {
			must(t, conn.Close())
			return
		}
	}
}
