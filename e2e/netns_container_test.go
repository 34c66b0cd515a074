//go:build e2e

package e2e_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// The main thread does not end with what runs on it, so that a test must not take it elsewhere: the main goroutine keeps it.
func init() { runtime.LockOSThread() } //nolint:gochecknoinits // Later it may run on another thread.

// container is a network namespace, as a container has: loopback of its own, and an interface on a network that it shares
// with others.
type container struct {
	name string
	// ipv4 and ipv6 are its addresses on that network, and published is where its ports are published there.
	ipv4, ipv6, published string
}

// pairs counts what was made, since tests run at the same time.
var pairs atomic.Int64

// newContainers are two that share a network.
func newContainers(t *testing.T) (here, there *container) {
	t.Helper()
	asRoot(t)
	attacker(t, "ip", "setpriv", "python3")
	// An interface's name has 15 bytes at most.
	prefix := fmt.Sprintf("dp%d-%d", os.Getpid(), pairs.Add(1))
	here, there = newContainer(t, prefix+"a", 1), newContainer(t, prefix+"b", 2)
	ip(t, "link", "add", here.name, "netns", here.name, "type", "veth", "peer", "name", there.name, "netns", there.name)
	here.join(t)
	there.join(t)
	return here, there
}

func newContainer(t *testing.T, name string, number int) *container {
	t.Helper()
	if output, err := exec.Command("ip", "netns", "add", name).CombinedOutput(); err != nil {
		missing(t, "no network namespace can be made: "+string(output))
	}
	t.Cleanup(func() { ip(t, "netns", "delete", name) })
	return &container{
		name: name,
		// RFC 5737 and RFC 4193: nobody else has these.
		ipv4:      fmt.Sprint("198.51.100.", number),
		ipv6:      fmt.Sprint("fd00::", number),
		published: fmt.Sprint("198.51.100.", 100+number),
	}
}

// join gives the container's interface its addresses.
func (c *container) join(t *testing.T) {
	t.Helper()
	for _, args := range [][]string{
		{"address", "add", c.ipv4 + "/24", "dev", c.name},
		{"address", "add", c.published + "/24", "dev", c.name},
		{"address", "add", c.ipv6 + "/64", "dev", c.name, "nodad"},
		{"link", "set", c.name, "up"},
		{"link", "set", "lo", "up"},
	} {
		ip(t, append([]string{"-n", c.name}, args...)...)
	}
}

func ip(t *testing.T, args ...string) {
	t.Helper()
	if output, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		t.Fatalf("ip %s: %v\n%s", strings.Join(args, " "), err, output)
	}
}

// command is how a program is run in the container, by a user that need have no name. Nil is root.
func (c *container) command(user *account, program ...string) []string {
	inside := []string{"ip", "netns", "exec", c.name}
	if user != nil {
		inside = append(inside, "setpriv", fmt.Sprint("--reuid=", user.uid), fmt.Sprint("--regid=", user.gid), "--clear-groups")
	}
	return append(inside, program...)
}

// inside does something on a thread in the container. The thread ends with it, since nothing else may run there. Sockets
// that were made there stay there.
func (c *container) inside(do func() error) error {
	namespace, err := os.Open(filepath.Join("/run/netns", c.name))
	if err != nil {
		return err
	}
	defer func() { _ = namespace.Close() }()
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET)
		if err == nil {
			err = do()
		}
		done <- err
	}()
	return <-done
}

// publish forwards a port of the container's published address to a port of its loopback, and returns the former.
func (c *container) publish(t *testing.T, port int) int {
	t.Helper()
	var listener net.Listener
	must(t, c.inside(func() (err error) {
		listener, err = net.Listen("tcp", net.JoinHostPort(c.published, "0"))
		return err
	}))
	forwarder := &forwarder{listener: listener, dial: func() (conn net.Conn, err error) {
		err = c.inside(func() error {
			conn, err = net.Dial("tcp", fmt.Sprint("127.0.0.1:", port))
			return err
		})
		return conn, err
	}}
	forwarder.start(t)
	address, _ := listener.Addr().(*net.TCPAddr)
	return address.Port
}
