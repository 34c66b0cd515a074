package limit_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dialpoint/server/limit"
)

// calls is a handler under a limiter: a request to /wait stays in its call until the test ends or it is cancelled.
func calls(t testing.TB, limits limit.Limits) http.Handler {
	t.Helper()
	ended, end := context.WithCancel(context.Background())
	t.Cleanup(end)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "answer")
		if r.URL.Path == "/wait" {
			_ = http.NewResponseController(w).Flush()
			select {
			case <-ended.Done():
			case <-r.Context().Done():
			}
		}
	})
	return limit.New(limits).Middleware(handler, byHeader, noStreams)
}

// answered asks on a client's connection, or a new one, and reports which.
func answered(t testing.TB, client *http.Client, url string) (reused bool) {
	t.Helper()
	trace := &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) { reused = got.Reused }}
	request, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodGet, url, http.NoBody)
	must(t, err)
	response, err := client.Do(request)
	must(t, err)
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	must(t, err)
	if string(answer) != "answer" {
		t.Errorf("got %s, %q", response.Status, answer)
	}
	return reused
}

// newcomer is answered on a connection of its own, which it closes.
func newcomer(t testing.TB, url string) {
	t.Helper()
	client := webClient(t, false)
	answered(t, client, url)
	client.CloseIdleConnections()
}

// waiting has a call on a connection of its own that stays until it is closed.
func waiting(t testing.TB, url string) io.Closer {
	t.Helper()
	response, err := webClient(t, false).Get(url + "/wait")
	must(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response.Body
}

// awaitConns returns once so many connections are open.
func awaitConns(t testing.TB, conns *limit.Conns, want int) {
	t.Helper()
	awaitf(t, func() bool { return conns.Len() == want }, "%d connections open", want)
}

// wantOpen and wantClosed check that the server keeps a connection, or does not.
func wantOpen(t testing.TB, conn net.Conn) {
	t.Helper()
	const moment = 50 * time.Millisecond
	must(t, conn.SetReadDeadline(time.Now().Add(moment)))
	if _, err := io.ReadAll(conn); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection is closed: %v", err)
	}
}

func wantClosed(t testing.TB, conn net.Conn) {
	t.Helper()
	must(t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
	if _, err := io.ReadAll(conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the connection is still open")
	}
}

// Connections that are opened and left, whatever they sent before, keep nobody out. Callers that are known even keep
// their connections, unless the flood makes calls as they do.
func TestFloodOfConnections(t *testing.T) {
	t.Parallel()
	const most, many = 20, 200
	for name, sent := range map[string]string{
		"nothing":           "",
		"a byte":            "P",
		"half a header":     "POST / HTTP/1.1\r\nHost: a\r\n",
		"half a body":       "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf",
		"a whole request":   "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		"half a preface":    "PRI * HTTP/2.0\r\n\r\nSM",
		"a preface":         "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"a TLS handshake":   "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
		"garbage":           strings.Repeat("\x00\xff garbage\r\n", 100),
		"an endless header": "GET / HTTP/1.1\r\nHost: a\r\nA: " + strings.Repeat("a", 64<<10),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conns := limit.NewConns(most)
			// Two calls of the flood are let in, and wait for their bodies until the test ends.
			url := "http://" + serve(t, calls(t, limit.Limits{Calls: 4}), watched(conns), func(web *http.Server) { web.MaxHeaderBytes = 16 << 10 })
			known := webClient(t, false)
			known.Transport = from("known", known.Transport)
			answered(t, known, url)
			for count := range many {
				conn := dial(t, strings.TrimPrefix(url, "http://"))
				go func() { _, _ = io.WriteString(conn, sent) }()
				if count%10 == 0 {
					if !answered(t, known, url) && name != "a whole request" {
						t.Error("the connection of a known caller was closed")
					}
					guest := webClient(t, false)
					guest.Transport = from("guest", guest.Transport)
					answered(t, guest, url)
					guest.CloseIdleConnections()
				}
				if open := conns.Len(); open > most {
					t.Errorf("%d connections are open", open)
				}
			}
		})
	}
}

// from says who asks.
func from(peer string, next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		r.Header.Set(peerHeader, peer)
		return next.RoundTrip(r)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestAllInCalls(t *testing.T) {
	t.Parallel()
	conns := limit.NewConns(2)
	address := serve(t, calls(t, limit.Limits{}), watched(conns))
	first, second := waiting(t, "http://"+address), waiting(t, "http://"+address)
	defer func() { _ = second.Close() }()
	wantClosed(t, dial(t, address))
	if conns.Len() != 2 {
		t.Errorf("%d connections are open, want the 2 in calls", conns.Len())
	}
	must(t, first.Close())
	awaitConns(t, conns, 1)
	newcomer(t, "http://"+address)
}

// The oldest of those in no call goes first, and one that was in a call is as young as the end of its call.
func TestOldestGoesFirst(t *testing.T) {
	t.Parallel()
	conns := limit.NewConns(4)
	address := serve(t, calls(t, limit.Limits{}), watched(conns))
	busy := waiting(t, "http://"+address)
	defer func() { _ = busy.Close() }()
	var silent []net.Conn
	for range 3 {
		silent = append(silent, dial(t, address))
		awaitConns(t, conns, len(silent)+1)
	}
	newcomer(t, "http://"+address)
	wantClosed(t, silent[0])
	wantOpen(t, silent[1])
	awaitConns(t, conns, 3)
	silent = append(silent, dial(t, address), dial(t, address))
	wantClosed(t, silent[1])
	for _, conn := range silent[2:] {
		wantOpen(t, conn)
	}
}

func TestSetMax(t *testing.T) {
	t.Parallel()
	conns := limit.NewConns(10)
	address := serve(t, calls(t, limit.Limits{}), watched(conns))
	busy := waiting(t, "http://"+address)
	defer func() { _ = busy.Close() }()
	var silent []net.Conn
	for range 9 {
		silent = append(silent, dial(t, address))
		awaitConns(t, conns, len(silent)+1)
	}
	conns.SetMax(3)
	for _, conn := range silent[:7] {
		wantClosed(t, conn)
	}
	for _, conn := range silent[7:] {
		wantOpen(t, conn)
	}
	conns.SetMax(0)
	if conns.Len() != 1 {
		t.Errorf("%d connections are open, want the one in a call", conns.Len())
	}
	conns.SetMax(2)
	newcomer(t, "http://"+address)
}

// A request that is refused does not protect its connection: its body may never come.
func TestRefusedIsInNoCall(t *testing.T) {
	t.Parallel()
	conns := limit.NewConns(4)
	address := serve(t, calls(t, limit.Limits{Calls: 1}), watched(conns))
	busy := waiting(t, "http://"+address)
	defer func() { _ = busy.Close() }()
	var refused []net.Conn
	for range 3 {
		conn := dial(t, address)
		_, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf")
		must(t, err)
		refused = append(refused, conn)
	}
	awaitConns(t, conns, 4)
	response, err := webClient(t, false).Get("http://" + address)
	must(t, err)
	must(t, response.Body.Close())
	if response.StatusCode != http.StatusTooManyRequests {
		t.Errorf("got %s", response.Status)
	}
	wantClosed(t, refused[0])
}

// An HTTP/2 connection is in a call as long as one of its streams is.
func TestStreamsOfOneConnection(t *testing.T) {
	t.Parallel()
	conns := limit.NewConns(2)
	address := serve(t, calls(t, limit.Limits{}), watched(conns))
	client := dialHTTP2(t, address)
	client.request(http.MethodGet, "/wait", true)
	if status := client.status(); status != "200" {
		t.Fatalf("got status %s", status)
	}
	client.request(http.MethodGet, "/", true)
	if status := client.status(); status != "200" {
		t.Fatalf("got status %s", status)
	}
	for range 5 {
		newcomer(t, "http://"+address)
		_ = dial(t, address)
	}
	client.request(http.MethodGet, "/", true)
	if status := client.status(); status != "200" {
		t.Errorf("got status %s", status)
	}
}

// Who does not finish a TLS handshake is in no call either, and closing it waits for nothing.
func TestHandshake(t *testing.T) {
	t.Parallel()
	pair, roots := certificate()
	conns := limit.NewConns(2)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	serveOn(t, tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{pair}}), calls(t, limit.Limits{}), watched(conns))
	silent := dial(t, listener.Addr().String())
	_ = dial(t, listener.Addr().String())
	for range 3 {
		dialer := &tls.Dialer{Config: &tls.Config{RootCAs: roots, ServerName: "example.com"}}
		conn, err := dialer.DialContext(t.Context(), "tcp", listener.Addr().String())
		must(t, err)
		defer func() { _ = conn.Close() }()
		_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		must(t, err)
		_, err = conn.Read(make([]byte, 1))
		must(t, err)
	}
	wantClosed(t, silent)
}

func TestHijackedIsForgotten(t *testing.T) {
	t.Parallel()
	conns := limit.NewConns(1)
	hijacked := make(chan net.Conn, 1)
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
		}
		hijacked <- conn
	})
	address := serve(t, limit.New(limit.Limits{}).Middleware(handler, onePeer, noStreams), watched(conns))
	conn := dial(t, address)
	_, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	must(t, err)
	taken := <-hijacked
	awaitConns(t, conns, 0)
	_ = dial(t, address)
	_ = dial(t, address)
	awaitConns(t, conns, 1)
	_, err = io.WriteString(taken, "still open")
	must(t, err)
	must(t, taken.Close())
}

// What sends nothing is closed when its time is over, and forgotten.
func TestSilentConnectionsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		conns := limit.NewConns(1000)
		listener := newPipes()
		serveOn(t, listener, calls(t, limit.Limits{}), watched(conns), func(web *http.Server) {
			web.ReadHeaderTimeout = 10 * time.Second
		})
		for range 1000 {
			conn, err := listener.DialContext(t.Context(), "", "")
			must(t, err)
			defer func() { _ = conn.Close() }()
		}
		<-time.After(10*time.Second - 1)
		if conns.Len() != 1000 {
			t.Errorf("%d connections are open, want 1000", conns.Len())
		}
		<-time.After(1)
		synctest.Wait()
		if conns.Len() != 0 {
			t.Errorf("%d connections are open, want none", conns.Len())
		}
	})
}
