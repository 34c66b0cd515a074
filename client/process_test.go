package client_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/server"
)

// dashboardCommand, as the first argument, makes the test binary a dashboard: the address of the service, the instance,
// and the time to live follow, the latter with a "!" behind it for a takeover.
const dashboardCommand = "dashboard"

// runDashboard holds the listener until the lease is lost or its standard input ends. It says how that went, and before that on which port it listens.
func runDashboard(address, instance, ttl string) string {
	socket, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err.Error()
	}
	report, err := client.ReportOf(socket, "127.0.0.1")
	if err != nil {
		return err.Error()
	}
	ttl, report.Takeover = strings.CutSuffix(ttl, "!")
	report.InstanceID = instance
	if report.TTL, err = time.ParseDuration(ttl); err != nil {
		return err.Error()
	}
	lease, err := (&client.Client{Addr: address, Patience: time.Minute}).Hold(context.Background(), report)
	if err != nil {
		return err.Error()
	}
	_, _ = fmt.Fprintln(os.Stdout, report.Port)
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		_ = lease.Close()
	}()
	<-lease.Done()
	return fmt.Sprint("over: ", lease.Err())
}

// dashboard is a process that holds the listener.
type dashboard struct {
	t       *testing.T
	process *exec.Cmd
	input   io.Closer
	output  *bufio.Scanner
}

// startDashboard starts one, which is killed when the test ends. It may take its time to have the listener.
func startDashboard(t *testing.T, address, instance, ttl string) *dashboard {
	t.Helper()
	process := exec.CommandContext(t.Context(), os.Args[0], dashboardCommand, address, instance, ttl)
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	input, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err = process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
	})
	return &dashboard{t, process, input, bufio.NewScanner(output)}
}

// line is the next that it says.
func (d *dashboard) line() string {
	d.t.Helper()
	if !d.output.Scan() {
		d.t.Fatal("the dashboard says nothing more: ", d.output.Err())
	}
	return d.output.Text()
}

func (d *dashboard) signal(signal syscall.Signal) {
	d.t.Helper()
	if err := d.process.Process.Signal(signal); err != nil {
		d.t.Fatal(err)
	}
}

// end asks it to end in order.
func (d *dashboard) end() {
	d.t.Helper()
	if err := d.input.Close(); err != nil {
		d.t.Fatal(err)
	}
}

// follower follows what children are told to dial.
type follower struct {
	t    *testing.T
	next func() (*dialpointv1.WatchEndpointsResponse, error, bool)
}

func follow(t *testing.T, address string) *follower {
	t.Helper()
	next, stop := iter.Pull2(connectTo(t, address).Watch(t.Context(), client.Request{}))
	t.Cleanup(stop)
	return &follower{t, next}
}

// said is the next that children are told: a port, or why there is none.
func (f *follower) said() string {
	f.t.Helper()
	update, err, _ := f.next()
	switch {
	case err != nil:
		f.t.Fatal(err)
	case update.GetEndpoints() != nil:
		return fmt.Sprint(update.GetEndpoints().GetExplanation().GetDialPort())
	}
	return update.GetUnavailable().GetReason()
}

// want fails the test unless the next that children are told is this.
func (f *follower) want(port string) {
	f.t.Helper()
	if got := f.said(); got != port {
		f.t.Fatalf("children are told %s, want %s", got, port)
	}
}

// await returns once children are told a port. That there was none before it, a child may miss.
func (f *follower) await(port string) {
	f.t.Helper()
	switch got := f.said(); got {
	case port:
	case noPort:
		f.want(port)
	default:
		f.t.Fatalf("children are told %s, want %s", got, port)
	}
}

const noPort = string(client.ReasonListenerNotBound)

// shortLease is one whose end is waited for. It is long enough for a dashboard on a machine that has much to do to renew it.
const shortLease = 3 * time.Second

// leaseEnd is when the lease of a dashboard ends that renews it no more.
func leaseEnd(t *testing.T, service *server.Server) time.Time {
	t.Helper()
	end := service.Listeners()[0].LeaseExpires()
	if left := time.Until(end); left > shortLease {
		t.Errorf("the lease lasts for another %s, want %s at most", left, shortLease)
	}
	return end
}

// wantPast fails the test where something has come before its time, or long after.
func wantPast(t *testing.T, end time.Time) {
	t.Helper()
	if late := time.Since(end); !end.IsZero() && (late < 0 || late > time.Minute) {
		t.Errorf("it came %s after the end of the lease", late)
	}
}

// wantSoon fails the test when what was done has taken as long as if it had waited for the end of a lease of an hour.
func wantSoon(t *testing.T, begin time.Time) {
	t.Helper()
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("took %s", took)
	}
}

// followed is a service whose listener nobody has bound, with children that follow it.
func followed(t *testing.T) (service *server.Server, address string, children *follower) {
	t.Helper()
	socket := listenUnix(t)
	service, _ = startService(t, socket)
	address = addressOf(socket)
	children = follow(t, address)
	children.want(noPort)
	return service, address, children
}

// TestDashboardIsKilled: children are told within the lease.
func TestDashboardIsKilled(t *testing.T) {
	t.Parallel()
	service, address, children := followed(t)
	dashboard := startDashboard(t, address, "i", shortLease.String())
	children.want(dashboard.line())
	dashboard.signal(syscall.SIGKILL)
	end := leaseEnd(t, service)
	children.want(noPort)
	wantPast(t, end)
}

// TestDashboardIsReplaced: one that waits for the lease of a dead one to end is served as soon as it has.
func TestDashboardIsReplaced(t *testing.T) {
	t.Parallel()
	service, address, children := followed(t)
	old := startDashboard(t, address, "old", shortLease.String())
	children.want(old.line())
	old.signal(syscall.SIGKILL)
	end := leaseEnd(t, service)
	fresh := startDashboard(t, address, "new", shortLease.String())
	port := fresh.line()
	wantPast(t, end)
	if got := holderOf(service); got.instance != "new" || fmt.Sprint(got.port) != port {
		t.Errorf("the listener is held by %v, want new on port %s", got, port)
	}
	children.await(port)
}

// TestDashboardIsKilledAndTakenOver: with takeover nobody waits for the end of the lease.
func TestDashboardIsKilledAndTakenOver(t *testing.T) {
	t.Parallel()
	_, address, children := followed(t)
	old := startDashboard(t, address, "old", "1h")
	children.want(old.line())
	begin := time.Now()
	old.signal(syscall.SIGKILL)
	children.want(startDashboard(t, address, "new", "1h!").line())
	wantSoon(t, begin)
}

// TestDashboardIsStopped: one that comes to itself after its lease has ended, and finds another in its place, is refused,
// and says by whom. It changes nothing.
func TestDashboardIsStopped(t *testing.T) {
	t.Parallel()
	service, address, children := followed(t)
	old := startDashboard(t, address, "old", shortLease.String())
	children.want(old.line())
	old.signal(syscall.SIGSTOP)
	end := leaseEnd(t, service)
	children.want(noPort)
	wantPast(t, end)
	fresh := startDashboard(t, address, "new", "1h")
	port := fresh.line()
	children.want(port)
	old.signal(syscall.SIGCONT)
	wantMessage(t, old.line(), `over: aborted (LISTENER_HELD): instance "old" has lost its lease: listener "default" is held by instance "new", whose lease ends at `)
	if err := old.process.Wait(); err != nil {
		t.Errorf("the dashboard that was refused ends with %v", err)
	}
	if got := holderOf(service); got.instance != "new" || fmt.Sprint(got.port) != port {
		t.Errorf("the listener is held by %v, want new on port %s", got, port)
	}
}

// TestDashboardIsStoppedAlone: one that finds its place free goes on where it was.
func TestDashboardIsStoppedAlone(t *testing.T) {
	t.Parallel()
	_, address, children := followed(t)
	old := startDashboard(t, address, "old", shortLease.String())
	port := old.line()
	children.want(port)
	old.signal(syscall.SIGSTOP)
	children.want(noPort)
	begin := time.Now()
	old.signal(syscall.SIGCONT)
	children.want(port)
	wantSoon(t, begin)
}

// TestDashboardEnds: children are told at once, however long its lease would have been.
func TestDashboardEnds(t *testing.T) {
	t.Parallel()
	_, address, children := followed(t)
	dashboard := startDashboard(t, address, "i", "1h")
	children.want(dashboard.line())
	begin := time.Now()
	dashboard.end()
	children.want(noPort)
	wantSoon(t, begin)
	if got := dashboard.line(); got != "over: <nil>" {
		t.Errorf("it said %q", got)
	}
}
