package listener

import "context"

// Watch tells when a listener changes. It is a mailbox of one: however many changes there are between two looks, one
// notice waits, and what is read after it is the newest state. A slow reader makes nobody wait.
type Watch struct {
	registry *Registry
	name     string
	mailbox  chan struct{}
}

// Watch begins to watch one listener, which need not exist. The empty name is "default".
func (r *Registry) Watch(name string) *Watch { return r.watch(nameOr(name)) }

// WatchAll begins to watch every listener.
func (r *Registry) WatchAll() *Watch { return r.watch("") }

func (r *Registry) watch(name string) *Watch {
	watch := &Watch{registry: r, name: name, mailbox: make(chan struct{}, 1)}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.watches[name] == nil {
		r.watches[name] = map[*Watch]struct{}{}
	}
	r.watches[name][watch] = struct{}{}
	return watch
}

// Watches is how many watches there are now, calls that wait included.
func (r *Registry) Watches() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	count := 0
	for _, ofOne := range r.watches {
		count += len(ofOne)
	}
	return count
}

// Changed receives once after one or more changes since the watch began or last received. Read the state after that,
// and once before the first.
func (w *Watch) Changed() <-chan struct{} { return w.mailbox }

// Name is the watched listener's name. It is empty for a watch of all.
func (w *Watch) Name() string { return w.name }

// Get is the watched listener now, if it exists.
func (w *Watch) Get() (Listener, bool) { return w.registry.Get(w.name) }

// Close ends the watch. It may be called more than once.
func (w *Watch) Close() {
	w.registry.mu.Lock()
	defer w.registry.mu.Unlock()
	ofOne := w.registry.watches[w.name]
	delete(ofOne, w)
	if len(ofOne) == 0 {
		delete(w.registry.watches, w.name)
	}
}

// notify leaves a notice in each mailbox, unless one waits there.
func notify(watches map[*Watch]struct{}) {
	for watch := range watches {
		select {
		case watch.mailbox <- struct{}{}:
		default:
		}
	}
}

// Wait returns as soon as enough says so of a listener, now or after any change, with the listener as it was then. A
// listener that does not exist, or is removed meanwhile, is not found. The error is the context's.
func (r *Registry) Wait(ctx context.Context, name string, enough func(Listener) bool) (listener Listener, found bool, err error) {
	watch := r.Watch(name)
	defer watch.Close()
	for {
		if listener, found = watch.Get(); !found || enough(listener) {
			return listener, found, nil
		}
		select {
		case <-watch.Changed():
		case <-ctx.Done():
			return listener, true, context.Cause(ctx)
		}
	}
}
