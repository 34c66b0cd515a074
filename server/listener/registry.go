package listener

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dialpoint/server/rules"
)

// Registry holds all listeners of a server.
type Registry struct {
	current atomic.Pointer[Snapshot]

	mu sync.Mutex
	// configs and reports are what the current snapshot was made of.
	configs []Config
	reports map[string]rules.Bind
	watches map[*Watch]struct{}
}

// Snapshot is all listeners at one revision. It never changes.
type Snapshot struct {
	// Revision is that of the newest change.
	Revision  uint64
	listeners map[string]Listener
}

// Get is the listener of that name, if there is one. An empty name is "default".
func (s *Snapshot) Get(name string) (Listener, bool) {
	listener, found := s.listeners[nameOr(name)]
	return listener, found
}

// List is all listeners, by name.
func (s *Snapshot) List() []Listener {
	names := slices.Sorted(maps.Keys(s.listeners))
	list := make([]Listener, len(names))
	for i, name := range names {
		list[i] = s.listeners[name]
	}
	return list
}

func nameOr(name string) string {
	if name == "" {
		return DefaultName
	}
	return name
}

// FirstRevision is where a registry that begins now begins to count: above every revision of one that began earlier,
// as long as that one changed less than once a millisecond and the clock was not set back. So a revision does not go
// back when the server restarts, without anything to keep on disk.
func FirstRevision(now time.Time) uint64 { return uint64(max(now.UnixMilli(), 1)) }

// NewRegistry is a registry without listeners that counts from a revision, as a rule [FirstRevision].
func NewRegistry(first uint64) *Registry {
	registry := &Registry{reports: map[string]rules.Bind{}, watches: map[*Watch]struct{}{}}
	registry.current.Store(&Snapshot{Revision: first})
	return registry
}

// Snapshot is the state now. It takes no lock.
func (r *Registry) Snapshot() *Snapshot { return r.current.Load() }

// Configure swaps the configuration in whole. All that changes gets one new revision; what stays the same keeps its
// own, and where nothing changes there is no new revision. A report stays, unless its listener is not configured any
// more. A bad or repeated name is an error, and then nothing changes.
func (r *Registry) Configure(configs []Config) error {
	seen := map[string]bool{}
	for _, config := range configs {
		if err := CheckName(config.Name); err != nil {
			return fmt.Errorf("listener %q: %w", config.Name, err)
		}
		if seen[config.Name] {
			return fmt.Errorf("listener %q: the name is there twice", config.Name)
		}
		seen[config.Name] = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.configs = make([]Config, len(configs))
	for i, config := range configs {
		r.configs[i] = own(config)
	}
	maps.DeleteFunc(r.reports, func(name string, _ rules.Bind) bool { return !seen[name] })
	r.publish()
	return nil
}

// Report says what a listener really bound. It wins over the configured bind until [Registry.Withdraw]. A name that is
// not configured is an error.
func (r *Registry) Report(name string, bind rules.Bind) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, found := r.Snapshot().Get(name); !found {
		return fmt.Errorf("listener %q is not configured", nameOr(name))
	}
	r.reports[nameOr(name)] = ownBind(bind)
	r.publish()
	return nil
}

// Withdraw ends a report: the configured bind counts again. Without a report it does nothing.
func (r *Registry) Withdraw(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.reports, nameOr(name))
	r.publish()
}

// own copies what a configuration points to: a caller that goes on to change it changes no snapshot.
func own(config Config) Config {
	config.Bind = ownBind(config.Bind)
	config.Warnings = append([]string(nil), config.Warnings...)
	return config
}

func ownBind(bind rules.Bind) rules.Bind {
	if bind.IPv6Only != nil {
		bind.IPv6Only = new(*bind.IPv6Only)
	}
	return bind
}

// publish makes a snapshot of what is known, and tells the watches of what differs from the one before. The caller
// holds the lock.
func (r *Registry) publish() {
	old := r.Snapshot()
	next := &Snapshot{Revision: old.Revision + 1, listeners: make(map[string]Listener, len(r.configs))}
	for _, config := range r.configs {
		next.listeners[config.Name] = r.merge(config)
	}
	changed := next.stamp(old)
	if len(changed) == 0 {
		return
	}
	r.current.Store(next)
	for watch := range r.watches {
		if watch.name == "" || changed[watch.name] {
			watch.notify()
		}
	}
}

// merge is a configured listener with what its dashboard reported. A report without a port takes the place of the
// configured bind, too.
func (r *Registry) merge(config Config) Listener {
	listener, source := Listener{Config: config}, FromConfig
	if bind, reported := r.reports[config.Name]; reported {
		listener.Bind, source = bind, FromReport
	}
	if listener.IsBound() {
		listener.BindSource = source
	}
	return listener
}

// stamp gives each listener that differs from the old one the new revision and each other its old one. It returns the
// names of those that differ, with those that are gone.
func (s *Snapshot) stamp(old *Snapshot) map[string]bool {
	changed := map[string]bool{}
	for name, listener := range s.listeners {
		before, found := old.listeners[name]
		listener.Revision = before.Revision
		if !found || !reflect.DeepEqual(before, listener) {
			changed[name] = true
			listener.Revision = s.Revision
		}
		s.listeners[name] = listener
	}
	for name := range old.listeners {
		if _, kept := s.listeners[name]; !kept {
			changed[name] = true
		}
	}
	return changed
}
