//go:build e2e

package e2e_test

import (
	"net"
	"strconv"
	"testing"

	"dialpoint/examples/wildcard/dashboard"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// Where the service of a world listens, seen from its own container.
const (
	overLoopback     = "http://127.0.0.1:9118"
	overIPv6Loopback = "http://[::1]:9118"
)

const (
	byLoopback   = dialpointv1.Rule_RULE_WILDCARD_TO_LOOPBACK
	byReached    = dialpointv1.Rule_RULE_WILDCARD_TO_REACHED_ADDRESS
	byAdvertised = dialpointv1.Rule_RULE_ADVERTISED
	byBindHost   = dialpointv1.Rule_RULE_BIND_HOST

	isLocal  = dialpointv1.Audience_AUDIENCE_LOCAL
	isRemote = dialpointv1.Audience_AUDIENCE_REMOTE
)

// What a refusal says is the matter.
const (
	notOverTCP   = "the caller did not come over TCP"
	onlyLoopback = "it listens on loopback only"
	onlyIPv4     = "it listens on IPv4 only"
)

func (w *world) overUnix() string { return "unix://" + w.socket }

// overTCP and overIPv6 are where the service is for other containers.
func (w *world) overTCP() string  { return "http://" + net.JoinHostPort(w.here.ipv4, "9118") }
func (w *world) overIPv6() string { return "http://" + net.JoinHostPort(w.here.ipv6, "9118") }

// inner is the dashboard's own port on a host.
func (w *world) inner(host string) string {
	return net.JoinHostPort(host, strconv.Itoa(w.dashboard.Port()))
}

// outer is its published port.
func (w *world) outer() string { return net.JoinHostPort(w.here.published, strconv.Itoa(w.published)) }

func TestE2ETwoContainers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{bind: "0.0.0.0"})
	for _, address := range []string{w.overUnix(), overLoopback, overIPv6Loopback} {
		w.reaches(t, w.here, nil, address, w.inner("127.0.0.1"), byLoopback, isLocal)
	}
	w.reaches(t, w.there, nil, w.overTCP(), w.inner(w.here.ipv4), byReached, isRemote)
	w.isRefused(t, w.there, nil, w.overIPv6(), onlyIPv4)
	w.isRefused(t, w.there, nil, w.overUnix(), notOverTCP)
}

func TestE2ETwoContainersOverIPv6(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{bind: "::"})
	w.reaches(t, w.here, nil, w.overUnix(), w.inner("127.0.0.1"), byLoopback, isLocal)
	w.reaches(t, w.there, nil, w.overIPv6(), w.inner(w.here.ipv6), byReached, isRemote)
	w.reaches(t, w.there, nil, w.overTCP(), w.inner(w.here.ipv4), byReached, isRemote)
	w.isRefused(t, w.there, nil, w.overUnix(), notOverTCP)
}

// What is advertised is for the other container, over the socket that it shares too, and its children dial the published
// port.
func TestE2ETwoContainersAdvertised(t *testing.T) {
	t.Parallel()
	for _, bind := range []string{"0.0.0.0", "127.0.0.1"} {
		t.Run(bind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setting{bind: bind, advertises: true})
			rule := map[string]dialpointv1.Rule{"0.0.0.0": byLoopback, "127.0.0.1": byBindHost}[bind]
			for _, address := range []string{w.overUnix(), overLoopback} {
				w.reaches(t, w.here, nil, address, w.inner("127.0.0.1"), rule, isLocal)
			}
			for _, address := range []string{w.overUnix(), w.overTCP(), w.overIPv6()} {
				w.reaches(t, w.there, nil, address, w.outer(), byAdvertised, isRemote)
			}
		})
	}
}

func TestE2ETwoContainersLoopbackListener(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{bind: "127.0.0.1"})
	w.reaches(t, w.here, nil, w.overUnix(), w.inner("127.0.0.1"), byBindHost, isLocal)
	for _, address := range []string{w.overUnix(), w.overTCP(), w.overIPv6()} {
		w.isRefused(t, w.there, nil, address, onlyLoopback)
	}
}

// A listener on one address of the network needs neither advice nor a rule.
func TestE2ETwoContainersBindHost(t *testing.T) {
	t.Parallel()
	const first = "198.51.100.1"
	w := newWorld(t, setting{bind: first})
	w.reaches(t, w.here, nil, w.overUnix(), w.inner(first), byBindHost, isLocal)
	w.reaches(t, w.there, nil, w.overUnix(), w.inner(first), byBindHost, isRemote)
}

// What the caller says still counts more than what its connection shows.
func TestE2ETwoContainersSaidAudience(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{bind: "0.0.0.0", advertises: true})
	for _, said := range []struct {
		from             *container
		audience, target string
	}{
		{w.here, "remote", w.outer()},
		{w.there, "local", w.inner("127.0.0.1")},
	} {
		got := w.ask(t, said.from, nil, "resolve", w.overUnix(), "--audience", said.audience, "-o", "url")
		if want := "ws://" + said.target + dashboard.GatewayPath + "?token=" + marker + "\n"; got.code != 0 || got.out != want {
			t.Errorf("%s: exit %d, want %s\n%s", said.audience, got.code, want, got.text())
		}
	}
}

// The kernel tells of every caller, whether or not the service may look into its process. The containers of one pod share
// a network, and see no process of each other.
func TestE2ETwoContainersOtherUsers(t *testing.T) {
	t.Parallel()
	// Numbers of nobody are enough.
	owner, stranger := &account{uid: 61_235, gid: 61_235}, &account{uid: 61_236, gid: 61_236}
	for name, is := range map[string]setting{
		"service of root":          {allowed: stranger},
		"service of another":       {allowed: stranger, owner: owner},
		"service that sees nobody": {allowed: stranger, hidden: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			is.bind = "0.0.0.0"
			w := newWorld(t, is)
			for _, user := range []*account{nil, stranger} {
				w.reaches(t, w.here, user, w.overUnix(), w.inner("127.0.0.1"), byLoopback, isLocal)
				w.isRefused(t, w.there, user, w.overUnix(), notOverTCP)
			}
		})
	}
}
