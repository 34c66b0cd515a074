package client_test

import (
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// TestNeverAProxy: every proxy variable there is names a listener that fails the test when anyone connects. Go's rules
// except loopback, so what shows the client's own rule is an address that nobody has (RFC 5737).
func TestNeverAProxy(t *testing.T) {
	t.Parallel()
	proxy := "http://" + failOnContact(t)
	var env []string
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		env = append(env, name+"="+proxy, strings.ToLower(name)+"="+proxy)
	}
	tcp, _ := serve(t, listenTCP(t), resolving(endpoints(1)).handler())
	unix, _ := serve(t, listenUnix(t), resolving(endpoints(1)).handler())
	const patient, short = time.Minute, time.Second
	for name, test := range map[string]struct {
		address string
		within  time.Duration
		want    string
	}{
		"unix":           {unix, patient, "token=REDACTED"},
		"loopback":       {tcp, patient, "token=REDACTED"},
		"elsewhere":      {"http://192.0.2.1:9118", short, "proxy " + proxy + `, got "", error `},
		"elsewhere, TLS": {"https://192.0.2.1:9118", short, "proxy " + proxy + `, got "", error `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantMessage(t, resolveInChild(t, test.address, test.within, env...), test.want)
		})
	}
}

// failOnContact listens for nobody.
func failOnContact(t *testing.T) (address string) {
	t.Helper()
	listener := listenTCP(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
			t.Error("someone came by, and nobody should")
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	return listener.Addr().String()
}

// TestNoRedirect: a credential must not go where an answer points.
func TestNoRedirect(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			elsewhere := "http://" + failOnContact(t)
			address, _ := serve(t, listenTCP(t), http.RedirectHandler(elsewhere, status))
			for name, call := range calls {
				failure := asError(t, call(t.Context(), connectOnce(t, address)))
				if failure.Code != connect.CodeFailedPrecondition {
					t.Errorf("%s: got %v, want failed_precondition", name, failure)
				}
				wantMessage(t, failure.Message, address, "it answers with a redirect, which is not followed")
			}
		})
	}
}

// TestRequestsOnTheWire: the protocol, the Host and what the client is ready to accept.
func TestRequestsOnTheWire(t *testing.T) {
	t.Parallel()
	for kind, open := range listen {
		for name, test := range map[string]struct{ contentType, encoding, messageEncoding string }{
			"Resolve":       {"application/proto", "identity", ""},
			"GetListener":   {"application/proto", "identity", ""},
			"ListListeners": {"application/proto", "identity", ""},
			"Watch":         {"application/connect+proto", "identity", ""},
			"Source":        {"application/connect+proto", "identity", ""},
		} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				seen := make(chan *http.Request, 1)
				listener := open(t)
				address, _ := serve(t, listener, http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
					seen <- request
					w.WriteHeader(http.StatusTeapot)
				}))
				_ = asError(t, calls[name](t.Context(), connectOnce(t, address)))
				request := <-seen
				got := fmt.Sprintln(request.Method, request.Proto, request.Host, request.Header.Get("Content-Type"),
					request.Header.Get("Accept-Encoding"), request.Header.Get("Connect-Accept-Encoding"))
				want := fmt.Sprintln(http.MethodPost, "HTTP/1.1", hostOf(listener), test.contentType, test.encoding, test.messageEncoding)
				if got != want {
					t.Errorf("got %s want %s", got, want)
				}
			})
		}
	}
}

// hostOf is the Host header that belongs to a listener.
func hostOf(listener net.Listener) string {
	if listener.Addr().Network() == "unix" {
		return "localhost"
	}
	return listener.Addr().String()
}

// TestConnectionsAreUsedAgain: one client that calls often holds one connection.
func TestConnectionsAreUsedAgain(t *testing.T) {
	t.Parallel()
	listener := &counting{Listener: listenUnix(t)}
	address, _ := serve(t, listener, resolving(endpoints(1)).handler())
	caller := connectTo(t, address)
	for range 5 {
		if _, err := caller.Resolve(t.Context(), client.Request{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := listener.accepted.Load(); got != 1 {
		t.Errorf("%d connections, want 1", got)
	}
}

// counting counts the connections that it accepts.
type counting struct {
	net.Listener

	accepted atomic.Int32
}

func (c *counting) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.accepted.Add(1)
	}
	return conn, err
}

// TestSizeLimits: what is far bigger than any real answer is refused.
func TestSizeLimits(t *testing.T) {
	t.Parallel()
	big := endpoints(1)
	big.Explanation = &dialpointv1.Explanation{Warnings: []string{strings.Repeat("x", client.MaxResponseBytes)}}
	fits := endpoints(1)
	fits.Explanation = &dialpointv1.Explanation{Warnings: []string{strings.Repeat("x", client.MaxResponseBytes/2)}}
	for name, test := range map[string]struct {
		handler http.Handler
		want    string
	}{
		"message that fits": {resolving(fits).handler(), ""},
		"message":           {resolving(big).handler(), "is larger than configured max 1048576"},
		"watch":             {watching(updateOf(big)).handler(), "is larger than configured max 1048576"},
		"error":             {failing(said(t, connect.CodeAborted, big)).handler(), "is larger than configured max 1048576"},
		"header": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X", strings.Repeat("x", client.MaxHeaderBytes))
		}), "response headers exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _ := serve(t, listenUnix(t), test.handler)
			call := "Resolve"
			if name == "watch" {
				call = "Watch"
			}
			err := calls[call](t.Context(), connectOnce(t, address))
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantMessage(t, asError(t, err).Message, address, test.want)
		})
	}
}

// TestTLS: https is verified against the system's certificates, and still speaks HTTP/1.1.
func TestTLS(t *testing.T) {
	t.Parallel()
	protocols := make(chan string, 1)
	handler := resolving(endpoints(1)).handler()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		protocols <- request.Proto
		handler.ServeHTTP(w, request)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes are what it tests
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)

	t.Run("trusted", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "ca.pem")
		certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
		if err := os.WriteFile(file, certificate, 0o600); err != nil {
			t.Fatal(err)
		}
		wantMessage(t, resolveInChild(t, server.URL, time.Minute, "SSL_CERT_FILE="+file), "token=REDACTED")
		if got := <-protocols; got != "HTTP/1.1" {
			t.Errorf("got %s, want HTTP/1.1", got)
		}
	})
	t.Run("not trusted", func(t *testing.T) {
		t.Parallel()
		err := calls["Resolve"](t.Context(), connectTo(t, server.URL))
		failure := asError(t, err)
		if failure.Code != connect.CodeFailedPrecondition {
			t.Errorf("got %v, want failed_precondition", failure)
		}
		wantMessage(t, failure.Message, server.URL, "failed to verify certificate", "is not to be trusted")
	})
	t.Run("plain call to a TLS port", func(t *testing.T) {
		t.Parallel()
		err := calls["Resolve"](t.Context(), connectTo(t, strings.Replace(server.URL, "https", "http", 1)))
		wantMessage(t, asError(t, err).Message, server.Listener.Addr().String(), "400 Bad Request")
	})
}
