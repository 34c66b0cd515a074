package listener

import (
	"maps"
	"slices"
	"time"
)

// Snapshot is all listeners at one revision. It never changes.
type Snapshot struct {
	// Revision is that of the newest change.
	Revision  uint64
	listeners map[string]*Listener
}

// Get is the listener of that name, if there is one. An empty name is "default".
func (s *Snapshot) Get(name string) (Listener, bool) {
	listener, found := s.listeners[nameOr(name)]
	if !found {
		return Listener{}, false
	}
	return *listener, true
}

// List is all listeners, by name.
func (s *Snapshot) List() []Listener {
	names := slices.Sorted(maps.Keys(s.listeners))
	list := make([]Listener, len(names))
	for i, name := range names {
		list[i] = *s.listeners[name]
	}
	return list
}

// FirstRevision is where a registry that begins now begins to count: above every revision of one that began earlier,
// as long as that one changed less than once a millisecond and the clock was not set back. So a revision does not go
// back when the server restarts, without anything to keep on disk.
func FirstRevision(now time.Time) uint64 { return uint64(max(now.UnixMilli(), 1)) }
