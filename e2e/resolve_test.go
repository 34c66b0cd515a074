//go:build e2e

package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	bound   = `{host: 0.0.0.0, port: 9119}`
	unbound = `{host: 0.0.0.0, port: 0}`
)

func TestE2EExamplesResolve(t *testing.T) {
	t.Parallel()
	eachExample(t, func(t *trial) {
		t.site.serve(t.T, bound)
		resolved(t.T, t.run("chat-1", 30))
	})
}

func TestE2EExamplesWithoutAChannel(t *testing.T) {
	t.Parallel()
	eachExample(t, func(t *trial) {
		t.site.serve(t.T, bound)
		child := t.run("", 30)
		if code := exitCode(t.T, child); code != 0 || child.Out.String() != "gateway ws://127.0.0.1:9119/api/ws?token=REDACTED\n" {
			t.Errorf("exit code %d, printed %q\n%s", code, &child.Out, &child.Err)
		}
	})
}

// The child comes first: its first try has failed before the service starts.
func TestE2EExamplesWaitForTheService(t *testing.T) {
	t.Parallel()
	eachExample(t, func(t *trial) {
		child := t.run("chat-1", 30)
		if _, err := child.Await(waiting(t.T), &child.Err, "waiting: "); err != nil {
			t.Fatal(err)
		}
		t.site.serve(t.T, bound)
		resolved(t.T, child)
	})
}

// The dashboard comes last: the service holds the child's call until it knows the port.
func TestE2EExamplesWaitForTheDashboard(t *testing.T) {
	t.Parallel()
	eachExample(t, func(t *trial) {
		t.site.serve(t.T, unbound)
		relay := newRelay(t.T, t.address)
		t.address = relay.address
		child := t.run("chat-1", 30)
		select {
		case <-relay.calls:
		case <-waiting(t.T).Done():
			t.Fatalf("the child did not ask:\n%s%s", &child.Out, &child.Err)
		}
		t.site.configure(t.T, bound)
		resolved(t.T, child)
		if len(relay.calls) > 0 {
			t.Errorf("the child asked %d times more: it should have had the service hold its call", len(relay.calls))
		}
	})
}

func TestE2EExamplesGiveUp(t *testing.T) {
	t.Parallel()
	eachExample(t, func(t *trial) {
		refused(t.T, t.example.run(t.T, t.address, "chat-1", 1), "child: ", "dialpoint serve", "DIALPOINT_ADDR")
		t.site.serve(t.T, unbound)
		refused(t.T, t.run("chat-1", 1), "child: ", "not bound yet", "DIALPOINT_BIND_PORT")
	})
}

func TestE2EExamplesTellBadRequests(t *testing.T) {
	t.Parallel()
	eachExample(t, func(t *trial) {
		t.site.serve(t.T, bound)
		refused(t.T, t.run("chat 1", 30), "child: ", "channel")
	})
}

func TestE2EExamplesTellBadAddresses(t *testing.T) {
	t.Parallel()
	eachExample(t, func(t *trial) {
		for _, address := range []string{"127.0.0.1:9118", "unix:relative", "ftp://127.0.0.1:1", "http://user:" + secret + "@127.0.0.1:1"} {
			t.address = address
			refused(t.T, t.run("chat-1", 30), "child: ", "DIALPOINT_ADDR")
		}
	})
}

func TestE2EExamplesTellOtherServers(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	for name, example := range examples {
		if !example.tcp {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			need(t, example.needs...)
			refused(t, example.run(t, other.URL, "chat-1", 30), "child: ", other.URL, "Dialpoint")
		})
	}
}

func TestE2EExamplesFindTheDefaultSocket(t *testing.T) {
	t.Parallel()
	runtime := t.TempDir()
	site := newSite(t)
	site.unix = "unix://" + filepath.Join(runtime, "dialpoint", "dialpoint.sock")
	site.serve(t, bound)
	for name, example := range examples {
		if !example.unix {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			need(t, example.needs...)
			command := example.command(t, "chat-1", 30)
			env := append(proxied("http://"+freeAddress(t), ""), "XDG_RUNTIME_DIR="+runtime, "DIALPOINT_ADDR=")
			resolved(t, start(t, env, command[0], command[1:]...))
		})
	}
}

// The shell example hands the URLs to a command, by the environment alone.
func TestE2EShellExampleStartsACommand(t *testing.T) {
	t.Parallel()
	need(t, "curl")
	site := newSite(t)
	site.serve(t, bound)
	command := append(examples["shell"].command(t, "chat-1", 30), "sh", "-c",
		`echo "$HERMES_TUI_GATEWAY_URL"; echo "$HERMES_TUI_SIDECAR_URL"; tr '\0' ' ' </proc/$$/cmdline; echo " $1"`, "name", "an argument")
	child := start(t, append(proxied("http://"+freeAddress(t), ""), "DIALPOINT_ADDR="+site.unix), command[0], command[1:]...)
	code := exitCode(t, child)
	lines := child.Out.Lines()
	if code != 0 || len(lines) != 3 ||
		lines[0] != "ws://127.0.0.1:9119/api/ws?token="+secret ||
		lines[1] != "ws://127.0.0.1:9119/api/pub?token="+secret+"&channel=chat-1" ||
		strings.Contains(lines[2], secret) || !strings.HasSuffix(lines[2], " an argument") {
		t.Errorf("exit code %d, printed\n%s\n%s", code, &child.Out, &child.Err)
	}
}

// fetch goes through a proxy where Node is told to read the proxy variables. The example keeps its call out of it.
func TestE2EFetchExampleAvoidsTheProxy(t *testing.T) {
	t.Parallel()
	undici := "--import=" + filepath.Join(nodeDir(t), "proxied.mjs")
	site := newSite(t)
	site.serve(t, bound)
	env := append(proxied("http://"+freeAddress(t), "elsewhere.example"), "DIALPOINT_ADDR="+site.tcp, site.token())
	command := examples["node with fetch"].command(t, "chat-1", 30)
	resolved(t, start(t, env, "node", append([]string{undici}, command[1:]...)...))

	control := exec.CommandContext(t.Context(), "node", undici, "-e", "fetch(process.env.DIALPOINT_ADDR).catch((e) => console.log(e.cause.code))")
	control.Env = env
	if output, err := control.Output(); err != nil || string(output) != "ECONNREFUSED\n" {
		t.Errorf("fetch that is not told otherwise: %v, %s, want it to fail at the proxy", err, output)
	}
}
