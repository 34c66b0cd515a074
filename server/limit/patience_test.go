package limit_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"dialpoint/server/limit"
)

// short is a time that real sockets are waited for, far more than a machine that has much to do needs for a call, and long
// what is clearly beyond it.
const (
	short = time.Second
	long  = short + short/4
)

var hasty = limit.Patience{Body: short, Write: short}

// timed tells how long a handler took, from before anything waits in it.
func timed(took chan<- time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		next.ServeHTTP(w, r)
		took <- time.Since(begin)
	})
}

// overSockets runs a test for each transport. The other tests of time run without sockets, and without TLS.
func overSockets(t *testing.T, run func(*testing.T, transport)) {
	t.Helper()
	for _, tr := range transports {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			run(t, tr)
		})
	}
}

func TestBodyMustArriveOverSockets(t *testing.T) {
	t.Parallel()
	overSockets(t, func(t *testing.T, tr transport) {
		t.Helper()
		ended, took := make(chan reading, 1), make(chan time.Duration, 1)
		client, url := tr.networked(t, timed(took, hasty.Middleware(readAll(ended))))
		body := post(t, client, url)
		if got, took := <-ended, <-took; !errors.Is(got.err, os.ErrDeadlineExceeded) || took < short {
			t.Errorf("the body ended with %v after %v", got.err, took)
		}
		_ = body.CloseWithError(io.ErrClosedPipe)
	})
}

func TestIdleStreamIsLeftAloneOverSockets(t *testing.T) {
	t.Parallel()
	overSockets(t, func(t *testing.T, tr transport) {
		t.Helper()
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				t.Error(err)
			}
			for range 2 {
				_, _ = io.WriteString(w, "line\n")
				_ = http.NewResponseController(w).Flush()
				select {
				case <-r.Context().Done():
					t.Error("the stream was cut")
				case <-time.After(long):
				}
			}
		})
		client, url := tr.networked(t, hasty.Middleware(handler))
		response, err := client.Post(url, "text/plain", strings.NewReader("request"))
		must(t, err)
		defer func() { _ = response.Body.Close() }()
		if answer, err := io.ReadAll(response.Body); err != nil || string(answer) != "line\nline\n" {
			t.Errorf("got %q, %v", answer, err)
		}
	})
}

func TestConnectionIsUsedAgain(t *testing.T) {
	t.Parallel()
	overSockets(t, func(t *testing.T, tr transport) {
		t.Helper()
		client, url := tr.networked(t, hasty.Middleware(answering()))
		for count := range 3 {
			if count > 0 {
				<-time.After(long)
			}
			var reused bool
			trace := &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) { reused = got.Reused }}
			request, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodPost, url, strings.NewReader("request"))
			must(t, err)
			response, err := client.Do(request)
			must(t, err)
			answer, err := io.ReadAll(response.Body)
			must(t, err)
			must(t, response.Body.Close())
			if len(answer) != 300 || reused != (count > 0) {
				t.Errorf("call %d: %d bytes, on a connection used before: %t", count, len(answer), reused)
			}
		}
	})
}

// A watcher that never reads is let go when the buffers between are full.
func TestAnswerMustBeTakenOverSockets(t *testing.T) {
	t.Parallel()
	overSockets(t, func(t *testing.T, tr transport) {
		t.Helper()
		ended := make(chan reading, 1)
		client, url := tr.networked(t, hasty.Middleware(writeUntilRefused(ended)))
		response, err := client.Get(url)
		must(t, err)
		if got := <-ended; got.took < short {
			t.Errorf("the write ended with %v after %v", got.err, got.took)
		}
		must(t, response.Body.Close())
	})
}

// Half a request on a raw connection: what HTTP/1.1 sends over a real socket when the time is over.
func TestSlowCallerIsAnswered(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]string{
		"length": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf",
		"chunks": "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, serve(t, hasty.Middleware(answering())))
			_, err := io.WriteString(conn, request)
			must(t, err)
			reader := bufio.NewReader(conn)
			response, err := http.ReadResponse(reader, nil)
			must(t, err)
			_, err = io.Copy(io.Discard, response.Body)
			must(t, err)
			if !response.Close {
				t.Error("the connection is to be used again, half a request in it")
			}
			if _, err := reader.ReadByte(); err == nil {
				t.Error("the connection is still open")
			}
		})
	}
}

// Streams that are reset as soon as they are opened must leave nothing behind: no deadline that nobody ends.
func TestResetFlood(t *testing.T) { //nolint:paralleltest // it measures memory
	const floods = 5_000
	for name, whole := range map[string]bool{"whole requests": true, "half requests": false} { //nolint:paralleltest // as above
		t.Run(name, func(t *testing.T) {
			var begun, ended atomic.Int64
			answer := answering()
			handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				begun.Add(1)
				defer ended.Add(1)
				answer.ServeHTTP(w, r)
			})
			endless := limit.Patience{Body: time.Hour, Write: time.Hour}
			// Floods that the server has not read to their end are no reason to refuse the next.
			conns := limit.NewConns(1000)
			address := serve(t, endless.Middleware(handler), bounded, watched(conns))
			before := liveObjects()
			for begun.Load() < floods {
				flood(t, address, whole)
			}
			awaitf(t, func() bool { return ended.Load() == begun.Load() && conns.Len() == 0 }, "all calls ended")
			// A deadline for each would be eight objects a call.
			handled := begun.Load()
			awaitf(t, func() bool { return liveObjects()-before < handled }, "what %d calls left behind is gone", handled)
		})
	}
}

func liveObjects() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapObjects)
}

// flood opens and resets streams until the server hangs up, or a thousand times.
func flood(t *testing.T, address string, whole bool) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	must(t, err)
	defer func() { _ = conn.Close() }()
	client := newHTTP2Conn(t, conn)
	go client.drain()
	for range 1000 {
		if err := client.open(http.MethodPost, "/", false); err != nil {
			return
		}
		if whole {
			_ = client.WriteData(client.last, true, []byte("request"))
		}
		_ = client.WriteRSTStream(client.last, http2.ErrCodeCancel)
	}
}
