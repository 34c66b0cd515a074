package listener_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

func TestNewRegistryIsEmpty(t *testing.T) {
	t.Parallel()
	snapshot := listener.NewRegistry(first).Snapshot()
	if _, found := snapshot.Get(""); found || len(snapshot.List()) != 0 || snapshot.Revision != first {
		t.Errorf("snapshot is %+v", snapshot)
	}
}

func TestConfigureRefuses(t *testing.T) {
	t.Parallel()
	const form = "a listener's name must be 1 to 128 of the characters A-Z a-z 0-9 . _ -"
	tests := map[string]struct {
		names []string
		want  string
	}{
		"empty name":             {[]string{""}, `listener "": ` + form},
		"bad name":               {[]string{"a b"}, `listener "a b": ` + form},
		"bad name after good":    {[]string{"new", "a/b"}, `listener "a/b": ` + form},
		"repeated name":          {[]string{"new", "new"}, `listener "new": the name is there twice`},
		"repeated, not in a row": {[]string{"new", "newer", "new"}, `listener "new": the name is there twice`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			registry := registry(t, config(t, "default", "0.0.0.0", 9119))
			watch := registry.WatchAll()
			defer watch.Close()
			before := registry.Snapshot()
			var configs []listener.Config
			for _, name := range test.names {
				configs = append(configs, config(t, name, "127.0.0.1", 80))
			}
			if err := registry.Configure(configs); err == nil || err.Error() != test.want {
				t.Errorf("error is %v, want %s", err, test.want)
			}
			if registry.Snapshot() != before {
				t.Error("a refused configuration must change nothing")
			}
			report(t, registry, "default", before.List()[0].Bind)
			if found := registry.Snapshot().List(); len(found) != 1 {
				t.Errorf("a refused configuration came back with the next change: %v", found)
			}
			<-watch.Changed()
		})
	}
}

// Names keep their case, so that these are two.
func TestNamesKeepTheirCase(t *testing.T) {
	t.Parallel()
	registry := registry(t, config(t, "Chat", "0.0.0.0", 1), config(t, "chat", "0.0.0.0", 2))
	if upper, lower := get(t, registry, "Chat"), get(t, registry, "chat"); upper.Bind.Port != 1 || lower.Bind.Port != 2 {
		t.Errorf("ports are %d and %d", upper.Bind.Port, lower.Bind.Port)
	}
}

func TestListIsByName(t *testing.T) {
	t.Parallel()
	registry := registry(t,
		config(t, "b", "0.0.0.0", 1), config(t, "a", "0.0.0.0", 2), config(t, "default", "0.0.0.0", 3), config(t, "B", "0.0.0.0", 4), config(t, "a-1", "0.0.0.0", 5))
	for range 10 {
		var names []string
		for _, found := range registry.Snapshot().List() {
			names = append(names, found.Name)
		}
		if diff := cmp.Diff([]string{"B", "a", "a-1", "b", "default"}, names); diff != "" {
			t.Fatalf("-want +got\n%s", diff)
		}
	}
}

func TestEmptyNameIsDefault(t *testing.T) {
	t.Parallel()
	registry := registry(t, config(t, "default", "0.0.0.0", 9119), config(t, "other", "0.0.0.0", 80))
	if found := get(t, registry, ""); found.Name != "default" {
		t.Errorf("got %s", found.Name)
	}
	report(t, registry, "", bind(t, "127.0.0.1", 81))
	if found := get(t, registry, "default"); found.Bind.Port != 81 {
		t.Errorf("port is %d", found.Bind.Port)
	}
	withdraw(t, registry, "")
	if found := get(t, registry, "default"); found.Bind.Port != 9119 {
		t.Errorf("port is %d", found.Bind.Port)
	}
}

// What was read never changes, whatever happens to the registry or to what it was configured with.
func TestSnapshotsAreImmutable(t *testing.T) {
	t.Parallel()
	only := true
	full := config(t, "default", "::", 9119)
	full.Bind.IPv6Only, full.Warnings = &only, []string{"one", "two"}
	configs := []listener.Config{full}
	registry := registry(t, configs...)
	snapshot := registry.Snapshot()
	want := listener.Listener{Config: config(t, "default", "::", 9119), BindSource: listener.FromConfig, Revision: first + 1, BindRevision: first + 1}
	want.Bind.IPv6Only, want.Warnings = new(true), []string{"one", "two"}

	only = false
	full.Warnings[0] = "overwritten"
	configs[0].Name, configs[0].Bind.Port = "other", 1
	snapshot.List()[0].Bind.Port = 2
	report(t, registry, "default", bind(t, "127.0.0.1", 80))
	configure(t, registry)

	got, found := snapshot.Get("default")
	if diff := cmp.Diff(want, got, sameListeners); !found || diff != "" {
		t.Errorf("found is %v; -want +got\n%s", found, diff)
	}
	if snapshot.Revision != first+1 {
		t.Errorf("revision is %d", snapshot.Revision)
	}
}

// A caller that keeps its configuration and changes it in place must not hide the change from the registry.
func TestConfigureSeesWhatChangedInPlace(t *testing.T) {
	t.Parallel()
	only := false
	full := config(t, "default", "::", 9119)
	full.Bind.IPv6Only = &only
	registry := registry(t, full)
	only = true
	configure(t, registry, full)
	if found := get(t, registry, "default"); found.Revision != first+2 || !*found.Bind.IPv6Only {
		t.Errorf("revision is %d, ipv6_only %v", found.Revision, *found.Bind.IPv6Only)
	}
}

func TestReportSeesWhatChangedInPlace(t *testing.T) {
	t.Parallel()
	only := false
	reported := bind(t, "::", 80)
	reported.IPv6Only = &only
	registry := registry(t, config(t, "default", "", 9119))
	report(t, registry, "default", reported)
	only = true
	if found := get(t, registry, "default"); *found.Bind.IPv6Only {
		t.Error("the snapshot changed with the caller's variable")
	}
}

func TestIsBound(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		bind   rules.Bind
		bound  bool
		source listener.BindSource
	}{
		"host and port": {bind(t, "0.0.0.0", 9119), true, listener.FromConfig},
		"no port":       {bind(t, "0.0.0.0", 0), false, listener.FromNobody},
		"no host":       {rules.Bind{Port: 9119}, false, listener.FromNobody},
		"nothing":       {rules.Bind{}, false, listener.FromNobody},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			registry := registry(t, listener.Config{Name: "default", Listener: rules.Listener{Bind: test.bind}})
			if found := get(t, registry, "default"); found.IsBound() != test.bound || found.BindSource != test.source {
				t.Errorf("bound is %v by %d", found.IsBound(), found.BindSource)
			}
		})
	}
}
