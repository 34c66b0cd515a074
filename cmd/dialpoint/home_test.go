package main_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dialpoint/client"
)

// home is where a test's processes run: in directories that no other test knows, with no variable of ours set.
type home struct {
	dir     string
	runtime string
}

func newHome(t *testing.T) home {
	t.Helper()
	h := home{dir: t.TempDir(), runtime: runtimeDir(t)}
	// What is called the home directory of a user must exist.
	mustDo(t, os.Mkdir(h.path("home"), 0o700))
	return h
}

// runtimeDir is a directory with a short path: that of a socket has room for 107 bytes, and a test's own directory bears
// the test's name.
func runtimeDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "dp") //nolint:usetesting // See above.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mustDo(t, os.RemoveAll(dir)) })
	return dir
}

func (h home) path(name string) string { return filepath.Join(h.dir, name) }

func (h home) socket() string { return filepath.Join(h.runtime, "dialpoint", "dialpoint.sock") }

// write makes a file of the home, and returns its path.
func (h home) write(t *testing.T, name, text string) string {
	t.Helper()
	mustDo(t, os.WriteFile(h.path(name), []byte(text), 0o600))
	return h.path(name)
}

// replace swaps a file in whole, as an editor does that is careful.
func (h home) replace(t *testing.T, name, text string) {
	t.Helper()
	mustDo(t, os.Rename(h.write(t, name+".new", text), h.path(name)))
}

// env is the environment of a process.
func (h home) env(more ...string) []string {
	return slices.Concat(processEnv(h.path("home"), h.runtime, h.dir), more)
}

// processEnv is what a process needs to run at all.
func processEnv(homeDir, runtime, temp string) []string {
	return []string{
		"HOME=" + homeDir,
		"XDG_RUNTIME_DIR=" + runtime,
		"TMPDIR=" + temp,
		// What a service on the default socket makes.
		"DIALPOINT_TOKEN_FILE=" + filepath.Join(runtime, "dialpoint", "operator.token"),
		"PATH=" + os.Getenv("PATH"),
		// A program with the race detector sleeps a second before it exits, unless it is told otherwise.
		"GORACE=atexit_sleep_ms=0",
	}
}

// result is what came of a command.
type result struct {
	stdout, stderr string
	code           int
}

// run runs a dialpoint to its end.
func (h home) run(t *testing.T, env []string, args ...string) result {
	t.Helper()
	return runToEnd(t, h.command(t, env, args...))
}

func runToEnd(t *testing.T, command *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	code := exitCodeOf(t, command.Run())
	return result{stdout.String(), stderr.String(), code}
}

// command is a dialpoint that has not started yet. It is killed should it outlive the test, or [patience].
func (h home) command(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	return h.program(t, env, "dialpoint", args...)
}

// program is the same for any program in PATH.
func (h home) program(t *testing.T, env []string, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = h.dir
	command.Env = h.env(env...)
	command.WaitDelay = patience
	command.SysProcAttr = background()
	return command
}

// must is the standard output of a dialpoint that must succeed.
func (h home) must(t *testing.T, env []string, args ...string) string {
	t.Helper()
	got := h.run(t, env, args...)
	if got.code != 0 {
		t.Fatalf("dialpoint %q: exit %d\n%s%s", args, got.code, got.stdout, got.stderr)
	}
	return got.stdout
}

func exitCodeOf(t *testing.T, err error) int {
	t.Helper()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	mustDo(t, err)
	return 0
}

func mustDo(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// operatorTokenFile is what a service with a unix socket has made beside it.
func (s *service) operatorTokenFile() string {
	return filepath.Join(filepath.Dir(strings.TrimPrefix(s.unix, "unix://")), "operator.token")
}

// connect is a client of a service at one of its addresses, as its operator.
func (s *service) connect(t *testing.T, address string) *client.Client {
	t.Helper()
	c, err := client.New(address)
	mustDo(t, err)
	c.TokenFile = s.operatorTokenFile()
	t.Cleanup(c.Close)
	return c
}

// awaitLog waits until a service has logged a text so often.
func awaitLog(t *testing.T, s *service, text string, count int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	mustDo(t, s.log.await(ctx, regexp.MustCompile(regexp.QuoteMeta(text)), count))
}
