package doctor_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dialpoint/client"
	"dialpoint/cmd/dialpoint/doctor"
	"dialpoint/cmd/dialpoint/doctor/patient"
	"dialpoint/examples/wildcard/dashboard"
	"dialpoint/server"
	"dialpoint/server/rules"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// connectTo is a client of a service that serves these listeners on a unix socket until the test ends.
func connectTo(t *testing.T, listeners ...server.Listener) *client.Client {
	t.Helper()
	var options []server.Option
	for _, listener := range listeners {
		options = append(options, server.WithListener(listener))
	}
	service, err := server.New(options...)
	must(t, err)
	socket := listenUnix(t)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- service.Serve(ctx, socket) }()
	t.Cleanup(func() {
		stop()
		must(t, <-ended)
	})
	return newClient(t, socket)
}

// listenUnix is a socket in a directory with a short path: that of a socket has room for 107 bytes.
func listenUnix(t *testing.T) net.Listener {
	t.Helper()
	dir, err := os.MkdirTemp("", "dp") //nolint:usetesting // See above.
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	socket, err := net.Listen("unix", filepath.Join(dir, "s"))
	must(t, err)
	return socket
}

func newClient(t *testing.T, socket net.Listener) *client.Client {
	t.Helper()
	c, err := client.New("unix://" + socket.Addr().String())
	must(t, err)
	c.Patience = -1
	t.Cleanup(c.Close)
	return c
}

// doctorFor examines what a service hands out, for children with an environment.
func doctorFor(service *client.Client, env map[string]string) *doctor.Doctor {
	return &doctor.Doctor{Service: service, Env: lookupIn(env)}
}

func lookupIn(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, set := env[name]
		return value, set
	}
}

// examine is the report about a listener, for children with an empty environment.
func examine(t *testing.T, listener server.Listener) doctor.Report {
	t.Helper()
	return examineBy(t, listener, doctorWith(""))
}

// examineBy is the same by a doctor with timeouts of its own.
func examineBy(t *testing.T, listener server.Listener, examiner *doctor.Doctor) doctor.Report {
	t.Helper()
	examiner.Service = connectTo(t, listener)
	return examiner.Examine(t.Context(), client.Request{Channel: "chat-1"})
}

// doctorWith has all the time that a dashboard of a kind may need, and little for one that is known to answer nothing.
func doctorWith(kind string) *doctor.Doctor {
	examiner := &doctor.Doctor{ConnectTimeout: time.Minute, UpgradeTimeout: time.Minute, FarewellTimeout: time.Minute}
	switch kind {
	case "silent":
		examiner.UpgradeTimeout = 200 * time.Millisecond
	case "stubborn":
		examiner.FarewellTimeout = 200 * time.Millisecond
	}
	return examiner
}

// startPatient runs an ill dashboard until the test ends.
func startPatient(t *testing.T, kind string) *patient.Patient {
	t.Helper()
	p, err := patient.Start(kind)
	must(t, err)
	t.Cleanup(func() { must(t, p.Close()) })
	return p
}

// startDashboard runs a dashboard that is well until the test ends. It skips a test for which there is no IPv6.
func startDashboard(t *testing.T, network, address, token string) int {
	t.Helper()
	d, err := dashboard.Listen(t.Context(), network, address, token)
	if err != nil && network == "tcp6" {
		t.Skipf("IPv6 is not to be had here: %v", err)
	}
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	return d.Port()
}

// boundTo is a listener on 127.0.0.1.
func boundTo(t *testing.T, port string) server.Listener {
	t.Helper()
	number, err := strconv.Atoi(port)
	must(t, err)
	return server.Listener{Bind: server.Bind{Host: "127.0.0.1", Port: number}}
}

// openTo is the same of a dashboard that wants no credential.
func openTo(t *testing.T, port string) server.Listener {
	t.Helper()
	listener := boundTo(t, port)
	listener.AuthMode = rules.AuthNone
	return listener
}

// closedPort is one at which nothing listens. It is that of a connection, which nobody else gets until the test ends.
func closedPort(t *testing.T) string {
	t.Helper()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { must(t, socket.Close()) })
	conn, err := net.Dial("tcp", socket.Addr().String())
	must(t, err)
	t.Cleanup(func() { must(t, conn.Close()) })
	_, port, err := net.SplitHostPort(conn.LocalAddr().String())
	must(t, err)
	return port
}

// only is the one check of a name and, where it is said, an endpoint or a client.
func only(t *testing.T, report doctor.Report, name, about string) doctor.Check {
	t.Helper()
	var found []doctor.Check
	for _, check := range report.Checks {
		if check.Name == name && (about == "" || about == check.Endpoint || about == check.Client) {
			found = append(found, check)
		}
	}
	if len(found) != 1 {
		t.Fatalf("there are %d checks %s %s, want 1, in %+v", len(found), name, about, report.Checks)
	}
	return found[0]
}

var portOfLoopback = regexp.MustCompile(`((?:127\.0\.0\.1|\[::1\]):)\d+`)

// withoutPort is a text whose ports are not those of this run.
func withoutPort(text string) string { return portOfLoopback.ReplaceAllString(text, "${1}PORT") }
