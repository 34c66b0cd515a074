//go:build e2e

package e2e_test

import (
	"os"
	"strings"
	"testing"

	"dialpoint/examples/wildcard/tinyproxy"
)

// proxied is the environment of a child behind a proxy. Nothing else of the tests' own environment is in it.
func proxied(proxy, noProxy string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), //nolint:forbidigo // programs are looked for where these tests look
		"HOME=" + os.Getenv("HOME"), //nolint:forbidigo // as above
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		env = append(env, name+"="+proxy, strings.ToLower(name)+"="+proxy)
	}
	return append(env, "NO_PROXY="+noProxy, "no_proxy="+noProxy)
}

// startProxy runs a real forward proxy for the test.
func startProxy(t *testing.T) *tinyproxy.Proxy {
	t.Helper()
	need(t, "tinyproxy")
	proxy, err := tinyproxy.Start(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	return proxy
}

// requests is what the proxy was asked since the last call.
func requests(t *testing.T, proxy *tinyproxy.Proxy) []string {
	t.Helper()
	requests, err := proxy.Requests(waiting(t))
	if err != nil {
		t.Fatal(err)
	}
	return requests
}
