//go:build e2e

package e2e_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestE2EGuard: what browsers say of a request for a page counts, whatever token it bears.
func TestE2EGuard(t *testing.T) {
	t.Parallel()
	s := startTarget(t, nil, ", allowed_hosts: [dialpoint.internal]")
	_, port, _ := strings.Cut(strings.TrimPrefix(s.tcp, "http://"), ":")
	for name, call := range map[string]struct {
		header, value string
		reason        string
	}{
		"origin, another":            {"Origin", "https://evil.example", "ORIGIN_FORBIDDEN"},
		"origin, a page on loopback": {"Origin", "http://localhost:3000", "ORIGIN_FORBIDDEN"},
		"origin, the service's own":  {"Origin", s.tcp, "ORIGIN_FORBIDDEN"},
		"cross-site":                 {"Sec-Fetch-Site", "cross-site", "ORIGIN_FORBIDDEN"},
		"host, another":              {"Host", "rebind.example", "HOST_FORBIDDEN"},
		"host, another, port":        {"Host", "rebind.example:" + port, "HOST_FORBIDDEN"},
		"host, an address":           {"Host", "192.0.2.1:" + port, "HOST_FORBIDDEN"},
		"host, a wildcard":           {"Host", "0.0.0.0:" + port, "HOST_FORBIDDEN"},
		"host, almost loopback":      {"Host", "localhost.evil.example:" + port, "HOST_FORBIDDEN"},
		"host, ends as loopback":     {"Host", "evillocalhost:" + port, "HOST_FORBIDDEN"},
		"host, ends as the allowed":  {"Host", "evil-dialpoint.internal", "HOST_FORBIDDEN"},
		"host, localhost":            {"Host", "localhost:" + port, ""},
		"host, IPv6 loopback":        {"Host", "[::1]:" + port, ""},
		"host, another port":         {"Host", "127.0.0.1:1", ""},
		"host, allowed":              {"Host", "dialpoint.internal:" + port, ""},
		"host, allowed, upper case":  {"Host", "Dialpoint.Internal", ""},
		"nothing odd":                {"Accept", "*/*", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, token := range []string{"", s.operator} {
				status, code, reason := http.StatusForbidden, permissionDenied, call.reason
				switch {
				case reason != "":
				case token == "":
					status, code, reason = http.StatusUnauthorized, unauthenticated, "CREDENTIAL_MISSING"
				default:
					status, code = http.StatusOK, ""
				}
				got := s.ask(t, resolveProcedure, token, http.Header{call.header: {call.value}})
				s.wantAnswer(t, got, status, code, reason)
			}
		})
	}
}
