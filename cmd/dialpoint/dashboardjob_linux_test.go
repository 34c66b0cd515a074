//go:build e2e

package main_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestE2EJobControl: in a shell, Ctrl-Z stops the dashboard and its parent, fg goes on with both, and Ctrl-C reaches the
// dashboard once.
func TestE2EJobControl(t *testing.T) {
	t.Parallel()
	needTools(t, "bash", "ps")
	for _, command := range []string{"report", "serve --tcp none", "exec --on-change ignore --optional --wait 0"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			terminal := openTerminal(t)
			shell := h.program(t, []string{"PS1=", "DIALPOINT_AUTH_MODE=none"}, "bash", "--norc", "--noediting", "-i")
			shell.Stdin = terminal.tty
			terminal.start(t, shell)
			terminal.types(t, "dialpoint "+command+" -- dashboard 'out:mine\\n' wait:3\n")
			says(t, terminal.shown, "waiting\n", 1)
			job := terminal.foreground(t)
			terminal.types(t, "\x1a")
			says(t, terminal.shown, "Stopped", 1)
			// The shell waits for the parent alone: the dashboard may stop a little later.
			terminal.types(t, "until [ \"$(ps -o stat= -p $(jobs -p)) $(ps -o stat= --ppid $(jobs -p))\" = 'Tl Tl' ]; do sleep 0.05; done; echo both stopped\n")
			says(t, terminal.shown, "both stopped\n", 1)
			terminal.types(t, "fg\n")
			terminal.awaitForeground(t, job)
			terminal.types(t, "\x03")
			says(t, terminal.shown, "got interrupt\n", 1)
			terminal.types(t, "\x1a")
			says(t, terminal.shown, "Stopped", 2)
			terminal.types(t, "bg; kill %1; wait %1; echo code $?\n")
			says(t, terminal.shown, "code 3\n", 1)
			terminal.types(t, "exit\n")
			_ = shell.Wait()
			if countOf(terminal.shown, "got interrupt\n") != 1 || countOf(terminal.shown, "got terminated\n") != 1 {
				t.Errorf("the terminal shows\n%s", terminal.shown)
			}
		})
	}
}

// foreground is the process group that the keys' signals go to.
func (o *terminal) foreground(t *testing.T) int {
	t.Helper()
	group, err := unix.IoctlGetInt(int(o.keys.Fd()), unix.TIOCGPGRP)
	mustDo(t, err)
	return group
}

// awaitForeground waits until a process group has the keys.
func (o *terminal) awaitForeground(t *testing.T, group int) {
	t.Helper()
	for late := time.Now().Add(patience); o.foreground(t) != group; <-time.After(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("the foreground is %d, want %d", o.foreground(t), group)
		}
	}
}
