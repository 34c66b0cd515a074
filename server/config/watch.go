package config

import (
	"path/filepath"
	"slices"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// watch tells when one of some files may have changed. It watches the directories that lead to them: a watch on a file
// would end with the file.
type watch struct {
	notifier *fsnotify.Watcher
	// entries are the paths whose events matter.
	entries  map[string]bool
	complete bool
	done     sync.WaitGroup
}

// newWatch begins to watch. Without events to be had it is incomplete, and never tells. What has changed meanwhile it tells
// at once, all else on a goroutine of its own, which must not be held up: the system drops events that nobody takes.
func newWatch(newNotifier func() (*fsnotify.Watcher, error), paths []string, tell func()) *watch {
	w := &watch{entries: map[string]bool{}}
	notifier, err := newNotifier()
	if err != nil {
		return w
	}
	w.notifier, w.complete = notifier, true
	for _, path := range paths {
		if w.add(path); !w.leads(path) {
			tell()
		}
	}
	w.done.Go(func() { w.run(tell) })
	return w
}

// add watches the directories on the way to a file.
func (w *watch) add(path string) {
	for _, step := range pathEntries(path) {
		w.entries[step.path()] = true
		w.complete = w.notifier.Add(step.dir) == nil && w.complete
	}
}

// leads reports whether a path leads where it is watched. No event tells of what changed before that.
func (w *watch) leads(path string) bool {
	return !slices.ContainsFunc(pathEntries(path), func(step step) bool { return !w.entries[step.path()] })
}

// run passes on the events that matter: a directory such as /tmp has many others.
func (w *watch) run(tell func()) {
	events, errors := w.notifier.Events, w.notifier.Errors
	for {
		select {
		case event, open := <-events:
			if !open {
				return
			}
			if w.entries[filepath.Clean(event.Name)] {
				tell()
			}
		case _, open := <-errors:
			if !open {
				return
			}
			// Events may be lost: see what they were about.
			tell()
		}
	}
}

// isComplete reports whether every change there is will be told. It may not be where a directory cannot be read, or
// the system's bound on watches is reached (inotify(7), max_user_watches).
func (w *watch) isComplete() bool { return w.complete }

// close ends the watch. It does nothing to one that is nil or has no events.
func (w *watch) close() {
	if w == nil || w.notifier == nil {
		return
	}
	_ = w.notifier.Close()
	w.done.Wait()
}
