//go:build e2e

package doctor_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
)

// proxyUnknown is with what curl ends that cannot look its proxy up (EXIT CODES in curl(1)).
const proxyUnknown = 5

// curlOf is what a curl is able to.
type curlOf struct {
	speaksWS bool
	// endsListAtBlank is from version 8.9 on.
	endsListAtBlank bool
}

func newCurl(t *testing.T) curlOf {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), "curl", "--version").Output()
	if err != nil {
		t.Fatalf("curl is not installed: apt-get install curl: %v", err)
	}
	var major, minor int
	if _, err := fmt.Sscanf(string(said), "curl %d.%d", &major, &minor); err != nil {
		t.Fatalf("no version in %q: %v", said, err)
	}
	return curlOf{speaksWS: strings.Contains(string(said), " ws "), endsListAtBlank: major > 8 || major == 8 && minor >= 9}
}

// TestE2ECurl: the real curl goes to a real proxy where its manner says so. It never leaves the loopback interface.
func TestE2ECurl(t *testing.T) {
	t.Parallel()
	curl := newCurl(t)
	for name, test := range children {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := targetOf(t, test.override)
			switch _, blank := strings.CutPrefix(test.env["no_proxy"], "a "); {
			case blank && !curl.endsListAtBlank:
				t.Skip("this curl takes a blank for a comma")
			case !curl.speaksWS && hasSocketVariable(test.env):
				t.Skip("this curl does not speak WebSocket, and does not know these variables")
			case !curl.speaksWS:
				target.Scheme = strings.Replace(target.Scheme, "ws", "http", 1)
			}
			if got := curlIsCaught(t, target, test.env); got != (test.curl != "") {
				t.Errorf("curl is caught: %v, and its manner says by %q", got, test.curl)
			}
		})
	}
}

func hasSocketVariable(env map[string]string) bool {
	for name := range env {
		if strings.HasPrefix(strings.ToLower(name), "ws") {
			return true
		}
	}
	return false
}

// curlIsCaught says whether curl came to the proxy that its environment names, or looked for it.
func curlIsCaught(t *testing.T, target *url.URL, env map[string]string) bool {
	t.Helper()
	var asked atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Store(true) }))
	defer proxy.Close()
	args := []string{"-sS", "--interface", "lo", "--connect-timeout", "5", "--max-time", "10"}
	if !strings.Contains(target.Hostname(), ":") {
		args = append(args, "--resolve", hostPort(target)+":127.0.0.1")
	}
	command := exec.CommandContext(t.Context(), "curl", append(args, target.String())...)
	command.Env = []string{"PATH=" + os.Getenv("PATH")}
	for name, value := range env {
		command.Env = append(command.Env, name+"="+strings.Replace(value, proxyURL, proxy.URL, 1))
	}
	output, err := command.CombinedOutput()
	t.Logf("curl %s: %v\n%s", target, err, output)
	failure, failed := errors.AsType[*exec.ExitError](err)
	if err != nil && !failed {
		t.Fatal(err)
	}
	return asked.Load() || failed && failure.ExitCode() == proxyUnknown
}

// hostPort is the host as it stands in the URL, and the port.
func hostPort(target *url.URL) string {
	if target.Port() != "" {
		return target.Host
	}
	return target.Host + map[string]string{"http": ":80", "https": ":443", "ws": ":80", "wss": ":443"}[target.Scheme]
}
