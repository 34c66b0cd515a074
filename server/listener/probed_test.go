package listener_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// onWildcard is a registry whose default listener is configured on "::".
func onWildcard(t testing.TB) *listener.Registry {
	t.Helper()
	made := registry(t, config(t, "default", "::", 9119), config(t, "other", "::", 9119))
	t.Cleanup(made.Close)
	return made
}

// onlyIPv6 reports whether local children of the default listener are sent to ::1.
func onlyIPv6(t testing.TB, registry *listener.Registry) bool {
	t.Helper()
	endpoints, err := rules.Resolve(get(t, registry, "").Listener, rules.Caller{Audience: rules.Local})
	if err != nil {
		t.Fatal(err)
	}
	return endpoints.Explanation.DialHost.String() == "::1"
}

func TestSetProbed(t *testing.T) {
	t.Parallel()
	registry := onWildcard(t)
	before, watch := get(t, registry, ""), registry.Watch("")
	defer watch.Close()
	steps := []struct {
		name     string
		onlyIPv6 bool
		revision uint64
	}{
		{"nothing new", false, first + 1},
		{"IPv6 alone", true, first + 2},
		{"IPv6 alone again", true, first + 2},
		{"IPv4 too", false, first + 3},
	}
	for _, step := range steps {
		last := registry.Snapshot().Revision
		if !registry.SetProbed(before, step.onlyIPv6) {
			t.Errorf("%s: it does not count", step.name)
		}
		found := get(t, registry, "")
		if onlyIPv6(t, registry) != step.onlyIPv6 || found.Revision != step.revision || noticed(watch) != (last != step.revision) {
			t.Errorf("%s: %+v", step.name, found)
		}
		found.Bind.OnlyIPv6Answers, found.Revision = false, before.Revision
		if diff := cmp.Diff(before, found, sameListeners); diff != "" {
			t.Errorf("%s: it has changed more than that: -was +is\n%s", step.name, diff)
		}
		if get(t, registry, "other").Revision != first+1 {
			t.Errorf("%s: another listener has changed, too", step.name)
		}
	}
}

// What a probe found goes with the bind and with who holds it, and stays through all else.
func TestProbedIsForgotten(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		do   func(t *testing.T, registry *listener.Registry)
		kept bool
	}{
		"the same configuration": {func(t *testing.T, registry *listener.Registry) {
			t.Helper()
			configure(t, registry, config(t, "default", "::", 9119))
		}, true},
		"another base path": {func(t *testing.T, registry *listener.Registry) {
			t.Helper()
			changed := config(t, "default", "::", 9119)
			changed.BasePath, changed.Auth.Credential = "/hermes", rules.NewSecret("t")
			configure(t, registry, changed)
		}, true},
		"another port, and back": {func(t *testing.T, registry *listener.Registry) {
			t.Helper()
			configure(t, registry, config(t, "default", "::", 9000))
			configure(t, registry, config(t, "default", "::", 9119))
		}, false},
		"removed, and back": {func(t *testing.T, registry *listener.Registry) {
			t.Helper()
			configure(t, registry)
			configure(t, registry, config(t, "default", "::", 9119))
		}, false},
		"TLS": {func(t *testing.T, registry *listener.Registry) {
			t.Helper()
			changed := config(t, "default", "::", 9119)
			changed.Bind.TLS = true
			configure(t, registry, changed)
		}, false},
		"a report of the same": {func(t *testing.T, registry *listener.Registry) {
			t.Helper()
			report(t, registry, "", bind(t, "::", 9119))
		}, false},
		"a report, and its end": {func(t *testing.T, registry *listener.Registry) {
			t.Helper()
			report(t, registry, "", bind(t, "::", 9119))
			withdraw(t, registry, "")
		}, false},
		"claimed by whoever configures": {func(t *testing.T, registry *listener.Registry) {
			t.Helper()
			changed := config(t, "default", "::", 9000)
			changed.Bind.OnlyIPv6Answers = true
			configure(t, registry, changed)
		}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			registry := onWildcard(t)
			wantKept(t, registry, get(t, registry, ""), test.do, test.kept)
		})
	}
}

// wantKept checks whether what was found of a listener outlasts what is done, and still counts if it is found then.
func wantKept(t *testing.T, registry *listener.Registry, probed listener.Listener, do func(*testing.T, *listener.Registry), kept bool) {
	t.Helper()
	registry.SetProbed(probed, true)
	do(t, registry)
	if got := onlyIPv6(t, registry); got != kept {
		t.Errorf("kept: %t", got)
	}
	if counts := registry.SetProbed(probed, true); counts != kept {
		t.Errorf("what is found late counts: %t", counts)
	}
}

// A renewal keeps what was found. The end of the lease, a takeover and another bind do not, though they say the same.
func TestProbedOfALease(t *testing.T) {
	t.Parallel()
	reported := func(instance string) listener.Report {
		return listener.Report{InstanceID: instance, Bind: bind(t, "::", 9119), TTL: 15 * time.Second, Takeover: true}
	}
	tests := map[string]struct {
		do   func(t *testing.T, registry *listener.Registry)
		kept bool
	}{
		"a renewal": {func(t *testing.T, registry *listener.Registry) {
			t.Helper()
			pass(time.Second)
			claim(t, registry, reported("a"))
		}, true},
		"a takeover": {func(t *testing.T, registry *listener.Registry) { t.Helper(); claim(t, registry, reported("b")) }, false},
		"the end":    {func(t *testing.T, _ *listener.Registry) { t.Helper(); pass(15 * time.Second) }, false},
		"the end, and again": {func(t *testing.T, registry *listener.Registry) {
			t.Helper()
			pass(15 * time.Second)
			claim(t, registry, reported("a"))
		}, false},
		"another credential": {func(t *testing.T, registry *listener.Registry) {
			t.Helper()
			changed := reported("a")
			changed.Credential = rules.NewSecret("t")
			claim(t, registry, changed)
		}, true},
		"another port": {func(t *testing.T, registry *listener.Registry) {
			t.Helper()
			changed := reported("a")
			changed.Bind = bind(t, "::", 9000)
			claim(t, registry, changed)
		}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				registry := onWildcard(t)
				wantKept(t, registry, claim(t, registry, reported("a")), test.do, test.kept)
			})
		})
	}
}

// There is nothing to find of what is not bound, or not there, nor once the registry is closed.
func TestNothingToProbe(t *testing.T) {
	t.Parallel()
	registry := registry(t, config(t, "default", "::", 0), config(t, "bound", "::", 9119))
	unbound, bound, nobody := get(t, registry, ""), get(t, registry, "bound"), listener.Listener{}
	nobody.Name = "nobody"
	for _, probed := range []listener.Listener{unbound, nobody, {}} {
		if registry.SetProbed(probed, true) {
			t.Errorf("what was found of %q counts", probed.Name)
		}
	}
	registry.Close()
	if registry.SetProbed(bound, true) || registry.Snapshot().Revision != first+1 {
		t.Error("what was found counts after the end")
	}
}

// A bind is as old as what was said of it, by whoever holds it now.
func TestBindRevision(t *testing.T) {
	t.Parallel()
	saying := func(change func(*rules.Bind)) listener.Config {
		said := config(t, "default", "::", 9119)
		change(&said.Bind)
		return said
	}
	only := func(only bool) func(*rules.Bind) { return func(bind *rules.Bind) { bind.IPv6Only = &only } }
	registry := registry(t)
	steps := []struct {
		name    string
		said    listener.Config
		changed bool
	}{
		{"new", saying(func(*rules.Bind) {}), true},
		{"the same", saying(func(*rules.Bind) {}), false},
		{"IPv6 only", saying(only(true)), true},
		{"IPv6 only, in another variable", saying(only(true)), false},
		{"both families", saying(only(false)), true},
		{"both, on another port", saying(func(bind *rules.Bind) { bind.Port, bind.IPv6Only = 9000, new(false) }), true},
		{"not said any more", saying(func(*rules.Bind) {}), true},
		{"another spelling", saying(func(bind *rules.Bind) { bind.Text = "[::]" }), true},
		{"said elsewhere", saying(func(bind *rules.Bind) { bind.Source = "file" }), true},
		{"no port", saying(func(bind *rules.Bind) { bind.Port = 0 }), true},
	}
	for _, step := range steps {
		before := registry.Snapshot().Revision
		configure(t, registry, step.said)
		found := get(t, registry, "")
		if step.changed && found.BindRevision != before+1 || !step.changed && found.BindRevision != before {
			t.Errorf("%s: bound since %d, and before was %d", step.name, found.BindRevision, before)
		}
	}
	before := get(t, registry, "")
	rebased := steps[len(steps)-1].said
	rebased.BasePath = "/hermes"
	configure(t, registry, rebased)
	if found := get(t, registry, ""); found.BindRevision != before.BindRevision || found.Revision == before.Revision {
		t.Errorf("bound since %d, and before since %d", found.BindRevision, before.BindRevision)
	}
}
