package main_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	wildcardGateway = "ws://127.0.0.1:9119/api/ws?token=t"
	wildcardSidecar = "ws://127.0.0.1:9119/api/pub?token=t&channel=c"
)

// serveWildcard is the service of the README.
func (h home) serveWildcard(t *testing.T) *service {
	t.Helper()
	return h.serve(t, []string{"DIALPOINT_CREDENTIAL=t"}, "--bind-host", "0.0.0.0")
}

func TestExecEnvironment(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serveWildcard(t)
	urls := []string{"DIALPOINT_GATEWAY_URL=" + wildcardGateway, "HERMES_TUI_GATEWAY_URL=" + wildcardGateway}
	sidecars := []string{"DIALPOINT_SIDECAR_URL=" + wildcardSidecar, "HERMES_TUI_SIDECAR_URL=" + wildcardSidecar}
	stale := []string{"DIALPOINT_GATEWAY_URL=old", "HERMES_TUI_GATEWAY_URL=old", "DIALPOINT_SIDECAR_URL=old", "HERMES_TUI_SIDECAR_URL=old", "X=old"}
	noProxy := []string{"NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1"}
	tests := map[string]struct {
		env, flags []string
		want       []string
	}{
		"gateway":              {nil, nil, slices.Concat(urls, noProxy)},
		"with a sidecar":       {nil, []string{"--channel", "c"}, slices.Concat(urls, sidecars, noProxy)},
		"stale URLs are gone":  {stale, nil, slices.Concat(urls, noProxy, []string{"X=old"})},
		"other names":          {stale, []string{"--channel", "c", "--env", "X=gateway", "--env", "Y=sidecar"}, slices.Concat(urls, sidecars, noProxy, []string{"X=" + wildcardGateway, "Y=" + wildcardSidecar})},
		"NO_PROXY is extended": {[]string{"NO_PROXY=corp"}, nil, slices.Concat(urls, []string{"NO_PROXY=corp,127.0.0.1", "no_proxy=corp,127.0.0.1"})},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := slices.Concat([]string{"exec"}, test.flags, []string{"--", "child", "env"})
			got := strings.Split(strings.TrimSpace(h.must(t, test.env, args...)), "\n")
			want := slices.Sorted(slices.Values(slices.Concat(h.env(), test.want)))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("environment (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("pristine", func(t *testing.T) {
		t.Parallel()
		got := h.must(t, []string{"NO_PROXY=corp"}, "exec", "--pristine", "--", "child", "env")
		if want := strings.Join(slices.Sorted(slices.Values(slices.Concat(urls, noProxy))), "\n") + "\n"; got != want {
			t.Errorf("environment\n%swant\n%s", got, want)
		}
	})
}

func TestExecBecomesTheChild(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serveWildcard(t)
	command := h.command(t, nil, "exec", "child", "pid", "--flag", "a b")
	var output bytes.Buffer
	command.Stdout = &output
	mustDo(t, command.Run())
	if want := fmt.Sprintf("%d [child pid --flag a b]\n", command.Process.Pid); output.String() != want {
		t.Errorf("printed %q, want %q: the same process", &output, want)
	}
}

func TestExecExitCodes(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serveWildcard(t)
	plain := h.write(t, "plain", "no program")
	tests := map[string]struct {
		args []string
		code int
		says string
	}{
		"the child's":                     {[]string{"--", "child", "exit", "7"}, 7, ""},
		"the child's, of a parent":        {[]string{"--on-change", "ignore", "--", "child", "exit", "7"}, 7, ""},
		"128 and the signal, of a parent": {[]string{"--on-change", "restart", "--", "child", "die", "9"}, 137, ""},
		"not found":                       {[]string{"--", "no-such-program"}, 127, "no-such-program: executable file not found"},
		"not found at a path":             {[]string{"--", "./no-such-program"}, 127, "no such file"},
		"not executable":                  {[]string{"--", plain}, 126, "permission denied"},
		"no command":                      {nil, 2, "exec needs a command"},
		"bad reaction":                    {[]string{"--on-change", "panic", "--", "child"}, 2, `--on-change "panic": it must be restart, signal=NAME or ignore`},
		"bad signal":                      {[]string{"--on-change", "signal=NOPE", "--", "child"}, 2, "there is no such signal"},
		"bad variable":                    {[]string{"--env", "X", "--", "child"}, 2, `--env "X": it must be NAME=gateway or NAME=sidecar`},
		"variable without a name":         {[]string{"--env", "=gateway", "--", "child"}, 2, "the name is missing"},
		"sidecar without a channel":       {[]string{"--env", "X=sidecar", "--", "child"}, 2, "a sidecar needs --channel"},
		"bad channel":                     {[]string{"--channel", "a/b", "--", "child"}, 2, "FIELD_INVALID"},
		"no such listener":                {[]string{"--listener", "nobody", "--", "child", "exit", "0"}, 69, "LISTENER_UNKNOWN"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := h.run(t, nil, append([]string{"exec"}, test.args...)...)
			if got.code != test.code || !strings.Contains(got.stderr, test.says) || test.says == "" && got.stderr != "" {
				t.Errorf("exit %d, want %d, and %q in\n%s", got.code, test.code, test.says, got.stderr)
			}
		})
	}
}

func TestExecWithoutAService(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	got := h.run(t, nil, "exec", "--wait", "10ms", "--", "child", "env")
	if got.code != 69 || got.stdout != "" || !strings.Contains(got.stderr, "no Dialpoint service answers") {
		t.Errorf("exit %d, want 69 and no child\n%s%s", got.code, got.stdout, got.stderr)
	}
	got = h.run(t, []string{"DIALPOINT_GATEWAY_URL=old", "NO_PROXY=corp"}, "exec", "--optional", "--wait", "0", "--", "child", "env")
	if got.code != 0 || strings.Contains(got.stdout, "_URL=") || !strings.Contains(got.stdout, "NO_PROXY=corp\n") {
		t.Errorf("exit %d, want a child without URLs\n%s%s", got.code, got.stdout, got.stderr)
	}
	if !strings.Contains(got.stderr, "the child starts without URLs") {
		t.Errorf("nobody was told:\n%s", got.stderr)
	}
}

func TestExecWaitsForTheServiceAndTheListener(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	early := h.command(t, nil, "exec", "--wait", "1m", "--", "child", "wait", "0")
	lines := linesOf(t, early)
	h.write(t, "dialpoint.yaml", "listeners: [{name: default}]\n")
	s := h.serve(t, []string{"DIALPOINT_AUTH_MODE=none"}, "--config", "dialpoint.yaml")
	h.replace(t, "dialpoint.yaml", fileWith(9119))
	awaitLog(t, s, "configuration loaded", 1)
	lines.want(t, "start ws://127.0.0.1:9119/api/ws")
	mustDo(t, early.Process.Signal(syscall.SIGTERM))
	lines.want(t, "got terminated")
	mustDo(t, early.Wait())
}

// The URL holds the key to the dashboard, and every user of the machine can read the arguments of every process.
func TestExecKeepsURLsOutOfArguments(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve(t, []string{"DIALPOINT_CREDENTIAL=MARKED"}, "--bind-host", "0.0.0.0")
	parent := h.command(t, nil, "exec", "--on-change", "ignore", "--", "child", "wait", "0")
	lines := linesOf(t, parent)
	lines.want(t, "start ws://127.0.0.1:9119/api/ws?token=MARKED")
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", parent.Process.Pid))
	mustDo(t, err)
	for _, pid := range append(strings.Fields(string(children)), fmt.Sprint(parent.Process.Pid)) {
		arguments, err := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
		mustDo(t, err)
		if bytes.Contains(arguments, []byte("MARKED")) || bytes.Contains(arguments, []byte("ws://")) {
			t.Errorf("process %s shows %q", pid, arguments)
		}
	}
	mustDo(t, parent.Process.Signal(syscall.SIGTERM))
	lines.want(t, "got terminated")
	mustDo(t, parent.Wait())
}
