//go:build e2e

package e2e_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dialpoint/examples/wildcard/process"
)

// example is one of the files that a child's author copies.
type example struct {
	needs []string
	// command is how to run it with the seconds it may wait, for one channel.
	command   func(t *testing.T, channel string, seconds int) []string
	unix, tcp bool
}

// script is an example that takes CHANNEL and SECONDS.
func script(interpreter string, path ...string) func(*testing.T, string, int) []string {
	return func(_ *testing.T, channel string, seconds int) []string {
		file := filepath.Join(append([]string{root, "examples"}, path...)...)
		return []string{interpreter, file, channel, fmt.Sprint(seconds)}
	}
}

var examples = map[string]example{
	"node over a socket": {needs: []string{"node"}, command: script("node", "node", "unix.mjs"), unix: true},
	"node with fetch":    {needs: []string{"node"}, command: script("node", "node", "fetch.mjs"), tcp: true},
	"python":             {needs: []string{"python3"}, command: script("python3", "python", "child.py"), unix: true, tcp: true},
	"shell":              {needs: []string{"curl"}, command: script("sh", "shell", "child.sh"), unix: true, tcp: true},
	"go": {command: func(t *testing.T, channel string, seconds int) []string {
		t.Helper()
		return []string{done(t, buildChild), "-wait", fmt.Sprintf("%ds", seconds), channel}
	}, unix: true, tcp: true},
}

// trial is one example in a test, and where its service can be started.
type trial struct {
	*testing.T

	example example
	site    *site
	// address is the one of the site's that the example is told.
	address string
}

// eachExample runs a test for every example and every kind of address that it takes.
func eachExample(t *testing.T, test func(*trial)) {
	t.Helper()
	for name, example := range examples {
		for kind, takes := range map[string]bool{"unix": example.unix, "tcp": example.tcp} {
			if !takes {
				continue
			}
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				need(t, example.needs...)
				site := newSite(t)
				address := site.unix
				if kind == "tcp" {
					address = site.tcp
				}
				test(&trial{t, example, site, address})
			})
		}
	}
}

// run starts the example.
func (t *trial) run(channel string, seconds int) *process.Process {
	t.Helper()
	return t.example.run(t.T, t.address, channel, seconds, t.site.token())
}

// run starts the example behind proxies that nobody answers at: no call may go there.
func (e example) run(t *testing.T, address, channel string, seconds int, more ...string) *process.Process {
	t.Helper()
	command := e.command(t, channel, seconds)
	env := slices.Concat(proxied("http://"+freeAddress(t), ""), []string{"DIALPOINT_ADDR=" + address}, more)
	return start(t, env, command[0], command[1:]...)
}

// resolved checks that an example has printed what to dial, and how, and no secret.
func resolved(t *testing.T, child *process.Process) {
	t.Helper()
	code := exitCode(t, child)
	want := "gateway ws://127.0.0.1:9119/api/ws?token=REDACTED\nsidecar ws://127.0.0.1:9119/api/pub?token=REDACTED&channel=chat-1\n"
	if got := child.Out.String(); got != want || code != 0 {
		t.Errorf("exit code %d, printed\n%s\nwant\n%s\nstandard error:\n%s", code, got, want, &child.Err)
	}
	unrevealed(t, child)
}

// refused checks that an example has failed, with all of these words, and printed no secret.
func refused(t *testing.T, child *process.Process, words ...string) {
	t.Helper()
	if code := exitCode(t, child); code != 1 || child.Out.String() != "" {
		t.Errorf("exit code %d, printed %q, want exit code 1 and nothing", code, &child.Out)
	}
	for _, word := range words {
		if !strings.Contains(child.Err.String(), word) {
			t.Errorf("standard error does not hold %q:\n%s", word, &child.Err)
		}
	}
	unrevealed(t, child)
}

func unrevealed(t *testing.T, child *process.Process) {
	t.Helper()
	if strings.Contains(child.Out.String()+child.Err.String(), secret) {
		t.Errorf("the secret shows in\n%s%s", &child.Out, &child.Err)
	}
}
