package access_test

import (
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// authority is what a Host header may look like (RFC 3986, section 3.2.2, without what no client sends).
var authority = regexp.MustCompile(`^(?:\[([0-9A-Fa-f:.]+)(?:%[\w.~-]+)?\]|([0-9A-Za-z._-]+))(?::[0-9]+)?$`)

// webScheme is how the Origin of a page begins, if it is not opaque.
var webScheme = regexp.MustCompile(`^(?i:https?):`)

// isOurs says again, in another way, which Hosts are allowed on 192.0.2.5 with edge.example.
func isOurs(host string) bool {
	found := authority.FindStringSubmatch(host)
	if found == nil {
		return false
	}
	switch name := strings.TrimSuffix(strings.ToLower(found[2]), "."); name {
	case "localhost", "edge.example":
		return true
	}
	ip := net.ParseIP(found[1] + found[2])
	return ip.IsLoopback() || ip.Equal(net.IPv4(192, 0, 2, 5))
}

// Whatever is in the headers: only a Host of ours, without a sign of a page, is let through.
func FuzzGuard(f *testing.F) {
	for _, host := range []string{"localhost", "LOCALHOST.:80", "127.0.0.1:9118", "[::1]:9118", "[fe80::1%251]", "192.0.2.5", "edge.example:1", "evil.example", "::1", "0:1", "[::ffff:127.0.0.1]", "localhost:1:1", "a@localhost", "ⓛocalhost", ""} {
		f.Add(host, "", "", false)
	}
	f.Add("localhost", "http://evil.example", "", false)
	f.Add("localhost", "app://-", "none", false)
	f.Add("localhost", "null", "cross-site", true)
	f.Add("localhost", " HTTPS://x", "same-origin", true)
	f.Fuzz(func(t *testing.T, host, origin, site string, twice bool) {
		request := arriving(t, "192.0.2.5:9118", host)
		for name, value := range map[string]string{"Origin": origin, "Sec-Fetch-Site": site} {
			if value != "" || twice {
				request.Header[name] = []string{value}
			}
			if twice {
				request.Header[name] = append(request.Header[name], value)
			}
		}
		status, body := guarded(allowing("edge.example"), request)
		switch isPage := twice || webScheme.MatchString(origin) || site != "" && site != "none"; {
		case status == http.StatusNoContent && (isPage || !isOurs(host)):
			t.Errorf("host %q, origin %q, site %q: let through", host, origin, site)
		case status != http.StatusNoContent && status != http.StatusForbidden:
			t.Errorf("status %d: %s", status, body)
		case status == http.StatusForbidden && origin == "" && site == "" && !twice && isPlain(host):
			t.Errorf("host %q is refused: %s", host, body)
		}
	})
}

// isPlain reports whether a Host must be allowed.
func isPlain(host string) bool {
	switch host {
	case "localhost", "localhost:9118", "127.0.0.1", "127.0.0.1:9118", "[::1]", "[::1]:9118", "192.0.2.5", "192.0.2.5:9118", "edge.example", "edge.example:9118":
		return true
	}
	return false
}
