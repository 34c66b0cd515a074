//go:build e2e

package e2e_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	"dialpoint/examples/wildcard/dashboard"
	"dialpoint/examples/wildcard/process"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

const exitUnavailable = 69

// world is a dashboard and a service in one container, and another container beside it, which sees the same files.
type world struct {
	*stage

	here, there *container
	dashboard   *dashboard.Dashboard
	// published is the dashboard's port on the published address.
	published int
	// socket is the path of the service's, and child that of a program that dials what it finds in its environment.
	socket, child string
}

// setting is what a world is made of. A user that is not said is root.
type setting struct {
	// bind is the dashboard's host.
	bind string
	// advertises says that the published port is advertised.
	advertises bool
	// owner runs the service. allowed is a user in its serve.unix_allow.
	owner, allowed *account
	// hidden puts the service into a PID namespace of its own, in which it sees no process of others.
	hidden bool
}

// newWorld starts a service once its dashboard listens.
func newWorld(t *testing.T, is setting) *world {
	t.Helper()
	here, there := newContainers(t)
	w := &world{stage: newStage(t, is.owner), here: here, there: there}
	w.socket = filepath.Join(w.run, "dialpoint", "d.sock")
	w.listen(t, is.bind)
	w.published = w.here.publish(t, w.dashboard.Port())
	script, err := os.ReadFile(filepath.Join("testdata", "child.py"))
	must(t, err)
	w.child = w.write(t, nil, filepath.Join(w.dir, "child.py"), string(script), 0o644)
	w.serve(t, is)
	return w
}

func (w *world) listen(t *testing.T, host string) {
	t.Helper()
	must(t, w.here.inside(func() (err error) {
		w.dashboard, err = dashboard.Listen(t.Context(), "tcp", net.JoinHostPort(host, "0"), marker)
		return err
	}))
	t.Cleanup(func() { _ = w.dashboard.Close() })
}

func (w *world) serve(t *testing.T, is setting) {
	t.Helper()
	allow, advertise := "", ""
	if is.allowed != nil {
		allow = fmt.Sprintf("unix_allow: [\"user:%d\"], ", is.allowed.uid)
	}
	if is.advertises {
		advertise = fmt.Sprintf("advertise: %q, ", net.JoinHostPort(w.here.published, strconv.Itoa(w.published)))
	}
	w.write(t, is.owner, filepath.Join(w.home, "credential"), marker+"\n", 0o600)
	config := w.write(t, is.owner, filepath.Join(w.home, "dialpoint.yaml"), fmt.Sprintf(`
serve: {unix: %q, tcp: "[::]:9118", tcp_plaintext: true, %s}
listeners: [{name: default, bind: {host: %q, port: %d}, %s auth: {credential_file: credential}}]
`, w.socket, allow, is.bind, w.dashboard.Port(), advertise), 0o600)
	program := w.here.command(is.owner, w.command, "serve", "--config", config)
	command := (*account)(nil).command(t.Context(), nil, "", program[0], program[1:]...)
	if is.hidden {
		command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	}
	service, err := process.Start(command)
	must(t, err)
	t.Cleanup(func() { must(t, service.Stop()) })
	_, err = service.Await(waiting(t), &service.Out, "listener default")
	must(t, err)
}

// ask runs the command in a container against one of the service's addresses.
func (w *world) ask(t *testing.T, from *container, user *account, subcommand, address string, args ...string) outcome {
	t.Helper()
	program := []string{w.command, subcommand, "--addr", address}
	if strings.HasPrefix(address, "http") {
		program = append(program, "--token-file", filepath.Join(filepath.Dir(w.socket), "child.token"))
	}
	command := from.command(user, append(program, args...)...)
	return (*account)(nil).run(t, nil, "", command[0], command[1:]...)
}

// reaches checks where a caller is sent and by which rule, and has a child dial that from where the caller is.
func (w *world) reaches(t *testing.T, from *container, user *account, address, target string, rule dialpointv1.Rule, audience dialpointv1.Audience) {
	t.Helper()
	resolved := w.ask(t, from, user, "resolve", address, "-o", "json")
	answer := new(dialpointv1.ResolveEndpointsResponse)
	if err := protojson.Unmarshal([]byte(resolved.out), answer); err != nil {
		t.Fatalf("exit %d, %v\n%s", resolved.code, err, resolved.text())
	}
	url, why := answer.GetEndpoints().GetGateway().GetBareUrl(), answer.GetEndpoints().GetExplanation()
	if url != "ws://"+target+dashboard.GatewayPath || why.GetRule() != rule || why.GetAudience() != audience {
		t.Errorf("resolved to %s by %v for %v, want %s by %v for %v", url, why.GetRule(), why.GetAudience(), target, rule, audience)
	}
	child := w.ask(t, from, user, "exec", address, "--", "python3", w.child)
	if child.code != 0 || !strings.Contains(child.out, dashboard.Ready) {
		t.Errorf("the child: exit %d, want that it connects\n%s", child.code, child.text())
	}
	select {
	case visit := <-w.dashboard.Visits():
		if visit.Host != target {
			t.Errorf("the dashboard was called %s, want %s", visit.Host, target)
		}
	default:
		t.Error("the dashboard was not reached")
	}
}

// isRefused checks that a caller is sent nowhere, and told what to set.
func (w *world) isRefused(t *testing.T, from *container, user *account, address, problem string) {
	t.Helper()
	for _, subcommand := range [][]string{{"resolve"}, {"exec", "--", "env"}} {
		got := w.ask(t, from, user, subcommand[0], address, subcommand[1:]...)
		if got.code != exitUnavailable || !strings.Contains(got.text(), problem) || !strings.Contains(got.text(), "DIALPOINT_ADVERTISE") {
			t.Errorf("%s: exit %d, want %d, %q and advice\n%s", subcommand[0], got.code, exitUnavailable, problem, got.text())
		}
		if strings.Contains(got.text(), "ws://") || strings.Contains(got.text(), marker) {
			t.Errorf("%s: a URL was handed out\n%s", subcommand[0], got.text())
		}
	}
}
