//go:build e2e

package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// root is the repository, seen from this package.
const root = ".."

// binaries is where the built commands are.
var binaries string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "dialpoint-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binaries = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// build runs go build for a package of the repository, once.
func build(name, path string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		binary := filepath.Join(binaries, name)
		command := exec.Command("go", "build", "-o", binary, path)
		command.Dir = root
		if output, err := command.CombinedOutput(); err != nil {
			return "", fmt.Errorf("go build %s: %w\n%s", path, err, output)
		}
		return binary, nil
	})
}

var (
	buildDialpoint = build("dialpoint", "./cmd/dialpoint")
	buildChild     = build("child", "./examples/go/child")
	installNode    = sync.OnceValues(func() (string, error) {
		dir, err := filepath.Abs(filepath.Join(root, "examples", "wildcard", "node"))
		if err != nil {
			return "", err
		}
		command := exec.Command("npm", "ci")
		command.Dir = dir
		if output, err := command.CombinedOutput(); err != nil {
			return "", fmt.Errorf("npm ci: %w\n%s", err, output)
		}
		return dir, nil
	})
)

// done is a value that has to be there.
func done(t *testing.T, once func() (string, error)) string {
	t.Helper()
	value, err := once()
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// dialpoint is the path of the built command.
func dialpoint(t *testing.T) string {
	t.Helper()
	return done(t, buildDialpoint)
}

// nodeDir is the directory of the Node child, with its package installed.
func nodeDir(t *testing.T) string {
	t.Helper()
	need(t, "node", "npm")
	return done(t, installNode)
}

// need fails a test for which a program is missing. It is no reason to skip: make e2e promises these tests.
func need(t *testing.T, programs ...string) {
	t.Helper()
	packages := map[string]string{"node": "nodejs", "tinyproxy": "tinyproxy-bin"}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err == nil {
			continue
		}
		name := packages[program]
		if name == "" {
			name = program
		}
		t.Fatalf("%s is not installed: apt-get install %s", program, name)
	}
}
