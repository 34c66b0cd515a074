//go:build e2e

package process_test

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dialpoint/examples/wildcard/process"
)

// start runs a shell script.
func start(ctx context.Context, t *testing.T, script string) *process.Process {
	t.Helper()
	p, err := process.Start(exec.CommandContext(ctx, "sh", "-c", script))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestE2EOutputs(t *testing.T) {
	t.Parallel()
	p := start(t.Context(), t, "echo one; echo two >&2; echo three")
	if err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"one", "three"}, {"two"}}, [][]string{p.Out.Lines(), p.Err.Lines()}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestE2EExitCode(t *testing.T) {
	t.Parallel()
	p := start(t.Context(), t, "exit 69")
	var failure *exec.ExitError
	if err := p.Wait(); !errors.As(err, &failure) || failure.ExitCode() != 69 {
		t.Errorf("got %v, want exit code 69", err)
	}
}

func TestE2EAwait(t *testing.T) {
	t.Parallel()
	p := start(t.Context(), t, "echo starting >&2; echo ready port=1 >&2; read forever")
	line, err := p.Await(t.Context(), &p.Err, "ready")
	if line != "ready port=1" || err != nil {
		t.Errorf("got %q, %v", line, err)
	}
}

func TestE2EAwaitEndsWithTheProcess(t *testing.T) {
	t.Parallel()
	p := start(t.Context(), t, "echo address in use; exit 3")
	_, err := p.Await(t.Context(), &p.Out, "ready")
	if err == nil || !strings.Contains(err.Error(), "sh ended: exit status 3") || !strings.Contains(err.Error(), "address in use") {
		t.Errorf("got %v, want how it ended and what it wrote", err)
	}
}

func TestE2EStopLetsItEndInOrder(t *testing.T) {
	t.Parallel()
	p := start(t.Context(), t, "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done")
	if _, err := p.Await(t.Context(), &p.Out, "ready"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := p.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Wait(); err != nil || !strings.Contains(p.Out.String(), "bye") {
		t.Errorf("got %v and %q, want it to have said bye", err, p.Out.String())
	}
	if err := syscall.Kill(p.PID(), 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d: %v, want it reaped", p.PID(), err)
	}
}

func TestE2EContextEndsIt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p := start(ctx, t, "echo ready; exec sleep 600")
	if _, err := p.Await(t.Context(), &p.Out, "ready"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := p.Wait(); err == nil {
		t.Error("got no error, want that it was ended")
	}
}

func TestE2ENoSuchProgram(t *testing.T) {
	t.Parallel()
	if _, err := process.Start(exec.CommandContext(t.Context(), "/no/such/program")); err == nil {
		t.Error("got no error")
	}
}
