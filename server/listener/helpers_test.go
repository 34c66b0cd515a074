package listener_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// first is where the registries of these tests begin to count.
const first uint64 = 100

// sameListeners lets package cmp compare listeners: hosts hide their fields and are comparable, and a lease is compared
// by what it shows.
var sameListeners = cmp.Options{cmpopts.EquateComparable(rules.Host{}), cmpopts.IgnoreUnexported(listener.Listener{})}

// config is a listener bound to a host and port. Port zero leaves it unbound.
func config(t testing.TB, name, bindHost string, port rules.Port) listener.Config {
	t.Helper()
	return listener.Config{Name: name, Listener: rules.Listener{Bind: bind(t, bindHost, port)}}
}

func bind(t testing.TB, text string, port rules.Port) rules.Bind {
	t.Helper()
	host, err := rules.ParseBindHost(text)
	if err != nil {
		t.Fatal(err)
	}
	return rules.Bind{Text: text, Host: host, Source: "flag --bind-host", Port: port}
}

// registry is a registry that is configured already: its first configuration has the revision first+1.
func registry(t testing.TB, configs ...listener.Config) *listener.Registry {
	t.Helper()
	made := listener.NewRegistry(first)
	configure(t, made, configs...)
	return made
}

func configure(t testing.TB, registry *listener.Registry, configs ...listener.Config) {
	t.Helper()
	if err := registry.Configure(configs); err != nil {
		t.Fatal(err)
	}
}

// report says something in the name of the program: without an instance, and so without an end.
func report(t testing.TB, registry *listener.Registry, name string, bind rules.Bind) {
	t.Helper()
	claim(t, registry, listener.Report{Name: name, Bind: bind})
}

// claim makes a report that must be taken.
func claim(t testing.TB, registry *listener.Registry, report listener.Report) listener.Listener {
	t.Helper()
	found, err := registry.Report(report)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// withdraw takes back what the program said.
func withdraw(t testing.TB, registry *listener.Registry, name string) {
	t.Helper()
	if err := registry.Withdraw(name, ""); err != nil {
		t.Fatal(err)
	}
}

// get is a listener that must exist.
func get(t testing.TB, registry *listener.Registry, name string) listener.Listener {
	t.Helper()
	found, ok := registry.Snapshot().Get(name)
	if !ok {
		t.Fatalf("listener %q does not exist", name)
	}
	return found
}

// revisions is the revision of every listener, by name, and of the snapshot under "".
func revisions(registry *listener.Registry) map[string]uint64 {
	snapshot := registry.Snapshot()
	found := map[string]uint64{"": snapshot.Revision}
	for _, one := range snapshot.List() {
		found[one.Name] = one.Revision
	}
	return found
}
