package config_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dialpoint/server/config"
)

// named is a kind of file that a configuration names, and how a test tells its versions apart.
type named struct {
	// from are sources that name a file at that path.
	from func(t *testing.T, path string) config.Sources
	// content is one that has not been before. It differs at each call.
	content func(t *testing.T) string
	// read is what the content comes to.
	read func(*config.Config) string
}

// namedKinds are all files that are read beside the configuration.
var namedKinds = map[string]named{
	"credential_file": {
		from:    inYAML("listeners: [{auth: {credential_file: %q}}]"),
		content: newToken,
		read:    func(loaded *config.Config) string { return loaded.Listeners[0].Auth.Credential.Reveal() },
	},
	"DIALPOINT_CREDENTIAL_FILE": {
		from: func(_ *testing.T, path string) config.Sources {
			return sources(vars{"DIALPOINT_CREDENTIAL_FILE": path})
		},
		content: newToken,
		read:    func(loaded *config.Config) string { return loaded.Listeners[0].Auth.Credential.Reveal() },
	},
	"child_token_file": {
		from:    inYAML("serve: {child_token_file: %q}"),
		content: newToken,
		read:    func(loaded *config.Config) string { return loaded.Serve.Tokens.Child.Reveal() },
	},
	"operator_token_file": {
		from:    inYAML("serve: {operator_token_file: %q}"),
		content: newToken,
		read:    func(loaded *config.Config) string { return loaded.Serve.Tokens.Operator.Reveal() },
	},
	"cert_file and key_file": {
		from:    inYAML("serve: {tls: {cert_file: %[1]q, key_file: %[1]q}}"),
		content: func(t *testing.T) string { t.Helper(); return newPair(t).both() },
		read: func(loaded *config.Config) string {
			return loaded.Serve.TLS.Certificate + loaded.Serve.TLS.Key.Reveal()
		},
	},
	"client_ca_file": {
		from: func(t *testing.T, path string) config.Sources {
			t.Helper()
			own := write(t, t.TempDir(), "own.pem", newPair(t).both())
			return inYAML("serve: {tls: {cert_file: %[2]q, key_file: %[2]q, client_ca_file: %[1]q}}", own)(t, path)
		},
		content: func(t *testing.T) string { t.Helper(); return newPair(t).certificate },
		read:    func(loaded *config.Config) string { return loaded.Serve.TLS.ClientCA },
	},
}

// inYAML is a configuration file that names another one, and others that stay as they are.
func inYAML(format string, others ...any) func(*testing.T, string) config.Sources {
	return func(t *testing.T, path string) config.Sources {
		t.Helper()
		return fileSources(t, "dialpoint.yaml", fmt.Sprintf(format, append([]any{path}, others...)...))
	}
}

func newToken(*testing.T) string { return fmt.Sprintf("s3cr3t-0123456789-%d", versions.Add(1)) }

// startNamed follows a file that is named until the test ends. When it returns the file is watched.
func startNamed(t *testing.T, kind named, path string, change change) *following {
	t.Helper()
	f := &following{loader: config.NewEventLoader(kind.from(t, path)), told: make(chan string, 100)}
	now, err := f.loader.Load()
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	handler := f.handler()
	handler.Apply = func(loaded *config.Config) error { f.told <- kind.read(loaded); return nil }
	go func() { done <- f.loader.Follow(ctx, now, handler) }()
	t.Cleanup(func() { cancel(); must(t, <-done) })
	next := kind.content(t)
	change(t, next)
	f.loader.Reload()
	f.await(t, next)
	return f
}

// TestFollowSeesNamedFiles changes each kind of file in the ways that differ most.
func TestFollowSeesNamedFiles(t *testing.T) {
	t.Parallel()
	for name, kind := range namedKinds {
		for _, way := range []string{"written in place", "renamed over", "removed and made anew", "a ConfigMap", "a symlink to another file"} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				path, change := ways[way](t, t.TempDir())
				change(t, kind.content(t))
				f := startNamed(t, kind, path, change)
				next := kind.content(t)
				change(t, next)
				f.await(t, next)
			})
		}
	}
}

// TestNamedFileGoesBad checks that the last good one stays in force: what is told is why, once, and then the next good
// one. No reason shows what was in the file.
func TestNamedFileGoesBad(t *testing.T) {
	t.Parallel()
	for name, kind := range namedKinds {
		for trouble, cause := range troubles {
			t.Run(name+" "+trouble, func(t *testing.T) {
				t.Parallel()
				if trouble == "forbidden" && os.Geteuid() == 0 {
					t.Skip("nothing is forbidden to root")
				}
				path := filepath.Join(t.TempDir(), "named")
				change := swapper(path)
				change(t, kind.content(t))
				f := startNamed(t, kind, path, change)
				secret := kind.content(t)
				cause(t, path, secret)
				told := f.next(t)
				if !strings.HasPrefix(told, "failed: ") || !strings.Contains(told, path) || strings.Contains(told, "s3cr3t") {
					t.Errorf("told %s, want why the file cannot be read", told)
				}
				f.loader.Reload()
				f.want(t, told)
				next := kind.content(t)
				change(t, next)
				f.want(t, next)
			})
		}
	}
}

// troubles are what becomes of files.
var troubles = map[string]func(t *testing.T, path, content string){
	"truncated":  func(t *testing.T, path, _ string) { t.Helper(); must(t, os.Truncate(path, 0)) },
	"removed":    func(t *testing.T, path, _ string) { t.Helper(); must(t, os.Remove(path)) },
	"forbidden":  func(t *testing.T, path, _ string) { t.Helper(); must(t, os.Chmod(path, 0)) },
	"blank":      func(t *testing.T, path, _ string) { t.Helper(); swap(t, path, " \n") },
	"bad":        func(t *testing.T, path, content string) { t.Helper(); swap(t, path, content[:len(content)/2]+"\x00") },
	"a dead end": func(t *testing.T, path, _ string) { t.Helper(); relink(t, "nowhere", path) },
}

// TestFollowSeesTokensOfTheServer checks that tokens which are made after the configuration was read are noticed, in a
// directory that was not there either, and that they are followed from then on.
func TestFollowSeesTokensOfTheServer(t *testing.T) {
	t.Parallel()
	above := t.TempDir()
	dir := filepath.Join(above, "run")
	from := sources(nil)
	from.DefaultUnix = filepath.Join(dir, "s")
	f := &following{loader: config.NewEventLoader(from), told: make(chan string, 100)}
	now, err := f.loader.Load()
	must(t, err)
	handler := f.handler()
	handler.Apply = func(loaded *config.Config) error {
		f.told <- loaded.Serve.Tokens.Child.Reveal() + " " + loaded.Serve.Tokens.Operator.Reveal()
		return nil
	}
	handler.Unchanged = func() { f.told <- "unchanged" }
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.loader.Follow(ctx, now, handler) }()
	t.Cleanup(func() { cancel(); must(t, <-done) })
	f.loader.Reload()
	f.want(t, "unchanged")

	child, operator := filepath.Join(dir, "child.token"), filepath.Join(dir, "operator.token")
	mkdir(t, dir)
	swap(t, child, childToken)
	f.await(t, childToken+" ")
	swap(t, operator, operatorToken)
	f.await(t, childToken+" "+operatorToken)
	swap(t, operator, "another-"+operatorToken)
	f.want(t, childToken+" another-"+operatorToken)
	put(t, child, "")
	f.want(t, `failed: the default of serve.child_token_file: "`+child+`": `+tokenLength)
	must(t, os.Remove(child))
	f.want(t, " another-"+operatorToken)
}
