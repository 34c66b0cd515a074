package limit_test

import (
	"bufio"
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

	"golang.org/x/net/http2"

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
		client, url := tr.piped(t, limit.Patience{Talks: everyStream}.Middleware(readAll(ended)))
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

// writeUntilRefused tells how writing to a caller that takes nothing ended, and after what time.
func writeUntilRefused(ended chan<- reading) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		control := http.NewResponseController(w)
		begin := time.Now()
		for {
			_, err := w.Write(make([]byte, 1000))
			if err == nil {
				err = control.Flush()
			}
			if err != nil {
				ended <- reading{err, time.Since(begin)}
				return
			}
		}
	})
}

func TestAnswerMustBeTaken(t *testing.T) {
	t.Parallel()
	t.Run("HTTP/1.1", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			listener := newPipes()
			ended := make(chan reading, 1)
			serveOn(t, listener, limit.Patience{}.Middleware(writeUntilRefused(ended)))
			conn, err := listener.DialContext(t.Context(), "", "")
			must(t, err)
			_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
			must(t, err)
			if got := <-ended; !errors.Is(got.err, os.ErrDeadlineExceeded) || got.took != limit.WriteTimeout {
				t.Errorf("the write ended with %v after %v", got.err, got.took)
			}
			must(t, conn.Close())
		})
	})
	t.Run("HTTP/2, no window", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			listener := newPipes()
			ended := make(chan reading, 1)
			serveOn(t, listener, limit.Patience{}.Middleware(writeUntilRefused(ended)))
			client := pipeHTTP2(t, listener, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
			go client.drain()
			client.request(http.MethodGet, "/", true)
			if got := <-ended; got.took != limit.WriteTimeout {
				t.Errorf("the write ended with %v after %v", got.err, got.took)
			}
		})
	})
	t.Run("HTTP/2, no bytes", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			listener := newPipes()
			ended := make(chan reading, 1)
			conns := limit.NewConns(1)
			serveOn(t, listener, limit.Patience{}.Middleware(writeUntilRefused(ended)), bounded, watched(conns))
			client := pipeHTTP2(t, listener)
			client.readUntilSettled()
			client.request(http.MethodGet, "/", true)
			if got := <-ended; got.took != limit.WriteTimeout {
				t.Errorf("the write ended with %v after %v", got.err, got.took)
			}
			synctest.Wait()
			if conns.Len() != 0 {
				t.Error("the connection is still open")
			}
		})
	})
}

// What a handler wrote last is written when nobody waits for it any more: it must not be waited for endlessly either.
func TestEndOfAnswerMustBeTaken(t *testing.T) {
	t.Parallel()
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "answer") })
	t.Run("HTTP/1.1", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			listener := newPipes()
			conns := limit.NewConns(1)
			serveOn(t, listener, limit.Patience{}.Middleware(handler), watched(conns))
			conn, err := listener.DialContext(t.Context(), "", "")
			must(t, err)
			_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
			must(t, err)
			<-time.After(limit.WriteTimeout - 1)
			if conns.Len() != 1 {
				t.Error("the connection was closed too early")
			}
			<-time.After(1)
			synctest.Wait()
			if conns.Len() != 0 {
				t.Error("the connection is still open")
			}
			must(t, conn.Close())
		})
	})
	t.Run("HTTP/2", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			listener := newPipes()
			serveOn(t, listener, limit.Patience{}.Middleware(handler))
			client := pipeHTTP2(t, listener, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
			begin := time.Now()
			client.request(http.MethodGet, "/", true)
			if status := client.status(); status != "200" {
				t.Errorf("got status %s", status)
			}
			if reset, ok := client.next().(*http2.RSTStreamFrame); !ok || time.Since(begin) != limit.WriteTimeout {
				t.Errorf("got %v after %v, want a reset after %v", reset, time.Since(begin), limit.WriteTimeout)
			}
		})
	})
}

// Streams whose callers take nothing are many on one connection, and no limit counts them once they are answered. When
// they are a crowd, they are given less time, so that there are never many more.
func TestCrowdOfEndsMustHurry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const connections, streams = 6, 250
		listener := newPipes()
		serveOn(t, listener, limit.Patience{}.Middleware(answering()), bounded)
		resets := make(chan time.Duration, connections*streams)
		begin := time.Now()
		for range connections {
			client := pipeHTTP2(t, listener, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
			go client.eachReset(func() { resets <- time.Since(begin) })
			for range streams {
				client.request(http.MethodGet, "/", true)
			}
		}
		var soon, late int
		for range connections * streams {
			switch after := <-resets; after {
			case limit.Hurry:
				soon++
			case limit.WriteTimeout:
				late++
			default:
				t.Errorf("a stream was reset after %v", after)
			}
		}
		if late != limit.Crowd || soon != connections*streams-limit.Crowd {
			t.Errorf("%d had %v, and %d %v", soon, limit.Hurry, late, limit.WriteTimeout)
		}
	})
}

// A refused request is answered although its body never comes, and its connection is not kept waiting for more than
// the time of a body.
func TestRestOfARefusedRequest(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]string{
		"length":      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf",
		"long":        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nhalf",
		"chunks":      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
		"expectation": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				listener := newPipes()
				refuse := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) })
				serveOn(t, listener, limit.Patience{}.Middleware(refuse))
				conn, err := listener.DialContext(t.Context(), "", "")
				must(t, err)
				_, err = io.WriteString(conn, request)
				must(t, err)
				begin := time.Now()
				reader := bufio.NewReader(conn)
				response, err := http.ReadResponse(reader, nil)
				must(t, err)
				if response.StatusCode != http.StatusTooManyRequests {
					t.Errorf("got %s", response.Status)
				}
				if _, err := reader.ReadByte(); !errors.Is(err, io.EOF) {
					t.Errorf("got %v, want the end of the connection", err)
				}
				if took := time.Since(begin); took > limit.BodyTimeout+time.Second {
					t.Errorf("it took %v", took)
				}
				must(t, conn.Close())
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
