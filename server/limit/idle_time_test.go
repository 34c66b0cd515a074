package limit_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"dialpoint/server/limit"
)

// TestIdleConnectionsEnd, each when it has been without a request for so long, and none that is in one.
func TestIdleConnectionsEnd(t *testing.T) {
	t.Parallel()
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conns, begin := limit.NewConns(10), time.Now()
				conns.IdleTimeout = time.Minute
				listener := newPipes()
				serveOn(t, listener, calls(t, limit.Limits{}), watched(conns))
				ask := func(path string) *http.Response {
					client := webClient(t, http2)
					if transport, ok := client.Transport.(*http.Transport); ok {
						transport.DialContext = listener.DialContext
					}
					response, err := client.Get("http://localhost" + path)
					must(t, err)
					if path == "/" {
						go func() {
							<-time.After(10 * time.Second)
							answered(t, client, "http://localhost/")
						}()
						_ = response.Body.Close()
					}
					return response
				}
				openAt := func(after time.Duration, want int) {
					t.Helper()
					<-time.After(time.Until(begin.Add(after)))
					synctest.Wait()
					if open := conns.Len(); open != want {
						t.Errorf("%d connections are open after %v, want %d", open, after, want)
					}
				}

				busy := ask("/wait")
				ask("/")
				openAt(30*time.Second, 2)
				ask("/")
				openAt(70*time.Second-1, 3)
				openAt(70*time.Second, 2)
				openAt(100*time.Second-1, 2)
				openAt(100*time.Second, 1)
				openAt(time.Hour, 1)
				must(t, busy.Body.Close())
				if http2 { // Over HTTP/1.1 it ends with its only call.
					openAt(time.Hour+time.Minute-1, 1)
				}
				openAt(time.Hour+time.Minute, 0)
			})
		})
	}
}

// TestIdleForEver is what no time-out means.
func TestIdleForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		conns, listener := limit.NewConns(10), newPipes()
		serveOn(t, listener, calls(t, limit.Limits{}), watched(conns))
		client := webClient(t, false)
		if transport, ok := client.Transport.(*http.Transport); ok {
			transport.DialContext = listener.DialContext
		}
		answered(t, client, "http://localhost/")
		<-time.After(1000 * time.Hour)
		if !answered(t, client, "http://localhost/") {
			t.Error("the connection was closed")
		}
	})
}
