//go:build e2e

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dialpoint/examples/wildcard/process"
	"dialpoint/server/socket/heldport"
)

const (
	// secret must not show in anything that a child prints.
	secret = "s3cret"
	// patience is how long anything here may take: it is waited for, and never slept for.
	patience = time.Minute
)

// site is where a service can be started, with addresses at which nobody else listens.
type site struct {
	dir, unix, tcp string
}

func newSite(t *testing.T) *site {
	t.Helper()
	// The tests' own directories have long names, and a socket's path may have 107 bytes.
	dir, err := os.MkdirTemp(binaries, "site-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	return &site{dir: dir, unix: "unix://" + filepath.Join(dir, "d.sock"), tcp: "http://" + freeAddress(t)}
}

// token tells a child where the service keeps the token of children.
func (s *site) token() string { return "DIALPOINT_TOKEN_FILE=" + filepath.Join(s.dir, "child.token") }

// freeAddress is one at which nobody listens until the test ends, but a program that is told to.
func freeAddress(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", heldport.New(t))
}

// configure writes the default listener's bind into the service's configuration, whole.
func (s *site) configure(t *testing.T, bind string) string {
	t.Helper()
	config := filepath.Join(s.dir, "dialpoint.yaml")
	text := fmt.Sprintf("serve: {unix: %q, tcp: %q}\nlisteners: [{name: default, bind: %s}]\n",
		strings.TrimPrefix(s.unix, "unix://"), strings.TrimPrefix(s.tcp, "http://"), bind)
	if err := os.WriteFile(config+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(config+".new", config); err != nil {
		t.Fatal(err)
	}
	return config
}

// serve starts the service for a bind, and returns once it listens.
func (s *site) serve(t *testing.T, bind string) {
	t.Helper()
	// The environment is this and no more, since the one of the tests may say something about a service.
	service := start(t, []string{"DIALPOINT_CREDENTIAL=" + secret}, dialpoint(t), "serve", "--config", s.configure(t, bind))
	if _, err := service.Await(waiting(t), &service.Out, "listener default"); err != nil {
		t.Fatal(err)
	}
}

// start runs a command, which ends with the test at the latest.
func start(t *testing.T, env []string, program string, args ...string) *process.Process {
	t.Helper()
	command := process.Command(t.Context(), program, args...)
	command.Env = env
	running, err := process.Start(command)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := running.Stop(); err != nil {
			t.Error(err)
		}
	})
	return running
}

// waiting is the context of something that has to happen soon.
func waiting(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// exitCode waits for the end of a process.
func exitCode(t *testing.T, running *process.Process) int {
	t.Helper()
	err := running.Wait()
	if err == nil {
		return 0
	}
	if failure := new(exec.ExitError); errors.As(err, &failure) {
		return failure.ExitCode()
	}
	t.Fatal(err)
	return 0
}
