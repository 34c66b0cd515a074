package limit_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"dialpoint/server/limit"
)

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

// unreadOverHTTP1 has nobody read an answer over HTTP/1.1. The handler must tell that its deadline ends it.
func unreadOverHTTP1(t *testing.T, handler func(ended chan<- reading) http.Handler) {
	t.Helper()
	t.Run("HTTP/1.1", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			listener := newPipes()
			ended := make(chan reading, 1)
			serveOn(t, listener, handler(ended))
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
}

func TestAnswerMustBeTaken(t *testing.T) {
	t.Parallel()
	unreadOverHTTP1(t, func(ended chan<- reading) http.Handler {
		return limit.Patience{}.Middleware(writeUntilRefused(ended))
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
		// When the crowd is gone, there is time again.
		begin = time.Now()
		last := pipeHTTP2(t, listener, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
		go last.eachReset(func() { resets <- time.Since(begin) })
		last.request(http.MethodGet, "/", true)
		if after := <-resets; after != limit.WriteTimeout {
			t.Errorf("when the crowd was gone, a stream was reset after %v", after)
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

// A write that is too large to be kept back waits for the caller itself.
func TestLargeWriteMustBeTaken(t *testing.T) {
	t.Parallel()
	handler := func(ended chan<- reading) http.Handler {
		return limit.Patience{}.Middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			begin := time.Now()
			_, err := w.Write(make([]byte, 1<<20))
			ended <- reading{err, time.Since(begin)}
		}))
	}
	unreadOverHTTP1(t, handler)
	t.Run("HTTP/2", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			listener := newPipes()
			ended := make(chan reading, 1)
			serveOn(t, listener, handler(ended))
			client := pipeHTTP2(t, listener, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
			go client.drain()
			client.request(http.MethodGet, "/", true)
			if got := <-ended; got.err == nil || got.took != limit.WriteTimeout {
				t.Errorf("the write ended with %v after %v", got.err, got.took)
			}
		})
	})
}

// A handler may think for as long as it likes between what it writes and what it reads.
func TestSlowHandlerIsNoSlowCaller(t *testing.T) {
	t.Parallel()
	for name, patience := range map[string]limit.Patience{
		"call": {},
		"talk": {Talks: func(*http.Request) bool { return true }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overPipes(t, func(t *testing.T, tr transport) {
				t.Helper()
				handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if _, err := io.ReadFull(r.Body, make([]byte, 4)); err != nil {
						t.Error(err)
					}
					_, _ = io.WriteString(w, "begin ")
					<-time.After(time.Hour)
					if _, err := io.Copy(io.Discard, r.Body); err != nil {
						t.Error(err)
					}
					_, _ = io.WriteString(w, "end")
				})
				client, url := tr.piped(t, patience.Middleware(handler))
				response, err := client.Post(url, "text/plain", strings.NewReader("text"))
				must(t, err)
				defer func() { _ = response.Body.Close() }()
				if answer, err := io.ReadAll(response.Body); err != nil || string(answer) != "begin end" {
					t.Errorf("got %q, %v", answer, err)
				}
			})
		})
	}
}
