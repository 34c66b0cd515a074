package probe_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"dialpoint/server/listener"
	"dialpoint/server/probe"
	"dialpoint/server/rules"
)

// The errors that connecting may end with.
var (
	errRefused   = os.NewSyscallError("connect", syscall.ECONNREFUSED)
	errForbidden = os.NewSyscallError("connect", syscall.EPERM)
	errNoFamily  = os.NewSyscallError("connect", syscall.EADDRNOTAVAIL)
	// errSilent is nobody's error: no answer comes at all.
	errSilent = errors.New("no answer")
)

// network is a machine on synthetic time, where connecting ends as the test says.
type network struct {
	begin time.Time

	mu sync.Mutex
	// ipv4 and ipv6 are how connecting to a port of 127.0.0.1 and of ::1 ends. The last one stays.
	ipv4, ipv6 map[rules.Port][]error
	// calls are what was connected to and when, since the test last asked.
	calls []string
	// now is how many connect to a port at this moment.
	now map[uint16]int
}

func newNetwork() *network {
	return &network{begin: time.Now(), ipv4: map[rules.Port][]error{}, ipv6: map[rules.Port][]error{}, now: map[uint16]int{}}
}

// answers says how connecting to a port will end. A port of which nothing was said refuses.
func (n *network) answers(port rules.Port, ipv4, ipv6 []error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ipv4[port], n.ipv6[port] = ipv4, ipv6
}

func (n *network) connect(ctx context.Context, address netip.AddrPort) error {
	err := n.begins(address)
	defer n.ends(address)
	if !errors.Is(err, errSilent) {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

func (n *network) begins(address netip.AddrPort) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls = append(n.calls, fmt.Sprintf("%v %v", time.Since(n.begin), address))
	if n.now[address.Port()]++; n.now[address.Port()] > 1 {
		n.calls = append(n.calls, "two at a time")
	}
	script := n.ipv4
	if address.Addr().Is6() {
		script = n.ipv6
	}
	port := rules.Port(address.Port())
	switch next := script[port]; len(next) {
	case 0:
		return errRefused
	case 1:
		return next[0]
	default:
		script[port] = next[1:]
		return next[0]
	}
}

func (n *network) ends(address netip.AddrPort) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.now[address.Port()]--
}

// called is what was connected to since the last call, once everything has come to rest.
func (n *network) called() []string {
	synctest.Wait()
	n.mu.Lock()
	defer n.mu.Unlock()
	calls := n.calls
	n.calls = nil
	return calls
}

// scene is a prober that runs on a network.
type scene struct {
	*testing.T
	*network

	registry *listener.Registry
	prober   *probe.Prober
	found    <-chan string
	stop     func()
}

// play runs a test on synthetic time. The default listener is bound like that before the prober begins.
func play(t *testing.T, bind rules.Bind, set func(*network), test func(t *scene)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		set(network)
		log, found := newFindings()
		registry := registry(t, bind)
		prober := probe.New(registry, log)
		prober.SetConnect(network.connect)
		test(&scene{t, network, registry, prober, found, run(t, prober)})
	})
}

// nothing is a network on which everything refuses.
func nothing(*network) {}

// ipv6Alone is one on which a port answers on ::1 and refuses on 127.0.0.1, both is one where it answers on both.
func ipv6Alone(port rules.Port) func(*network) {
	return func(n *network) { n.answers(port, []error{errRefused}, []error{nil}) }
}

func both(port rules.Port) func(*network) {
	return func(n *network) { n.answers(port, []error{nil}, []error{nil}) }
}

// pass lets time go by.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}
