//go:build e2e

package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"dialpoint/examples/wildcard/process"
)

// TestE2EMarkedSecrets: whatever is done with a service, right or wrong, no secret shows but in the URLs that were asked
// for.
func TestE2EMarkedSecrets(t *testing.T) {
	t.Parallel()
	attacker(t, "grpcurl", "curl")
	m := startMarked(t)
	watch := m.watches(t)
	m.runsCommands(t)
	m.runsExec(t)
	m.callsWrongly(t)
	m.asksHealth(t)
	m.isMisconfigured(t)
	m.reloadsBroken(t)
	m.findsSecretsInURLs(t)
	m.add("watch", watch.Out.String()+watch.Err.String())
	m.arguments(t, "watch", watch.PID())
	m.arguments(t, "serve", m.PID())
	m.dies(t)
	m.files(t, m.home, m.vault)
	m.shows(t, m.secrets)
}

// runs keeps what a dialpoint writes.
func (m *marked) runs(t *testing.T, args ...string) outcome {
	t.Helper()
	return m.ran("dialpoint "+strings.Join(args, " "), (*account)(nil).run(t, m.env(), "", m.command, args...))
}

// runsCommands in each way to the service, whether or not they may.
func (m *marked) runsCommands(t *testing.T) {
	t.Helper()
	for who, how := range m.how {
		for _, command := range [][]string{
			{"resolve"},
			{"resolve", "--channel", "chat-1"},
			{"resolve", "-o", "json"},
			{"resolve", "--channel", "chat-1", "-o", "json"},
			{"resolve", "--audience", "remote"},
			{"resolve", "--listener", "nobody"},
			{"resolve", "--channel", "a/b"},
			{"resolve", "--wait", "10m"},
			{"resolve", "-o", "nothing"},
			{"watch", "--listener", "nobody"},
			{"watch", "--channel", "a/b"},
			{"exec", "--listener", "nobody", "--wait", "100ms", "--", "true"},
			{"listeners"},
			{"listeners", "-o", "json"},
		} {
			came := m.runs(t, append(slices.Clone(command), how...)...)
			if command[0] == "resolve" && len(command) == 1 {
				mayResolve := who != "guess" && who != "nobody"
				if mayResolve != (came.code == 0) {
					t.Errorf("%s resolves: exit %d\n%s", who, came.code, came.text())
				}
			}
		}
	}
	for _, command := range [][]string{{"config", "show", "--origin"}, {"config", "show"}, {"config", "check"}} {
		if came := m.runs(t, append(command, "--config", m.config)...); came.code != 0 {
			t.Errorf("%q: exit %d\n%s", command, came.code, came.text())
		}
	}
}

// watches until the test ends.
func (m *marked) watches(t *testing.T) *process.Process {
	t.Helper()
	watch := (*account)(nil).start(t, m.env(), m.command, append([]string{"watch", "--channel", "chat-1"}, m.how["child"]...)...)
	_, err := watch.Await(waiting(t), &watch.Out, "endpoints")
	must(t, err)
	return watch
}

// runsExec with a child that holds its URL, and shows it to nobody.
func (m *marked) runsExec(t *testing.T) {
	t.Helper()
	args := append([]string{"exec", "--channel", "chat-1", "--on-change", "ignore"}, m.how["child"]...)
	exec := (*account)(nil).start(t, m.env(), m.command, append(args, "--", "sh", "-c", stayingChild)...)
	line, err := exec.Await(waiting(t), &exec.Out, "child ")
	must(t, err)
	child, err := strconv.Atoi(strings.TrimPrefix(line, "child "))
	must(t, err)
	m.arguments(t, "exec", exec.PID())
	m.arguments(t, "exec's child", child)
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", child))
	must(t, err)
	if got := m.secrets.in(string(environment)); !slices.Equal(got, []string{"the credential"}) {
		t.Errorf("the child's environment holds %v, want the credential alone", got)
	}
	must(t, exec.Stop())
	m.add("exec", exec.Out.String()+exec.Err.String())
}

// findsSecretsInURLs that were asked for: what looks for secrets finds them where they are.
func (m *marked) findsSecretsInURLs(t *testing.T) {
	t.Helper()
	for _, how := range []string{"socket", "child", "operator"} {
		for _, command := range [][]string{
			{"resolve", "-o", "url"},
			{"resolve", "-o", "url", "--sidecar", "--channel", "chat-1"},
			{"resolve", "-o", "env"},
			{"resolve", "--reveal"},
			{"resolve", "-o", "json", "--reveal"},
			{"exec", "--channel", "chat-1"},
		} {
			args := append(slices.Clone(command), m.how[how]...)
			if command[0] == "exec" {
				args = append(args, "--", "env")
			}
			came := (*account)(nil).run(t, m.env(), "", m.command, args...)
			if got := m.secrets.in(came.text()); came.code != 0 || !slices.Equal(got, []string{"the credential"}) {
				t.Errorf("%q: exit %d, shows %v, want the credential alone\n%s", args, came.code, got, came.errors)
			}
		}
	}
}

// dies as a program with a fault does, with all its goroutines' stacks.
func (m *marked) dies(t *testing.T) {
	t.Helper()
	must(t, syscall.Kill(m.PID(), syscall.SIGQUIT))
	_ = m.Wait()
	log := m.Err.String()
	m.add("log of serve", m.Out.String()+log)
	for _, want := range []string{"level=DEBUG", "level=ERROR", "goroutine 1 "} {
		if !strings.Contains(log, want) {
			t.Errorf("the log has no %q", want)
		}
	}
	_, err := os.Stat(filepath.Join(m.vault, "credential"))
	must(t, err)
}
