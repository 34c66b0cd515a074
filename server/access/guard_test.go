package access_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dialpoint/server/access"
)

// allowing is a policy that trusts callers, so that the guard alone decides.
func allowing(hosts ...string) access.Policy {
	return access.Policy{Trusted: true, AllowedHosts: hosts}
}

// guarded is the status with which the guard answers a request, and the answer. What is let through is answered 204.
func guarded(policy access.Policy, request *http.Request) (int, string) {
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	answer := httptest.NewRecorder()
	access.NewGate(discard, policy).Middleware(next).ServeHTTP(answer, request)
	return answer.Code, answer.Body.String()
}

// arriving is a request that came in over TCP on an address.
func arriving(t testing.TB, local, host string) *http.Request {
	t.Helper()
	addr, err := net.ResolveTCPAddr("tcp", local)
	must(t, err)
	ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, addr)
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, resolvePath, http.NoBody)
	request.Host = host
	return request
}

func TestHost(t *testing.T) {
	t.Parallel()
	const (
		ipv4 = "192.0.2.5:9118"
		ipv6 = "[2001:db8::5]:9118"
		zone = "[fe80::1%1]:9118"
	)
	hosts := []string{"edge.example", "dotted.example.", "xn--bcher-kva.example", "198.51.100.7", "2001:db8::7", "fe80::7%eth0", "Upper.Example", "bad host", "0.0.0.0", "::", "*", ""}
	tests := []struct {
		local, host string
		allowed     bool
	}{
		{ipv4, "localhost", true},
		{ipv4, "localhost:9118", true},
		{ipv4, "LocalHost:1", true},
		{ipv4, "localhost.", true},
		{ipv4, "localhost.:9118", true},
		{ipv4, "127.0.0.1:9118", true},
		{ipv4, "127.255.255.254", true},
		{ipv4, "[::1]", true},
		{ipv4, "[::1]:65535", true},
		{ipv4, "[0:0:0:0:0:0:0:1]:9118", true},
		{ipv4, "[::ffff:127.0.0.1]:9118", true},
		{ipv4, "[::ffff:7f00:1]", true},
		{ipv4, "192.0.2.5:9118", true},
		{ipv4, "192.0.2.5:80", true},
		{ipv4, "192.0.2.5", true},
		{ipv4, "[::ffff:192.0.2.5]", true},
		{ipv6, "[2001:db8::5]:443", true},
		{ipv6, "[2001:DB8:0::5]", true},
		{zone, "[fe80::1]:9118", true},
		{zone, "[fe80::1%251]:9118", true},
		{ipv4, "edge.example:9118", true},
		{ipv4, "EDGE.example", true},
		{ipv4, "edge.example.", true},
		{ipv4, "dotted.example", true},
		{ipv4, "dotted.example.:80", true},
		{ipv4, "xn--bcher-kva.example", true},
		{ipv4, "upper.example", true},
		{ipv4, "198.51.100.7:9118", true},
		{ipv4, "[2001:db8::7]", true},
		{ipv4, "[fe80::7]", true},

		{ipv4, "", false},
		{ipv4, "evil.example", false},
		{ipv4, "evil.example:9118", false},
		{ipv4, "192.0.2.6", false},
		{ipv4, "[2001:db8::5]", false},
		{ipv6, "192.0.2.5", false},
		{ipv4, "128.0.0.1", false},
		{ipv4, "0.0.0.0:9118", false},
		{ipv4, "0:9118", false},
		{ipv4, "[::]:9118", false},
		{ipv4, "*", false},
		{ipv4, "[::2]", false},
		{ipv4, "127.1", false},
		{ipv4, "0x7f.0.0.1", false},
		{ipv4, "2130706433", false},
		{ipv4, "127.0.0.1.evil.example", false},
		{ipv4, "localhost.evil.example", false},
		{ipv4, "evil-localhost", false},
		{ipv4, "evil.localhost", false},
		{ipv4, "localhost..", false},
		{ipv4, "sub.edge.example", false},
		{ipv4, "edge.example.evil", false},
		{ipv4, "localhost:", true},
		{ipv4, "localhost:x", false},
		{ipv4, "localhost:0", false},
		{ipv4, "localhost:65536", false},
		{ipv4, "localhost:-1", false},
		{ipv4, "localhost:80:80", false},
		{ipv4, "::1", false},
		{ipv4, "::1:9118", false},
		{ipv4, "[::1", false},
		{ipv4, "[::1]x", false},
		{ipv4, "[::1]:", true},
		{ipv4, "[[::1]]", false},
		{ipv4, "[localhost]", false},
		{ipv4, "[127.0.0.1]", false},
		{ipv4, "user@localhost", false},
		{ipv4, "localhost@evil.example", false},
		{ipv4, "localhost/evil", false},
		{ipv4, "localhost?x", false},
		{ipv4, "localhost,evil.example", false},
		{ipv4, " localhost", false},
		{ipv4, "localhost ", false},
		{ipv4, "localhost\t", false},
		{ipv4, "localhost\x00", false},
		{ipv4, "ⓛocalhost", false},
		{ipv4, "local\u00adhost", false},
		{ipv4, "localhoſt", false},
		{ipv4, "bücher.example", false},
		{ipv4, "bad host", false},
		{ipv4, "http://localhost", false},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s on %s", test.host, test.local), func(t *testing.T) {
			t.Parallel()
			status, body := guarded(allowing(hosts...), arriving(t, test.local, test.host))
			if test.allowed != (status == http.StatusNoContent) {
				t.Errorf("status %d: %s", status, body)
			}
			if !test.allowed && reasonOfJSON(t, body) != "HOST_FORBIDDEN" {
				t.Errorf("refused for %s", body)
			}
		})
	}
}

func TestHostMessage(t *testing.T) {
	t.Parallel()
	for host, wants := range map[string][]string{
		"evil.example:9118":            {`\"evil.example:9118\"`, "serve.allowed_hosts"},
		"hunter2@evil.example":         {`\"REDACTED@evil.example\"`, "serve.allowed_hosts"},
		strings.Repeat("x", 1000):      {strings.Repeat("x", 120) + "…", "serve.allowed_hosts"},
		"evil\r\nX-Injected: 1":        {`evil\\r\\nX-Injected: 1`},
		"":                             {"the request names no host", "Host"},
		"\xff\xfe not UTF-8 by itself": {"serve.allowed_hosts"},
	} {
		_, body := guarded(allowing(), arriving(t, "127.0.0.1:9118", host))
		for _, want := range wants {
			if !strings.Contains(body, want) || strings.Contains(body, "hunter2") {
				t.Errorf("the message for %q lacks %q: %s", host, want, body)
			}
		}
	}
}

// The local address is the connection's, not a name that was heard of it, and there may be none.
func TestHostWithoutLocalAddress(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]int{"localhost": 204, "127.0.0.1": 204, "192.0.2.5": 403, "evil.example": 403, "": 403} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, resolvePath, http.NoBody)
		request.Host = host
		if status, body := guarded(allowing(), request); status != want {
			t.Errorf("%q is answered %d, want %d: %s", host, status, want, body)
		}
	}
}

// raw sends bytes over TCP and reads the status.
func raw(t *testing.T, url, request string) int {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	must(t, err)
	defer func() { _ = conn.Close() }()
	_, err = conn.Write([]byte(strings.ReplaceAll(request, "\n", "\r\n")))
	must(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(t, err)
	must(t, response.Body.Close())
	return response.StatusCode
}

// What the HTTP library makes of a request decides, in all of its spellings.
func TestHostOnTheWire(t *testing.T) {
	t.Parallel()
	tcp := overTCP(t, allowing())
	const health = " /grpc.health.v1.Health/Check HTTP/1."
	const json = "Content-Type: application/json\nContent-Length: 2\n\n{}"
	tests := map[string]struct {
		request string
		status  int
	}{
		"HTTP/1.1":                      {"POST" + health + "1\nHost: localhost\n" + json, 200},
		"HTTP/1.1, another":             {"POST" + health + "1\nHost: evil.example\n" + json, 403},
		"HTTP/1.1, none":                {"POST" + health + "1\n" + json, 400},
		"HTTP/1.1, empty":               {"POST" + health + "1\nHost:\n" + json, 403},
		"HTTP/1.1, two":                 {"POST" + health + "1\nHost: localhost\nHost: evil.example\n" + json, 400},
		"HTTP/1.0, none":                {"POST" + health + "0\n" + json, 403},
		"HTTP/1.0":                      {"POST" + health + "0\nHost: localhost\n" + json, 200},
		"absolute form":                 {"POST http://evil.example/grpc.health.v1.Health/Check HTTP/1.1\nHost: localhost\n" + json, 403},
		"absolute form, the other way":  {"POST http://localhost/grpc.health.v1.Health/Check HTTP/1.1\nHost: evil.example\n" + json, 200},
		"forwarded headers do not help": {"POST" + health + "1\nHost: evil.example\nX-Forwarded-Host: localhost\nForwarded: host=localhost\n" + json, 403},
		"origin":                        {"POST" + health + "1\nHost: localhost\nOrigin: http://localhost\n" + json, 403},
		"origin, empty":                 {"POST" + health + "1\nHost: localhost\nOrigin:\n" + json, 403},
		"origin, name in lower case":    {"POST" + health + "1\nHost: localhost\norigin: null\n" + json, 403},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := raw(t, tcp.url, test.request); got != test.status {
				t.Errorf("status %d, want %d", got, test.status)
			}
		})
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		header  http.Header
		allowed bool
	}{
		"none":                   {http.Header{}, true},
		"an editor":              {http.Header{"Origin": {"vscode-webview://0123456789"}}, true},
		"an application":         {http.Header{"Origin": {"app://-"}}, true},
		"typed into a browser":   {http.Header{"Sec-Fetch-Site": {"none"}}, true},
		"both harmless":          {http.Header{"Origin": {"app://-"}, "Sec-Fetch-Site": {"none"}}, true},
		"other metadata":         {http.Header{"Sec-Fetch-Mode": {"navigate"}}, true},
		"http":                   {http.Header{"Origin": {"http://localhost:9118"}}, false},
		"https":                  {http.Header{"Origin": {"https://evil.example"}}, false},
		"upper case":             {http.Header{"Origin": {"HTTPS://EVIL.EXAMPLE"}}, false},
		"scheme alone":           {http.Header{"Origin": {"http://"}}, false},
		"white space around":     {http.Header{"Origin": {" http://evil.example"}}, false},
		"null":                   {http.Header{"Origin": {"null"}}, false},
		"NULL":                   {http.Header{"Origin": {"NULL"}}, false},
		"empty":                  {http.Header{"Origin": {""}}, false},
		"blank":                  {http.Header{"Origin": {" \t"}}, false},
		"repeated":               {http.Header{"Origin": {"app://-", "app://-"}}, false},
		"repeated, a page":       {http.Header{"Origin": {"app://-", "http://evil.example"}}, false},
		"a list":                 {http.Header{"Origin": {"app://- http://evil.example"}}, false},
		"a list with commas":     {http.Header{"Origin": {"app://-,http://evil.example"}}, false},
		"cross-site":             {http.Header{"Sec-Fetch-Site": {"cross-site"}}, false},
		"same-site":              {http.Header{"Sec-Fetch-Site": {"same-site"}}, false},
		"same-origin":            {http.Header{"Sec-Fetch-Site": {"same-origin"}}, false},
		"metadata, empty":        {http.Header{"Sec-Fetch-Site": {""}}, false},
		"metadata, of no kind":   {http.Header{"Sec-Fetch-Site": {"None"}}, false},
		"metadata, repeated":     {http.Header{"Sec-Fetch-Site": {"none", "none"}}, false},
		"an editor, cross-site":  {http.Header{"Origin": {"vscode-webview://0"}, "Sec-Fetch-Site": {"cross-site"}}, false},
		"a page typed to a page": {http.Header{"Origin": {"http://evil.example"}, "Sec-Fetch-Site": {"none"}}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := arriving(t, "127.0.0.1:9118", "localhost")
			request.Header = test.header
			status, body := guarded(allowing(), request)
			if test.allowed != (status == http.StatusNoContent) {
				t.Errorf("status %d: %s", status, body)
			}
			if !test.allowed && reasonOfJSON(t, body) != "ORIGIN_FORBIDDEN" {
				t.Errorf("refused for %s", body)
			}
		})
	}
}
