package listener_test

import (
	"slices"
	"sync"

	"pgregory.net/rapid"

	"dialpoint/server/listener"
)

// watcher follows one listener of a machine. One that is prompt reads in the background each time it is told, the other
// reads when it is made to.
type watcher struct {
	*listener.Watch

	prompt bool
	// from is how much of the model's history was over when the watch began. What came last of that is the state first.
	from int
	// upTo is the same for what a slow reader has read.
	upTo    int
	stop    chan struct{}
	reading sync.WaitGroup

	// seen is what it read, the state at the beginning included.
	mu   sync.Mutex
	seen []state
}

// Watch begins to watch a listener, which need not exist.
func (m *machine) Watch(t *rapid.T) {
	name := rapid.SampledFrom(machineNames).Draw(t, "name")
	watcher := &watcher{
		Watch:  m.registry.Watch(name),
		prompt: rapid.Bool().Draw(t, "prompt"),
		from:   len(m.model.history[name]),
		upTo:   len(m.model.history[name]),
		stop:   make(chan struct{}),
	}
	m.watchers = append(m.watchers, watcher)
	watcher.read()
	if watcher.prompt {
		watcher.reading.Go(watcher.readOn)
	}
}

// Unwatch ends a watch.
func (m *machine) Unwatch(t *rapid.T) {
	if len(m.watchers) == 0 {
		t.Skip("nobody watches")
	}
	i := rapid.IntRange(0, len(m.watchers)-1).Draw(t, "watch")
	m.watchers[i].close()
	m.watchers = slices.Delete(m.watchers, i, i+1)
	if got := m.registry.Watches(); got != len(m.watchers) {
		t.Errorf("there are %d watches, want %d", got, len(m.watchers))
	}
}

// Look makes a slow reader read. It finds one notice if anything changed since it read last, and none if not.
func (m *machine) Look(t *rapid.T) {
	for _, watcher := range m.watchers {
		if watcher.prompt {
			continue
		}
		told, length := noticed(watcher.Watch), len(m.model.history[watcher.Name()])
		if changed := watcher.upTo < length; told != changed {
			t.Errorf("a slow reader of %q was told: %t, and there was a change: %t", watcher.Name(), told, changed)
		}
		if watcher.upTo = length; told {
			watcher.read()
		}
		if noticed(watcher.Watch) {
			t.Errorf("a slow reader of %q was told twice", watcher.Name())
		}
	}
}

func (w *watcher) read() {
	found, _ := w.Get()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, stateOf(found))
}

func (w *watcher) readOn() {
	for {
		select {
		case <-w.Changed():
			w.read()
		case <-w.stop:
			return
		}
	}
}

func (w *watcher) close() {
	close(w.stop)
	w.reading.Wait()
	w.Close()
}

// check compares what was read with the model's history. Who is prompt reads it all, once. Who is slow skips, but never
// goes back or reads a thing twice.
func (w *watcher) check(t *rapid.T, model *model) {
	w.mu.Lock()
	defer w.mu.Unlock()
	past := model.history[w.Name()]
	due := past[max(w.from-1, 0):]
	if w.from == 0 {
		due = append([]state{{}}, past...)
	}
	if w.prompt {
		wantHistory(t, "a prompt reader", w.seen, due)
		return
	}
	for _, seen := range w.seen {
		at := slices.Index(due, seen)
		if at < 0 {
			t.Errorf("a slow reader saw %+v out of turn, in %+v", w.seen, due)
			return
		}
		due = due[at+1:]
	}
}

func wantHistory(t *rapid.T, who string, got, want []state) {
	if !slices.Equal(got, want) {
		t.Errorf("%s was told %+v, want %+v", who, got, want)
	}
}
