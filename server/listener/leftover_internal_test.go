package listener

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"dialpoint/server/rules"
)

// Callers may watch names by the thousand that do not exist.
func TestClosedWatchesLeaveNothing(t *testing.T) {
	t.Parallel()
	registry := NewRegistry(1)
	watches := []*Watch{registry.WatchAll()}
	for _, name := range []string{"a", "b", "b", ""} {
		watches = append(watches, registry.Watch(name))
	}
	for _, watch := range watches {
		watch.Close()
	}
	if len(registry.watches) != 0 {
		t.Errorf("%d names are left", len(registry.watches))
	}
}

// A timer of an hour that is left behind keeps all that it would touch.
func TestClosedRegistryLeavesNothing(t *testing.T) {
	t.Parallel()
	left := weak.Make(leased(t))
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		runtime.GC()
		if left.Value() == nil {
			return
		}
		<-time.After(time.Millisecond)
	}
	t.Error("the registry is still reachable")
}

// leased is a closed registry that saw leases end in every way but by themselves.
func leased(t *testing.T) *Registry {
	t.Helper()
	registry := NewRegistry(1)
	defer registry.Close()
	host, err := rules.ParseBindHost("0.0.0.0")
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	report := func(name, instance string) {
		t.Helper()
		_, err := registry.Report(Report{
			Name: name, InstanceID: instance, Bind: rules.Bind{Host: host, Port: 1}, TTL: MaxTTL, Takeover: true,
		})
		must(err)
	}
	must(registry.Configure([]Config{{Name: "kept"}, {Name: "removed"}}))
	report("removed", "a")
	report("kept", "b")
	report("kept", "c")
	must(registry.Withdraw("kept", "c"))
	report("kept", "d")
	must(registry.Configure([]Config{{Name: "kept"}}))
	return registry
}
