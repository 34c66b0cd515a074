package config

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watching is a watch on files below a directory that ends with the test, and a channel that it tells.
func watching(t *testing.T, dir string, names ...string) (w *watch, told <-chan struct{}) {
	t.Helper()
	var paths []string
	for _, name := range names {
		paths = append(paths, filepath.Join(dir, name))
	}
	mailbox := make(chan struct{}, 1)
	w = newWatch(fsnotify.NewWatcher, paths, func() { post(mailbox) })
	t.Cleanup(w.close)
	return w, mailbox
}

func wantTold(t *testing.T, told <-chan struct{}) {
	t.Helper()
	select {
	case <-told:
	case <-time.After(time.Minute):
		t.Fatal("nothing is told")
	}
}

func TestWatchTells(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		entries []string
		watched string
		change  func(dir string) error
	}{
		"a file is written":      {[]string{"a"}, "a", func(dir string) error { return os.WriteFile(dir+"/a", []byte("x"), 0o600) }},
		"a file is removed":      {[]string{"a"}, "a", func(dir string) error { return os.Remove(dir + "/a") }},
		"a file appears":         {nil, "a", func(dir string) error { return os.WriteFile(dir+"/a", nil, 0o600) }},
		"its mode changes":       {[]string{"a"}, "a", func(dir string) error { return os.Chmod(dir+"/a", 0o644) }},
		"it is renamed away":     {[]string{"a"}, "a", func(dir string) error { return os.Rename(dir+"/a", dir+"/b") }},
		"another takes its name": {[]string{"a", "b"}, "a", func(dir string) error { return os.Rename(dir+"/b", dir+"/a") }},
		"a target is written":    {[]string{"x/", "x/b", "a -> x/b"}, "a", func(dir string) error { return os.WriteFile(dir+"/x/b", []byte("x"), 0o600) }},
		"a target appears":       {[]string{"x/", "a -> x/b"}, "a", func(dir string) error { return os.WriteFile(dir+"/x/b", nil, 0o600) }},
		"a link is removed":      {[]string{"b", "a -> b"}, "a", func(dir string) error { return os.Remove(dir + "/a") }},
		"a directory appears":    {nil, "x/a", func(dir string) error { return os.Mkdir(dir+"/x", 0o700) }},
		"a directory is moved":   {[]string{"x/", "x/a"}, "x/a", func(dir string) error { return os.Rename(dir+"/x", dir+"/y") }},
		"a directory is removed": {[]string{"x/", "x/a"}, "x/a", func(dir string) error { return os.RemoveAll(dir + "/x") }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, test.entries...)
			w, told := watching(t, dir, test.watched)
			if !w.isComplete() {
				t.Error("the watch is not complete")
			}
			if err := test.change(dir); err != nil {
				t.Fatal(err)
			}
			wantTold(t, told)
		})
	}
}

// TestWatchIgnoresNeighbours writes other files first: events come in order, so that one of theirs would be told before
// the directory that is watched is removed.
func TestWatchIgnoresNeighbours(t *testing.T) {
	t.Parallel()
	dir := tree(t, "a", "b")
	mailbox := make(chan struct{}, 1000)
	w := newWatch(fsnotify.NewWatcher, []string{filepath.Join(dir, "a")}, func() { post(mailbox) })
	t.Cleanup(w.close)
	for range 100 {
		put(t, filepath.Join(dir, "b"), "x")
	}
	remove(t, filepath.Join(dir, "a"))
	wantTold(t, mailbox)
	w.close()
	if more := len(mailbox); more > 3 {
		t.Errorf("%d more events are told, want those of the removal alone", more)
	}
}

// TestWatchOfAPathThatMoves leads a path to another file while its watch begins: either that is told, or what is there now
// is watched.
func TestWatchOfAPathThatMoves(t *testing.T) {
	t.Parallel()
	dir := tree(t, "0/", "0/a", "1/", "1/a", "now -> 0", "a -> now/a")
	for round := range 1000 {
		moved := make(chan error, 1)
		go func() {
			link := filepath.Join(dir, "next")
			moved <- errors.Join(os.Symlink(strconv.Itoa((round+1)%2), link), os.Rename(link, filepath.Join(dir, "now")))
		}()
		mailbox := make(chan struct{}, 1)
		w := newWatch(fsnotify.NewWatcher, []string{filepath.Join(dir, "a")}, func() { post(mailbox) })
		if err := <-moved; err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, "a"), "x")
		wantTold(t, mailbox)
		w.close()
	}
}

// TestWatchWithoutEvents checks that a watch that cannot be had is one that tells nothing, and can be closed.
func TestWatchWithoutEvents(t *testing.T) {
	t.Parallel()
	w := newWatch(func() (*fsnotify.Watcher, error) { return nil, errNoEvents }, []string{"/"}, func() { t.Error("told") })
	if w.isComplete() {
		t.Error("the watch is complete")
	}
	w.close()
	w.close()
	var none *watch
	none.close()
}

// TestWatchOfHalf checks that a directory that cannot be watched makes a watch incomplete, and spoils nothing else.
func TestWatchOfHalf(t *testing.T) {
	t.Parallel()
	closed := func() (*fsnotify.Watcher, error) {
		notifier, err := fsnotify.NewWatcher()
		return notifier, errors.Join(err, notifier.Close())
	}
	w := newWatch(closed, []string{filepath.Join(t.TempDir(), "a")}, func() {})
	defer w.close()
	if w.isComplete() {
		t.Error("the watch is complete")
	}
}

// TestWatchTellsOfLostEvents checks that an error of the notifier is taken for a change: events may be lost.
func TestWatchTellsOfLostEvents(t *testing.T) {
	t.Parallel()
	w, told := watching(t, tree(t, "a"), "a")
	w.notifier.Errors <- fsnotify.ErrEventOverflow
	wantTold(t, told)
}
