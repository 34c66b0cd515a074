package limit_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dialpoint/server/limit"
)

// overPipes runs a test for each version of HTTP, each with a clock of its own.
func overPipes(t *testing.T, run func(*testing.T, transport)) {
	t.Helper()
	for _, tr := range transports {
		if tr.tls {
			continue
		}
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { run(t, tr) })
		})
	}
}

// reading tells how reading a request's body ended, and after what time.
type reading struct {
	err  error
	took time.Duration
}

func readAll(ended chan<- reading) http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		_, err := io.Copy(io.Discard, r.Body)
		ended <- reading{err, time.Since(begin)}
	})
}

// post sends a body that the test writes, and does not care for the answer.
func post(t *testing.T, client *http.Client, url string) (body *io.PipeWriter) {
	t.Helper()
	reader, body := io.Pipe()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, reader)
	must(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if response, err := client.Do(request); err == nil {
			_ = response.Body.Close()
		}
	}()
	t.Cleanup(func() {
		_ = body.Close()
		<-done
	})
	return body
}

func TestBodyMustArrive(t *testing.T) {
	t.Parallel()
	for name, pause := range map[string]time.Duration{"nothing": 0, "a byte a second": time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overPipes(t, func(t *testing.T, tr transport) {
				t.Helper()
				ended := make(chan reading, 1)
				client, url := tr.piped(t, limit.Patience{}.Middleware(readAll(ended)))
				body := post(t, client, url)
				var trickle sync.WaitGroup
				trickle.Go(func() {
					for pause > 0 {
						if _, err := io.WriteString(body, "x"); err != nil {
							return
						}
						<-time.After(pause)
					}
				})
				got := <-ended
				if !errors.Is(got.err, os.ErrDeadlineExceeded) || got.took != limit.BodyTimeout {
					t.Errorf("the body ended with %v after %v, want %v after %v", got.err, got.took, os.ErrDeadlineExceeded, limit.BodyTimeout)
				}
				_ = body.CloseWithError(io.ErrClosedPipe)
				trickle.Wait()
			})
		})
	}
}

// A stream of which the request has been read may be silent for as long as it likes. In HTTP/1.1 a deadline left over
// would end it, as the server would take it for a caller that hung up.
func TestIdleStreamIsLeftAlone(t *testing.T) {
	t.Parallel()
	overPipes(t, func(t *testing.T, tr transport) {
		t.Helper()
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				t.Error(err)
			}
			for range 3 {
				_, _ = io.WriteString(w, "line\n")
				_ = http.NewResponseController(w).Flush()
				select {
				case <-r.Context().Done():
					t.Error("the stream was cut")
				case <-time.After(time.Hour):
				}
			}
		})
		client, url := tr.piped(t, limit.Patience{}.Middleware(handler))
		begin := time.Now()
		response, err := client.Post(url, "text/plain", strings.NewReader("request"))
		must(t, err)
		defer func() { _ = response.Body.Close() }()
		answer, err := io.ReadAll(response.Body)
		if err != nil || string(answer) != "line\nline\nline\n" || time.Since(begin) != 3*time.Hour {
			t.Errorf("got %q, %v after %v", answer, err, time.Since(begin))
		}
	})
}

// A caller that asks again and again on one connection is not hurt by what was set for its last request.
func TestNextRequestHasItsOwnTime(t *testing.T) {
	t.Parallel()
	overPipes(t, func(t *testing.T, tr transport) {
		t.Helper()
		conns := limit.NewConns(1)
		ended := make(chan reading, 1)
		client, url := tr.piped(t, limit.Patience{}.Middleware(readAll(ended)), func(web *http.Server) {
			web.ConnContext, web.ConnState = conns.ConnContext, conns.ConnState
			web.IdleTimeout = 2 * time.Hour
		})
		for _, pause := range []time.Duration{0, 9 * time.Second, 11 * time.Second, 31 * time.Second, time.Hour} {
			<-time.After(pause)
			body := post(t, client, url)
			<-time.After(9 * time.Second)
			_, err := io.WriteString(body, "late, but in time")
			must(t, err)
			must(t, body.Close())
			if got := <-ended; got.err != nil || got.took != 9*time.Second {
				t.Errorf("after %v the body ended with %v after %v", pause, got.err, got.took)
			}
			synctest.Wait()
		}
	})
}

func TestTalkHasTimeForEachMessage(t *testing.T) {
	t.Parallel()
	overPipes(t, func(t *testing.T, tr transport) {
		t.Helper()
		ended := make(chan reading, 1)
		client, url := tr.piped(t, limit.Patience{Talks: everyTalk}.Middleware(readAll(ended)))
		body := post(t, client, url)
		for range 5 {
			_, err := io.WriteString(body, "message")
			must(t, err)
			<-time.After(9 * time.Second)
		}
		got := <-ended
		if want := 4*9*time.Second + limit.BodyTimeout; !errors.Is(got.err, os.ErrDeadlineExceeded) || got.took != want {
			t.Errorf("the stream ended with %v after %v, want %v after %v", got.err, got.took, os.ErrDeadlineExceeded, want)
		}
		_ = body.CloseWithError(io.ErrClosedPipe)
	})
}

// What the handler of a talk takes for itself is not the caller's time.
func TestTalkWaitsForItsHandler(t *testing.T) {
	t.Parallel()
	overPipes(t, func(t *testing.T, tr transport) {
		t.Helper()
		ended := make(chan error, 1)
		handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			message := make([]byte, 4)
			_, err := io.ReadFull(r.Body, message)
			if err == nil {
				<-time.After(time.Hour)
				_, err = io.ReadFull(r.Body, message)
			}
			ended <- err
		})
		client, url := tr.piped(t, limit.Patience{Talks: everyTalk}.Middleware(handler))
		body := post(t, client, url)
		_, err := io.WriteString(body, "ping")
		must(t, err)
		<-time.After(time.Hour + limit.BodyTimeout - 1)
		_, err = io.WriteString(body, "pong")
		must(t, err)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// Half a stream says that nothing follows, and does not end: that is no request without a body.
func TestHalfOpenStream(t *testing.T) {
	t.Parallel()
	for name, fields := range map[string][]string{
		"no length":   nil,
		"length":      {"content-length", "100"},
		"no content":  {"content-length", "0"},
		"bad length":  {"content-length", "99999999999999999999"},
		"expectation": {"expect", "100-continue"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				listener := newPipes()
				ended := make(chan reading, 1)
				serveOn(t, listener, limit.Patience{}.Middleware(readAll(ended)))
				client := pipeHTTP2(t, listener)
				go client.drain()
				client.request(http.MethodPost, "/", false, fields...)
				if got := <-ended; !errors.Is(got.err, os.ErrDeadlineExceeded) || got.took != limit.BodyTimeout {
					t.Errorf("the body ended with %v after %v", got.err, got.took)
				}
			})
		})
	}
}

// The middleware does no harm where there is no connection.
func TestNoConnection(t *testing.T) {
	t.Parallel()
	written := make(chan string, 1)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
		_ = http.NewResponseController(w).Flush()
	})
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "/", strings.NewReader("hello"))
	must(t, err)
	limit.Patience{}.Middleware(handler).ServeHTTP(plainWriter{written}, request)
	if got := <-written; got != "hello" {
		t.Errorf("got %q", got)
	}
}

// plainWriter is a response that can do nothing but be written.
type plainWriter struct{ written chan<- string }

func (p plainWriter) Header() http.Header { return http.Header{} }
func (p plainWriter) WriteHeader(int)     {}
func (p plainWriter) Write(text []byte) (int, error) {
	p.written <- string(text)
	return len(text), nil
}
