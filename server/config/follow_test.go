package config_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dialpoint/server/config"
)

// patience is how long a test waits for what must come. No loader here looks at files without a reason meanwhile, so that
// what comes comes by an event.
const patience = time.Minute

// following is a Follow on the real file system, with what it tells.
type following struct {
	loader *config.Loader
	told   chan string
}

// start follows a file until the test ends. When it returns the file is watched.
func start(t *testing.T, path string, change change) *following {
	t.Helper()
	from := sources(nil)
	from.Path = path
	f := &following{loader: config.NewEventLoader(from), told: make(chan string, 100)}
	now, err := f.loader.Load()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.loader.Follow(ctx, now, f.handler()) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Follow ended with %v", err)
		}
	})
	// What is told of has been read after the watch began.
	change(t, override("10.0.0.1"))
	f.loader.Reload()
	f.await(t, "10.0.0.1")
	return f
}

func (f *following) handler() config.Handler {
	return config.Handler{
		Apply: func(loaded *config.Config) error {
			f.told <- loaded.Listeners[0].Override.Text + loaded.Listeners[0].Auth.Credential.Reveal()
			return nil
		},
		Failed: func(err error) { f.told <- "failed: " + err.Error() },
	}
}

// next is what is told next.
func (f *following) next(t *testing.T) string {
	t.Helper()
	select {
	case told := <-f.told:
		return told
	case <-time.After(patience):
		t.Fatal("nothing is told in time")
		return ""
	}
}

// await waits for one thing, whatever is told before.
func (f *following) await(t *testing.T, want string) {
	t.Helper()
	for told := ""; told != want; {
		told = f.next(t)
	}
}

func (f *following) want(t *testing.T, want string) {
	t.Helper()
	wantText(t, f.next(t), want)
}

func override(target string) string { return "listeners: [{override: " + target + "}]\n" }

// TestFollowSeesEveryWay changes a file several times in each way: a watch has to outlive what it watches.
func TestFollowSeesEveryWay(t *testing.T) {
	t.Parallel()
	for name, prepare := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, change := prepare(t, t.TempDir())
			change(t, override("10.0.0.0"))
			f := start(t, path, change)
			for version := 2; version < 6; version++ {
				target := fmt.Sprintf("10.0.0.%d", version)
				change(t, override(target))
				f.await(t, target)
				// What is there now is watched, and not only what was replaced.
				put(t, path, override(target+"0"))
				f.await(t, target+"0")
			}
		})
	}
}

// TestSwapIsNeverHalfSeen checks that the ways that are atomic never look like a broken file.
func TestSwapIsNeverHalfSeen(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"renamed over", "a ConfigMap", "a target elsewhere", "a symlink to another file", "a symlinked directory"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, change := ways[name](t, t.TempDir())
			change(t, override("10.0.0.0"))
			f := start(t, path, change)
			for version := 2; version < 6; version++ {
				target := fmt.Sprintf("10.0.0.%d", version)
				change(t, override(target))
				f.want(t, target)
			}
		})
	}
}

// TestFollowTakesTheNewest checks that the last of many changes arrives, however many are skipped.
func TestFollowTakesTheNewest(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.yaml")
	change := swapper(path)
	change(t, override("10.0.0.0"))
	f := start(t, path, change)
	for version := range 200 {
		change(t, override(fmt.Sprintf("10.0.1.%d", version)))
	}
	f.await(t, "10.0.1.199")
}

// TestFollowThroughTrouble checks that the last good stays, that each failure is told, and that the same content as
// before ends it.
func TestFollowThroughTrouble(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.yaml")
	change := swapper(path)
	change(t, override("10.0.0.0"))
	f := start(t, path, change)
	failed := "failed: file " + path + ": "

	change(t, "listeners: }")
	f.want(t, failed+"line 1: did not find expected node content")
	change(t, "# nothing")
	f.want(t, failed+"it is empty: write at least one key, such as listeners, or remove the file")
	must(t, os.Remove(path))
	f.want(t, failed+"it cannot be read: no such file or directory")
	change(t, override("10.0.0.1"))
	f.want(t, "10.0.0.1")
	change(t, override("10.0.0.2"))
	f.want(t, "10.0.0.2")
}

// TestFollowCredentialFile checks that a credential is read again when it changes, even where its file is another one
// than before or was missing.
func TestFollowCredentialFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secrets := filepath.Join(dir, "secrets")
	must(t, os.Mkdir(secrets, 0o700))
	must(t, os.Symlink("..data/token", filepath.Join(secrets, "token")))
	swapConfigMap(t, secrets, "token", "first")
	path := filepath.Join(dir, "a.yaml")
	withToken := func(name string) string {
		return fmt.Sprintf("listeners: [{override: 10.0.0.2, auth: {credential_file: %s}}]", name)
	}
	change := swapper(path)
	change(t, override("10.0.0.0"))
	f := start(t, path, change)

	change(t, withToken("secrets/token"))
	f.want(t, "10.0.0.2first")
	swapConfigMap(t, secrets, "token", "second\n")
	f.want(t, "10.0.0.2second")

	change(t, withToken("later/token"))
	f.want(t, "failed: file "+path+": listeners[0].auth.credential_file: the file that it names (not shown, since it may be "+
		"the credential itself): it cannot be read: no such file or directory")
	must(t, os.Mkdir(filepath.Join(dir, "later.new"), 0o700))
	write(t, filepath.Join(dir, "later.new"), "token", "third")
	must(t, os.Rename(filepath.Join(dir, "later.new"), filepath.Join(dir, "later")))
	f.want(t, "10.0.0.2third")
}

// TestEnvironmentWinsAfterReload checks that a changed file does not undo what the environment says.
func TestEnvironmentWinsAfterReload(t *testing.T) {
	t.Parallel()
	from := fileSources(t, "a.yaml", override("10.0.0.1"))
	from.LookupEnv = vars{"HERMES_DASHBOARD_WS_HOST": "10.9.9.9"}.lookup
	loader := config.NewEventLoader(from)
	now, err := loader.Load()
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	put(t, from.Path, "listeners: [{override: 10.0.0.2, base_path: /new}]")
	var got string
	must(t, loader.Follow(ctx, now, config.Handler{
		Apply: func(loaded *config.Config) error {
			got = loaded.Listeners[0].Override.Text + string(loaded.Listeners[0].BasePath)
			cancel()
			return nil
		},
		Failed: func(err error) { t.Error(err) },
	}))
	wantText(t, got, "10.9.9.9/new")
}

// TestFollowTellsOfPermissions checks a change that no content shows.
func TestFollowTellsOfPermissions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	token := write(t, dir, "token", "t")
	path := filepath.Join(dir, "a.yaml")
	change := swapper(path)
	change(t, override("10.0.0.0"))
	f := start(t, path, change)
	change(t, "listeners: [{override: 10.0.0.2, auth: {credential_file: token}}]")
	f.want(t, "10.0.0.2t")
	must(t, os.Chmod(token, 0o644))
	f.want(t, "10.0.0.2t")
}

// TestFollowIsNotStirredByNeighbours checks that other files of a directory are no reason to read: what is told after
// many of their events is one thing alone.
func TestFollowIsNotStirredByNeighbours(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	change := swapper(path)
	change(t, override("10.0.0.0"))
	f := start(t, path, change)
	for i := range 100 {
		put(t, filepath.Join(dir, fmt.Sprintf("%d.yaml", i)), "broken: [")
	}
	change(t, override("10.0.0.2"))
	f.want(t, "10.0.0.2")
}

// TestFollowRelativePath checks a file of the working directory, which is how a search names it.
func TestFollowRelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	change := swapper("dialpoint.yaml")
	change(t, override("10.0.0.0"))
	f := start(t, "dialpoint.yaml", change)
	change(t, override("10.0.0.2"))
	f.want(t, "10.0.0.2")
}

// TestFirstFileIsNoticedByAnEvent begins without a file, and in part without the directories that are searched.
func TestFirstFileIsNoticedByAnEvent(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"dialpoint.yaml", "dialpoint.yml"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, above := t.TempDir(), t.TempDir()
			from := sources(vars{"DIALPOINT_OVERRIDE": "10.0.0.1"})
			second := filepath.Join(above, "a/dialpoint")
			from.SearchDirs = []string{first, second}
			f := startWithout(t, from)
			must(t, os.MkdirAll(second, 0o700))
			path := filepath.Join(second, name)
			swap(t, path, "listeners: [{name: a, override: 10.0.0.2}]")
			f.want(t, "10.0.0.2")
			swap(t, path, "listeners: [{name: a, override: 10.0.0.3}]")
			f.want(t, "10.0.0.3")
		})
	}
}

// startWithout follows a search that finds nothing yet. When it returns the search is watched.
func startWithout(t *testing.T, from config.Sources) *following {
	t.Helper()
	f := &following{loader: config.NewEventLoader(from), told: make(chan string, 100)}
	now, err := f.loader.Load()
	must(t, err)
	handler := f.handler()
	handler.Unchanged = func() { f.told <- "unchanged" }
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.loader.Follow(ctx, now, handler) }()
	t.Cleanup(func() { cancel(); must(t, <-done) })
	f.loader.Reload()
	f.want(t, "unchanged")
	return f
}
