package config

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// In these tests there are no events to be had, so that all that happens is on the clock of a bubble.

var errNoEvents = errors.New("no events")

// blind is a loader that cannot watch.
func blind(path string) *Loader {
	loader := NewLoader(Sources{Path: path, DefaultUnix: "/nonexistent/s"})
	loader.newNotifier = func() (*fsnotify.Watcher, error) { return nil, errNoEvents }
	return loader
}

// story is what a handler was told, in order, and what it answers.
type story struct {
	mu    sync.Mutex
	told  []string
	apply error
}

func (s *story) handler() Handler {
	return Handler{
		Apply:  func(loaded *Config) error { return s.tell("apply " + loaded.Log.Format) },
		Failed: func(err error) { _ = s.tell("failed " + err.Error()) },

		Unchanged: func() { _ = s.tell("unchanged") },
	}
}

func (s *story) tell(what string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, what)
	return s.apply
}

// want checks what was told since it checked last.
func (s *story) want(t *testing.T, want ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.told, want) {
		t.Errorf("\n got %q\nwant %q", s.told, want)
	}
	s.told = nil
}

// answer is what Apply returns from now on.
func (s *story) answer(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.apply = err
}

// follow follows until the test ends. It begins with what the file says.
func follow(t *testing.T, loader *Loader, handler Handler) {
	t.Helper()
	now, err := loader.Load()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- loader.Follow(ctx, now, handler) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Follow ended with %v", err)
		}
	})
	synctest.Wait()
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

const (
	inText = "log: {format: text}"
	inJSON = "log: {format: json}"

	isEmpty = ": it is empty: write at least one key, such as listeners, or remove the file"
	isGone  = ": it cannot be read: no such file or directory"

	// while is long enough for many looks.
	while = 10 * time.Second
)

// TestFollowStory goes through what may become of a file, and checks each time how often the handler is told.
func TestFollowStory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.yaml")
	failed := "failed file " + path
	steps := []struct {
		name    string
		content string
		want    []string
	}{
		{"nothing changes", inText, nil},
		{"a comment changes", inText + " # x", nil},
		{"a value changes", inJSON, []string{"apply json"}},
		{"it breaks", "log: {a, b, ]", []string{failed + ": line 1: did not find expected node content"}},
		{"it is emptied", "", []string{failed + isEmpty}},
		{"it is removed", "-", []string{failed + isGone}},
		{"it is as it was", inJSON, []string{"apply json"}},
		{"a value is bad", "log: {format: xml}", []string{failed + `: log.format: "xml": must be text or json`}},
		{"another is, too", "log: {format: xml, level: x}", []string{failed + ": log.level: \"x\": must be debug, info, warn or error\n" + failed[7:] + `: log.format: "xml": must be text or json`}},
		{"it is good again", inText, []string{"apply text"}},
	}
	put(t, path, inText)
	synctest.Test(t, func(t *testing.T) {
		s := &story{}
		follow(t, blind(path), s.handler())
		for _, step := range steps {
			t.Log(step.name)
			if step.content == "-" {
				remove(t, path)
			} else {
				put(t, path, step.content)
			}
			pass(t, while)
			s.want(t, step.want...)
		}
	})
}

// TestFollowBeginsWithAChange checks a file that changes between the load and the beginning.
func TestFollowBeginsWithAChange(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.yaml")
	put(t, path, inText)
	synctest.Test(t, func(t *testing.T) {
		loader, s := blind(path), &story{}
		now, err := loader.Load()
		if err != nil {
			t.Fatal(err)
		}
		put(t, path, inJSON)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := loader.Follow(ctx, now, s.handler()); err != nil {
			t.Error(err)
		}
		s.want(t, "apply json")
	})
}

// TestFollowLooksOnceASecondWithoutEvents measures how late a change may be told of.
func TestFollowLooksOnceASecondWithoutEvents(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.yaml")
	put(t, path, inText)
	synctest.Test(t, func(t *testing.T) {
		applied := make(chan struct{})
		follow(t, blind(path), Handler{
			Apply:  func(*Config) error { applied <- struct{}{}; return nil },
			Failed: func(err error) { t.Error(err) },
		})
		begin := time.Now()
		put(t, path, inJSON)
		<-applied
		if took := time.Since(begin); took > blindCheck {
			t.Errorf("told after %v, want at most %v", took, blindCheck)
		}
	})
}

// TestReloadTellsAgain checks that whoever asks is answered, even if nothing has changed.
func TestReloadTellsAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.yaml")
	put(t, path, inText)
	synctest.Test(t, func(t *testing.T) {
		loader, s := blind(path), &story{}
		follow(t, loader, s.handler())
		loader.Reload()
		synctest.Wait()
		s.want(t, "unchanged")
		put(t, path, inText+" # x")
		loader.Reload()
		synctest.Wait()
		s.want(t, "unchanged")
		put(t, path, "")
		loader.Reload()
		synctest.Wait()
		loader.Reload()
		synctest.Wait()
		s.want(t, "failed file "+path+isEmpty, "failed file "+path+isEmpty)
	})
}

// TestReloadBeforeFollow checks that a wish is not forgotten, and does not block.
func TestReloadBeforeFollow(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.yaml")
	put(t, path, inText)
	synctest.Test(t, func(t *testing.T) {
		loader, s := blind(path), &story{}
		loader.Reload()
		loader.Reload()
		follow(t, loader, s.handler())
		s.want(t, "unchanged")
	})
}

// TestReloadWithoutUnchanged checks that nobody need want to know.
func TestReloadWithoutUnchanged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.yaml")
	put(t, path, inText)
	synctest.Test(t, func(t *testing.T) {
		loader, s := blind(path), &story{}
		handler := s.handler()
		handler.Unchanged = nil
		follow(t, loader, handler)
		loader.Reload()
		synctest.Wait()
		s.want(t)
	})
}

// TestApplyThatFails checks that a configuration that cannot be put into force is a failure like any other, told once,
// and over when the last good one is back. It is tried again, since its reason may go without a change of any file.
func TestApplyThatFails(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.yaml")
	put(t, path, inText)
	synctest.Test(t, func(t *testing.T) {
		loader, s := blind(path), &story{apply: errors.New("not now")}
		follow(t, loader, s.handler())
		put(t, path, inJSON)
		pass(t, blindCheck)
		s.want(t, "apply json", "failed not now")
		pass(t, blindCheck)
		s.want(t, "apply json")

		loader.Reload()
		synctest.Wait()
		s.want(t, "apply json", "failed not now")

		s.answer(errors.New("nor now"))
		pass(t, 2*blindCheck)
		s.want(t, "apply json", "failed nor now", "apply json")

		s.answer(nil)
		pass(t, 2*blindCheck)
		s.want(t, "apply json")

		s.answer(errors.New("not now"))
		put(t, path, inText)
		pass(t, blindCheck)
		s.want(t, "apply text", "failed not now")
		put(t, path, inJSON)
		s.answer(nil)
		pass(t, while)
		s.want(t, "apply json")
	})
}

// TestFileInForceIsKept checks that nothing else takes the place of a file that is gone.
func TestFileInForceIsKept(t *testing.T) {
	t.Parallel()
	first, second := t.TempDir(), t.TempDir()
	path := filepath.Join(first, "dialpoint.yaml")
	put(t, path, inText)
	put(t, filepath.Join(second, "dialpoint.yaml"), inJSON)
	synctest.Test(t, func(t *testing.T) {
		loader, s := blind(""), &story{}
		loader.sources.SearchDirs = []string{first, second}
		follow(t, loader, s.handler())
		remove(t, path)
		pass(t, while)
		s.want(t, "failed file "+path+isGone)
	})
}

// TestFirstFileAppears checks that a service that began without a file takes the first there is.
func TestFirstFileAppears(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		loader, s := blind(""), &story{}
		loader.sources.SearchDirs = []string{dir}
		follow(t, loader, s.handler())
		put(t, filepath.Join(dir, "dialpoint.yaml"), inJSON)
		pass(t, while)
		s.want(t, "apply json")

		path := filepath.Join(dir, "dialpoint.yaml")
		remove(t, path)
		pass(t, while)
		s.want(t, "failed file "+path+isGone)
	})
}

// TestTwoFilesAppear checks an error that no file was read for.
func TestTwoFilesAppear(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		loader, s := blind(""), &story{}
		loader.sources.SearchDirs = []string{dir}
		follow(t, loader, s.handler())
		put(t, filepath.Join(dir, "dialpoint.yaml"), inJSON)
		put(t, filepath.Join(dir, "dialpoint.toml"), "")
		pass(t, while)
		s.want(t, "failed there are several configuration files, "+filepath.Join(dir, "dialpoint.yaml")+" and "+
			filepath.Join(dir, "dialpoint.toml")+": keep one of them, or name it with --config")
	})
}

func TestFollowNeedsAHandler(t *testing.T) {
	t.Parallel()
	for _, handler := range []Handler{{}, {Apply: func(*Config) error { return nil }}, {Failed: func(error) {}}} {
		if err := blind("").Follow(t.Context(), nil, handler); !errors.Is(err, errHandler) {
			t.Errorf("error is %v, want %v", err, errHandler)
		}
	}
}
