package access_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"dialpoint/server/access"
)

func TestPeerKey(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ addr, want string }{
		"IPv4":                    {"192.0.2.5:1234", "192.0.2.5"},
		"IPv4, another port":      {"192.0.2.5:1", "192.0.2.5"},
		"IPv4-mapped":             {"[::ffff:192.0.2.5]:1234", "192.0.2.5"},
		"IPv6":                    {"[2001:db8:1:2:3:4:5:6]:1234", "2001:db8:1:2::/64"},
		"IPv6, same network":      {"[2001:db8:1:2:ffff::]:1234", "2001:db8:1:2::/64"},
		"IPv6, next network":      {"[2001:db8:1:3::]:1234", "2001:db8:1:3::/64"},
		"IPv6 loopback":           {"[::1]:1234", "loopback"},
		"link-local":              {"[fe80::1%eth0]:1234", "fe80::1"},
		"link-local, another one": {"[fe80::2%eth0]:1234", "fe80::2"},
		"unnamed unix socket":     {"@", "@"},
		"a pipe":                  {"pipe", "pipe"},
		"empty":                   {"", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := access.PeerKey(t.Context(), test.addr); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestPeerKeyOfConnections(t *testing.T) {
	t.Parallel()
	unix := func(t *testing.T) net.Listener { t.Helper(); return listen(t, "unix", filepath.Join(t.TempDir(), "s")) }
	tests := map[string]struct {
		open func(t *testing.T) net.Listener
		want string
	}{
		"unix":   {unix, fmt.Sprint("uid ", os.Geteuid())},
		"hidden": {func(t *testing.T) net.Listener { t.Helper(); return hiding{unix(t)} }, "uid unknown"},
		"TCP":    {func(t *testing.T) net.Listener { t.Helper(); return listen(t, "tcp", "127.0.0.1:0") }, "loopback"},
	}
	for name, test := range tests {
		for version, http2 := range map[string]bool{"HTTP1": false, "HTTP2": true} {
			t.Run(name+" "+version, func(t *testing.T) {
				t.Parallel()
				web := webServer(access.NewGate(discard, access.Policy{}))
				web.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = w.Write([]byte(access.PeerKey(r.Context(), r.RemoteAddr)))
				})
				socket := test.open(t)
				serve(t, web, socket)
				client := peer{url: "http://" + socket.Addr().String(), http2: http2}
				if socket.Addr().Network() == "unix" {
					client = peer{url: "http://unix", unix: socket.Addr().String(), http2: http2}
				}
				if _, got := client.send(t, http.MethodGet, "/", ""); got != test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
			})
		}
	}
}
