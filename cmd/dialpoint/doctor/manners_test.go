package doctor_test

import (
	"net/url"
	"os"
	"strings"
	"testing"

	"golang.org/x/net/http/httpproxy"

	"dialpoint/cmd/dialpoint/doctor"
)

// targetOf is the URL that a child dials for an override.
func targetOf(t testing.TB, override string) *url.URL {
	t.Helper()
	if !strings.Contains(override, "://") {
		override = "http://" + strings.Replace(override, "%", "%25", 1)
	}
	target, err := url.Parse(override)
	must(t, err)
	target.Scheme = strings.Replace(target.Scheme, "http", "ws", 1)
	return target
}

// TestGoManner: what Go's own clients make of the environment of their process.
func TestGoManner(t *testing.T) {
	for name, test := range children {
		t.Run(name, func(t *testing.T) {
			clearProxies(t)
			for name, value := range test.env {
				t.Setenv(name, value)
			}
			target := targetOf(t, test.override)
			target.Scheme = strings.Replace(target.Scheme, "ws", "http", 1)
			proxy, err := httpproxy.FromEnvironment().ProxyFunc()(target)
			if caught := proxy != nil || err != nil; caught != (test.golang != "") {
				t.Errorf("Go says %v, %v, and its manner says %q", proxy, err, test.golang)
			}
		})
	}
}

// clearProxies takes the variables away that the process may have been started with.
func clearProxies(t *testing.T) {
	t.Helper()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"} {
		t.Setenv(name, "") // so that it is put back
		must(t, os.Unsetenv(name))
	}
}

// FuzzExceptions: lists that people write. More entries never take an exception away, and the host itself, behind a
// comma, is one wherever the list is read to its end.
func FuzzExceptions(f *testing.F) {
	for _, test := range children {
		f.Add(test.env["no_proxy"], targetOf(f, test.override).Hostname())
	}
	f.Fuzz(func(t *testing.T, list, host string) {
		target := &url.URL{Scheme: "ws", Host: "[" + host + "]:9119"}
		if target.Hostname() != host || strings.ContainsAny(host, ", \t%") || strings.TrimSpace(host) != host || strings.Trim(host, ".") == "" || list == "*" {
			return
		}
		for name, excepts := range map[string]func(list string) bool{
			"curl":   func(list string) bool { return doctor.CurlExcepts(list, host) },
			"python": func(list string) bool { return doctor.PythonExcepts(list, target) },
		} {
			if excepts(list) && !excepts(list+",x") {
				t.Errorf("%s: %q excepts %q, and with one entry more it does not", name, list, host)
			}
			if !strings.HasPrefix(host, ".") && !excepts(host+","+list) {
				t.Errorf("%s: %q does not except %q, which comes first", name, list, host)
			}
		}
	})
}
