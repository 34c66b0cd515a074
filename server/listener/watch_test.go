package listener_test

import (
	"testing"

	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// noticed reports whether a notice waits, and takes it.
func noticed(watch *listener.Watch) bool {
	select {
	case <-watch.Changed():
		return true
	default:
		return false
	}
}

func TestWatchTellsOfItsListenerAlone(t *testing.T) {
	t.Parallel()
	a, b := config(t, "a", "0.0.0.0", 1), config(t, "b", "0.0.0.0", 2)
	steps := []struct {
		name          string
		do            func(*listener.Registry)
		ofA, ofB, all bool
	}{
		{"nothing yet", func(*listener.Registry) {}, false, false, false},
		{"the same again", func(r *listener.Registry) { configure(t, r, a, b) }, false, false, false},
		{"a changes", func(r *listener.Registry) { configure(t, r, moved(a), b) }, true, false, true},
		{"b is reported", func(r *listener.Registry) { report(t, r, "b", bind(t, "::1", 3)) }, false, true, true},
		{"b is reported again", func(r *listener.Registry) { report(t, r, "b", bind(t, "::1", 3)) }, false, false, false},
		{"b is withdrawn", func(r *listener.Registry) { withdraw(t, r, "b") }, false, true, true},
		{"a goes", func(r *listener.Registry) { configure(t, r, b) }, true, false, true},
		{"a comes back", func(r *listener.Registry) { configure(t, r, a, b) }, true, false, true},
		{"both change", func(r *listener.Registry) { configure(t, r, moved(a), moved(b)) }, true, true, true},
		{"a third comes", func(r *listener.Registry) {
			configure(t, r, moved(a), moved(b), config(t, "c", "0.0.0.0", 4))
		}, false, false, true},
	}
	registry := registry(t, a, b)
	ofA, ofB, all := registry.Watch("a"), registry.Watch("b"), registry.WatchAll()
	defer ofA.Close()
	defer ofB.Close()
	defer all.Close()
	for _, step := range steps {
		step.do(registry)
		if got := [3]bool{noticed(ofA), noticed(ofB), noticed(all)}; got != [3]bool{step.ofA, step.ofB, step.all} {
			t.Errorf("%s: told a, b, all: %v, want %v", step.name, got, [3]bool{step.ofA, step.ofB, step.all})
		}
	}
}

// However many changes there are, one notice waits, and what is read after it is the newest state.
func TestMailboxOfOne(t *testing.T) {
	t.Parallel()
	registry := registry(t, config(t, "default", "0.0.0.0", 1))
	watch := registry.Watch("default")
	defer watch.Close()
	for port := range manyPorts {
		configure(t, registry, config(t, "default", "0.0.0.0", port+2))
	}
	if !noticed(watch) {
		t.Fatal("no notice waits")
	}
	if found, ok := watch.Get(); !ok || found.Bind.Port != manyPorts+1 || found.Revision != first+1+uint64(manyPorts) {
		t.Errorf("got port %d at revision %d", found.Bind.Port, found.Revision)
	}
	if noticed(watch) {
		t.Error("a second notice waits")
	}
	configure(t, registry, config(t, "default", "0.0.0.0", 1))
	if !noticed(watch) {
		t.Error("no notice waits of what changed after the last look")
	}
}

const manyPorts rules.Port = 100

func TestWatchOfEmptyNameIsDefault(t *testing.T) {
	t.Parallel()
	registry := registry(t, config(t, "default", "0.0.0.0", 1), config(t, "other", "0.0.0.0", 2))
	watch := registry.Watch("")
	defer watch.Close()
	if found, ok := watch.Get(); !ok || found.Name != "default" || watch.Name() != "default" {
		t.Errorf("got %q of a watch of %q", found.Name, watch.Name())
	}
	configure(t, registry, config(t, "default", "0.0.0.0", 1), config(t, "other", "0.0.0.0", 3))
	if noticed(watch) {
		t.Error("the empty name must not mean all")
	}
}

func TestWatchAllHasNoName(t *testing.T) {
	t.Parallel()
	watch := registry(t).WatchAll()
	defer watch.Close()
	if watch.Name() != "" {
		t.Errorf("name is %q", watch.Name())
	}
}

// A child may watch before its dashboard is configured.
func TestWatchBeforeListenerExists(t *testing.T) {
	t.Parallel()
	registry := registry(t)
	watch := registry.Watch("late")
	defer watch.Close()
	if _, found := watch.Get(); found || noticed(watch) {
		t.Error("the listener does not exist yet")
	}
	configure(t, registry, config(t, "late", "0.0.0.0", 1))
	if found, ok := watch.Get(); !noticed(watch) || !ok || found.Bind.Port != 1 {
		t.Errorf("got %+v, found is %v", found, ok)
	}
	configure(t, registry)
	if _, found := watch.Get(); !noticed(watch) || found {
		t.Error("the listener is gone")
	}
}

func TestCloseEndsWatch(t *testing.T) {
	t.Parallel()
	registry := registry(t, config(t, "default", "0.0.0.0", 1))
	closed, open := registry.Watch("default"), registry.Watch("default")
	if got := registry.Watches(); got != 2 {
		t.Errorf("there are %d watches, want 2", got)
	}
	closed.Close()
	closed.Close()
	if got := registry.Watches(); got != 1 {
		t.Errorf("there are %d watches after closing one, want 1", got)
	}
	configure(t, registry, config(t, "default", "0.0.0.0", 2))
	if noticed(closed) {
		t.Error("a closed watch was told")
	}
	if !noticed(open) {
		t.Error("the other watch was not told")
	}
	if found, ok := closed.Get(); !ok || found.Bind.Port != 2 {
		t.Error("a closed watch can still read")
	}
	open.Close()
	if got := registry.Watches(); got != 0 {
		t.Errorf("there are %d watches at the end", got)
	}
}
