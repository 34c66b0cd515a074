package main_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal is a terminal that a test types at.
type terminal struct {
	keys *os.File
	// shown is what appears on it.
	shown *transcript
	tty   *os.File
}

// openTerminal opens one (pty(7)). It does not repeat what is typed.
func openTerminal(t *testing.T) *terminal {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	t.Cleanup(func() { _ = keys.Close() })
	mustDo(t, unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	mustDo(t, err)
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	mustDo(t, err)
	t.Cleanup(func() { _ = tty.Close() })
	settings, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	mustDo(t, err)
	settings.Lflag &^= unix.ECHO
	settings.Oflag &^= unix.OPOST
	mustDo(t, unix.IoctlSetTermios(int(tty.Fd()), unix.TCSETS, settings))
	opened := &terminal{keys: keys, shown: newTranscript(), tty: tty}
	go func() { _, _ = io.Copy(opened.shown, keys) }()
	return opened
}

func (o *terminal) types(t *testing.T, text string) {
	t.Helper()
	_, err := io.WriteString(o.keys, text)
	mustDo(t, err)
}

// start runs a command in a session of its own, in the foreground of the terminal, from which it reads nothing.
func (o *terminal) start(t *testing.T, command *exec.Cmd) {
	t.Helper()
	if command.Stdin == nil {
		command.ExtraFiles = []*os.File{o.tty}
		command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	} else {
		command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	}
	command.Stdout, command.Stderr = o.tty, o.tty
	mustDo(t, command.Start())
}

// TestKeysReachTheDashboardOnce: the terminal sends their signals to every process in the foreground, so that they must
// not be passed on, wherever the input comes from. What is sent to the parent alone is.
func TestKeysReachTheDashboardOnce(t *testing.T) {
	t.Parallel()
	for name, inputIsTerminal := range map[string]bool{"input from the terminal": true, "input from elsewhere": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			terminal := openTerminal(t)
			command := h.command(t, nil, "report", "--", "dashboard", "wait:3")
			if inputIsTerminal {
				command.Stdin = terminal.tty
			}
			terminal.start(t, command)
			says(t, terminal.shown, "waiting\n", 1)
			for key, signal := range map[string]string{"\x03": "interrupt", "\x1c": "quit"} {
				terminal.types(t, key)
				says(t, terminal.shown, "got "+signal+"\n", 1)
			}
			mustDo(t, command.Process.Signal(syscall.SIGUSR1))
			says(t, terminal.shown, "got user defined signal 1\n", 1)
			mustDo(t, command.Process.Signal(syscall.SIGTERM))
			says(t, terminal.shown, "got terminated\n", 1)
			if code := exitCodeOf(t, command.Wait()); code != 3 {
				t.Errorf("exit %d, want 3\n%s", code, terminal.shown)
			}
			for _, signal := range []string{"interrupt", "quit"} {
				if times := countOf(terminal.shown, "got "+signal+"\n"); times != 1 {
					t.Errorf("%s came %d times\n%s", signal, times, terminal.shown)
				}
			}
		})
	}
}

// TestTestsInATerminal: who runs the tests at a terminal gets what others get.
func TestTestsInATerminal(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	mustDo(t, err)
	terminal := openTerminal(t)
	const sendSignals = "^(TestSignalsPass|TestSignalsThatStayHere|TestOnChangeIgnorePassesSignalsThrough|TestServeEndsAfterTheDashboard)$"
	tests := exec.CommandContext(t.Context(), program, "-test.v", "-test.run", sendSignals, "-test.timeout", patience.String())
	terminal.start(t, tests)
	if err := tests.Wait(); err != nil {
		t.Errorf("%v\n%s", err, terminal.shown)
	}
	says(t, terminal.shown, "\n--- PASS: ", 1+strings.Count(sendSignals, "|"))
}
