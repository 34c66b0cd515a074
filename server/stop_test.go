package server_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
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

// unfinished is a call that the server waits for, over a unix socket.
type unfinished struct {
	net.Conn

	answers *bufio.Reader
}

// beginCall sends a call without its body. That the server asks for the body shows that the call is under way.
func beginCall(t *testing.T, path string) unfinished {
	t.Helper()
	conn, err := net.Dial("unix", path)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, "POST "+resolvePath+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
		"Content-Length: 2\r\nExpect: 100-continue\r\n\r\n")
	must(t, err)
	call := unfinished{conn, bufio.NewReader(conn)}
	call.wantStatus(t, http.StatusContinue)
	return call
}

func (u unfinished) wantStatus(t *testing.T, want int) {
	t.Helper()
	response, err := http.ReadResponse(u.answers, nil)
	must(t, err)
	must(t, response.Body.Close())
	if response.StatusCode != want {
		t.Fatalf("the server answered %s, want %d", response.Status, want)
	}
}

func (u unfinished) finish(t *testing.T) {
	t.Helper()
	_, err := io.WriteString(u, "{}")
	must(t, err)
	u.wantStatus(t, http.StatusOK)
}

// The contract's order: nobody new gets in, the call finishes, and only then is the socket removed.
func TestUnixSocketIsRemovedAfterTheCalls(t *testing.T) {
	t.Parallel()
	path := filepath.Join(ownDirectory(t), "s")
	service := runOn(t, path)
	call := beginCall(t, path)
	service.stop()
	awaitRefusal(t, path)
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the socket is gone before the call has finished: %v", err)
	}
	call.finish(t)
	must(t, <-service.ended)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}

// A service that starts while another stops takes its place, and keeps it.
func TestStopLeavesTheSocketOfTheNextService(t *testing.T) {
	t.Parallel()
	path := filepath.Join(ownDirectory(t), "s")
	service := runOn(t, path)
	call := beginCall(t, path)
	service.stop()
	awaitRefusal(t, path)
	next := opened(t, path)
	t.Cleanup(func() { _ = next.Close() })
	call.finish(t)
	must(t, <-service.ended)
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the next service lost its socket: %v", err)
	}
}

// runOn serves on a unix socket of the server's own kind.
func runOn(t *testing.T, path string) *running {
	t.Helper()
	service, err := server.New(server.WithListener(wildcard()), withTokens)
	must(t, err)
	return run(t, service, opened(t, path))
}

// awaitRefusal returns once nobody listens any more on a unix socket, gone or not.
func awaitRefusal(t *testing.T, path string) {
	t.Helper()
	for t.Context().Err() == nil {
		conn, err := net.Dial("unix", path)
		switch {
		case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist):
			return
		case errors.Is(err, syscall.EAGAIN): // The queue of one who still listens is full.
			continue
		}
		must(t, err)
		must(t, conn.Close())
	}
}

func TestStopLeavesTimeBeforeAContainerIsKilled(t *testing.T) {
	t.Parallel()
	if server.StopTimeout > 5*time.Second {
		t.Errorf("a stop may take %v, and Docker kills after 10s", server.StopTimeout)
	}
}

// The last change of a service that stops may be that a dashboard is gone, which a watch must hear.
func TestStopTellsTheLastChange(t *testing.T) {
	t.Parallel()
	for range 20 {
		service := start(t, server.WithListener(wildcard()))
		stream := watching(t, service.endpoints(t))
		must(t, service.SetBind("", server.Bind{Host: "10.0.0.7", Port: 9119}))
		service.Close()
		if !stream.Receive() || stream.Msg().GetEndpoints().GetExplanation().GetDialHost() != "10.0.0.7" {
			t.Fatalf("the last change was not told: %v, %v", stream.Msg(), stream.Err())
		}
		if stream.Receive() || connect.CodeOf(stream.Err()) != connect.CodeUnavailable {
			t.Errorf("the watch ended with %v, want UNAVAILABLE", stream.Err())
		}
	}
}
