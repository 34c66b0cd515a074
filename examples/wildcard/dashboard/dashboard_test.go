package dashboard_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"dialpoint/examples/wildcard/dashboard"
)

const token = "let+me&in"

func listen(t *testing.T, network, address string) *dashboard.Dashboard {
	t.Helper()
	d, err := dashboard.Listen(t.Context(), network, address, token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func dial(t *testing.T, url string) (*websocket.Conn, int, error) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	child, response, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{HTTPClient: client})
	if response == nil {
		return nil, 0, err
	}
	return child, response.StatusCode, err
}

func TestGreeting(t *testing.T) {
	t.Parallel()
	d := listen(t, "tcp4", "0.0.0.0:0")
	for _, path := range []string{dashboard.GatewayPath, dashboard.SidecarPath} {
		host := fmt.Sprintf("127.0.0.1:%d", d.Port())
		child, _, err := dial(t, "ws://"+host+path+"?token=let%2Bme%26in")
		if err != nil {
			t.Fatal(err)
		}
		_, message, err := child.Read(t.Context())
		if want := `{"jsonrpc":"2.0","method":"event","params":{"type":"gateway.ready"}}`; strings.TrimSpace(string(message)) != want || err != nil {
			t.Errorf("got %s, %v, want %s", message, err, want)
		}
		visit := <-d.Visits()
		if visit.Path != path || visit.Host != host || !strings.HasPrefix(visit.From, "127.0.0.1:") {
			t.Errorf("got visit %+v", visit)
		}
		if err := child.Close(websocket.StatusNormalClosure, ""); err != nil {
			t.Error(err)
		}
	}
}

func TestWhoIsNotLetIn(t *testing.T) {
	t.Parallel()
	d := listen(t, "tcp4", "127.0.0.1:0")
	for name, test := range map[string]struct {
		path string
		want int
	}{
		"no token":    {"/api/ws", http.StatusUnauthorized},
		"wrong token": {"/api/ws?token=let", http.StatusUnauthorized},
		"other path":  {"/api?token=let%2Bme%26in", http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, status, err := dial(t, "ws://127.0.0.1:"+strconv.Itoa(d.Port())+test.path)
			if status != test.want || err == nil {
				t.Errorf("got %d, %v, want status %d", status, err, test.want)
			}
		})
	}
	if len(d.Visits()) > 0 {
		t.Errorf("got visit %+v", <-d.Visits())
	}
}

func TestIPv6Only(t *testing.T) {
	t.Parallel()
	d := listen(t, "tcp6", "[::]:0")
	var dialer net.Dialer
	for address, reached := range map[string]bool{"127.0.0.1": false, "::1": true} {
		connection, err := dialer.DialContext(context.Background(), "tcp", net.JoinHostPort(address, strconv.Itoa(d.Port())))
		if (err == nil) != reached {
			t.Errorf("dialling %s: %v, want it reached: %v", address, err, reached)
		}
		if err == nil {
			_ = connection.Close()
		}
	}
}

func TestPortInUse(t *testing.T) {
	t.Parallel()
	d := listen(t, "tcp4", "127.0.0.1:0")
	if _, err := dashboard.Listen(t.Context(), "tcp4", fmt.Sprintf("127.0.0.1:%d", d.Port()), ""); err == nil {
		t.Error("listening on a port in use: no error")
	}
}
