package listener

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"dialpoint/server/rules"
)

// Registry holds all listeners of a server.
type Registry struct {
	current atomic.Pointer[Snapshot]

	mu sync.Mutex
	// configs and leases are what the current snapshot was made of, by the listener's name.
	configs map[string]Config
	leases  map[string]*lease
	// watches are by the name of what they watch, which is empty for all.
	watches  map[string]map[*Watch]struct{}
	onChange []func(before, after Listener)
	closed   bool
}

// NewRegistry is a registry without listeners that counts from a revision, as a rule [FirstRevision].
func NewRegistry(first uint64) *Registry {
	registry := &Registry{
		configs: map[string]Config{},
		leases:  map[string]*lease{},
		watches: map[string]map[*Watch]struct{}{},
	}
	registry.current.Store(&Snapshot{Revision: first})
	return registry
}

// Snapshot is the state now. It takes no lock.
func (r *Registry) Snapshot() *Snapshot { return r.current.Load() }

// Get is the listener of that name, if there is one. An empty name is "default". Unlike a snapshot it does not wait for a
// timer to find that a lease is over: when a process goes on that was stopped, its timers may come late.
func (r *Registry) Get(name string) (Listener, bool) {
	found, exists := r.Snapshot().Get(name)
	if found.isOver() {
		r.expire(found.lease)
		return r.Snapshot().Get(name)
	}
	return found, exists
}

// List is all listeners, by name, as [Registry.Get] has them.
func (r *Registry) List() []Listener {
	all := r.Snapshot().List()
	if !slices.ContainsFunc(all, Listener.isOver) {
		return all
	}
	for _, found := range all {
		if found.isOver() {
			r.expire(found.lease)
		}
	}
	return r.Snapshot().List()
}

// OnChange adds what is called with each listener that changes, whatever changed it, in the order of revisions. One
// that is new has no name before, one that was removed none after. The registry is locked meanwhile: what is called
// must be quick, and must not call the registry.
func (r *Registry) OnChange(call func(before, after Listener)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onChange = append(r.onChange, call)
}

// Configure swaps the configuration in whole. All that changes gets one new revision; what stays the same keeps its
// own, and where nothing changes there is no new revision. A lease goes on, unless its listener is not configured any
// more. A bad or repeated name is an error, and then nothing changes.
func (r *Registry) Configure(configs []Config) error {
	byName, err := index(configs)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.configs = byName
	for name, held := range r.leases {
		if _, kept := byName[name]; !kept {
			r.drop(held)
		}
	}
	next := make(map[string]*Listener, len(byName))
	for name := range byName {
		next[name] = r.merge(name)
	}
	r.publish(next, r.differing(next))
	return nil
}

// index is configurations by name. They are copied with what they point to: a caller that goes on to change it changes
// no snapshot.
func index(configs []Config) (map[string]Config, error) {
	byName := make(map[string]Config, len(configs))
	for _, config := range configs {
		if err := CheckName(config.Name); err != nil {
			return nil, fmt.Errorf("listener %q: %w", config.Name, err)
		}
		if _, taken := byName[config.Name]; taken {
			return nil, fmt.Errorf("listener %q: the name is there twice", config.Name)
		}
		config.Bind = ownBind(config.Bind)
		config.Warnings = append([]string(nil), config.Warnings...)
		byName[config.Name] = config
	}
	return byName, nil
}

func ownBind(bind rules.Bind) rules.Bind {
	if bind.IPv6Only != nil {
		bind.IPv6Only = new(*bind.IPv6Only)
	}
	return bind
}

// merge is a configured listener with what its dashboard reported. A report without a port takes the place of the
// configured bind, too.
func (r *Registry) merge(name string) *Listener {
	listener, source := Listener{Config: r.configs[name]}, FromConfig
	if held, reported := r.leases[name]; reported {
		held.applyTo(&listener)
		source = FromReport
	}
	if listener.IsBound() {
		listener.BindSource = source
	}
	listener.keepProbed(r.Snapshot().listeners[name])
	return &listener
}

// differing is the names of what differs from the current snapshot or is gone from it, in order. What stays the same
// keeps its entry, and with it its revision.
func (r *Registry) differing(next map[string]*Listener) []string {
	old := r.Snapshot().listeners
	var names []string
	for name, now := range next {
		if before, found := old[name]; found && before.sameAs(*now) {
			next[name] = before
		} else {
			names = append(names, name)
		}
	}
	for name := range old {
		if _, kept := next[name]; !kept {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// refresh publishes what has become of one configured listener.
func (r *Registry) refresh(name string) { r.replace(r.merge(name)) }

// replace publishes one listener in the place of what it was, if it is anything new.
func (r *Registry) replace(now *Listener) {
	old := r.Snapshot().listeners
	if old[now.Name].sameAs(*now) {
		return
	}
	next := maps.Clone(old)
	next[now.Name] = now
	r.publish(next, []string{now.Name})
}

// publish makes a snapshot of what is known, and tells of what changed. The caller holds the lock.
func (r *Registry) publish(listeners map[string]*Listener, changed []string) {
	if len(changed) == 0 {
		return
	}
	old := r.Snapshot()
	next := &Snapshot{Revision: old.Revision + 1, listeners: listeners}
	for _, name := range changed {
		if now, exists := listeners[name]; exists {
			now.stamp(next.Revision)
		}
	}
	r.current.Store(next)
	for _, name := range changed {
		before, _ := old.Get(name)
		after, _ := next.Get(name)
		for _, call := range r.onChange {
			call(before, after)
		}
		notify(r.watches[name])
	}
	notify(r.watches[""])
}
