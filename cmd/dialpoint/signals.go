package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// passedOn is the signals that are caught.
//
// SIGPIPE is caught so that an output which nobody reads does not end this process, and is not passed on.
func passedOn() []os.Signal {
	const last = 64
	var signals []os.Signal
	for number := syscall.Signal(1); number <= last; number++ {
		switch number {
		case syscall.SIGCHLD, syscall.SIGURG, syscall.SIGKILL, syscall.SIGSTOP:
			// They are this process's own: its child, the Go runtime. The last two cannot be caught.
		case syscall.SIGTTIN, syscall.SIGTTOU:
			// The terminal stops this process and the child alike, which is what they are for.
		default:
			// A signal that is to be ignored, as nohup has it, is so for the child as well.
			if !signal.Ignored(number) {
				signals = append(signals, number)
			}
		}
	}
	return signals
}

// isKey reports whether a signal is one that asks for the end with a key of the terminal.
func isKey(number syscall.Signal) bool { return number == syscall.SIGINT || number == syscall.SIGQUIT }

// fromTerminal reports whether the terminal has sent the signal to the child as well: the keys for these signals reach
// every process in the foreground. Whoever sends one by hand to a process in the foreground is not told apart.
func fromTerminal(number syscall.Signal) bool {
	switch number {
	case syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGWINCH:
		return isForeground()
	default:
		return false
	}
}

// isForeground reports whether this process has a terminal and is in its foreground, wherever its own input comes from.
func isForeground() bool {
	terminal, err := os.OpenFile("/dev/tty", os.O_RDONLY|unix.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	// Nothing was written that closing could lose.
	defer func() { _ = terminal.Close() }()
	foreground, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && foreground == unix.Getpgrp()
}
