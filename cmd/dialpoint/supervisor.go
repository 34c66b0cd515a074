package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// fatal is what a signal adds to its number where it ends a child, as in a shell.
const fatal = 128

// supervisor is the parent of one child. All of it happens in one goroutine: there are never two children at once.
type supervisor struct {
	// spawn starts a child, signal sends it a signal.
	spawn  func(*dialpointv1.Endpoints) (pid int, err error)
	signal func(pid int, signal syscall.Signal) error
	react  reaction
	grace  time.Duration

	// current is what the child was given, newest what it would be given now. Nil is no URLs.
	current, newest *dialpointv1.Endpoints
	pid             int
	// ending is set while the child is to end so that another can take its place, quitting once it is to end for good.
	ending, quitting bool
	// kill fires when a child that is to end has not.
	kill *time.Timer
}

// run keeps a child until it ends by itself. The error is that child's exit status, or why there is none.
func (s *supervisor) run(changes <-chan *dialpointv1.Endpoints) error {
	const manySignals = 64
	signals := make(chan os.Signal, manySignals)
	signal.Notify(signals)
	defer signal.Stop(signals)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	defer signal.Stop(ended)
	s.kill = time.NewTimer(0)
	<-s.kill.C
	s.newest = s.current
	if err := s.start(); err != nil {
		return err
	}
	for {
		select {
		case received := <-signals:
			s.forward(received)
		case <-ended:
			if status, over := s.reap(); over {
				return status
			}
		case s.newest = <-changes:
			s.compare()
		case <-s.kill.C:
			s.send(syscall.SIGKILL)
		}
	}
}

// start starts the child with the newest URLs.
func (s *supervisor) start() error {
	pid, err := s.spawn(s.newest)
	if err != nil {
		return err
	}
	s.pid, s.current, s.ending = pid, s.newest, false
	s.kill.Stop()
	return nil
}

// compare reacts when the child was given other URLs than it would be now.
func (s *supervisor) compare() {
	if !sameURLs(s.current, s.newest) {
		s.react.changed(s)
		if !s.ending {
			s.current = s.newest
		}
	}
}

func sameURLs(a, b *dialpointv1.Endpoints) bool {
	return a.GetGateway().GetUrl() == b.GetGateway().GetUrl() && a.GetSidecar().GetUrl() == b.GetSidecar().GetUrl()
}

// replace asks the child to end. The next one starts when it has.
func (s *supervisor) replace() {
	if s.ending || s.quitting {
		return
	}
	s.ending = true
	s.send(syscall.SIGTERM)
	s.kill.Reset(s.grace)
}

// send signals the child. One that has just ended cannot be signalled, which its end will show.
func (s *supervisor) send(signal syscall.Signal) { _ = s.signal(s.pid, signal) }

// forward hands a signal on to the child.
func (s *supervisor) forward(received os.Signal) {
	number, ok := received.(syscall.Signal)
	if !ok {
		return
	}
	switch number {
	case syscall.SIGCHLD, syscall.SIGURG, syscall.SIGPIPE:
		// They are this process's own: its child, the Go runtime, its own output.
		return
	case syscall.SIGTERM:
		s.quitting = true
	case syscall.SIGINT, syscall.SIGQUIT:
		s.quitting = s.quitting || s.ending
	default:
	}
	if !fromTerminal(number) {
		s.send(number)
	}
	if number == syscall.SIGTSTP {
		// Stop as the child does, so that the shell takes over.
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	}
}

// fromTerminal reports whether the terminal has sent the signal to the child as well: the keys for these signals reach
// every process in the foreground.
func fromTerminal(number syscall.Signal) bool {
	switch number {
	case syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGWINCH:
		foreground, err := unix.IoctlGetInt(int(os.Stdin.Fd()), unix.TIOCGPGRP)
		return err == nil && foreground == unix.Getpgrp()
	default:
		return false
	}
}

// reap takes note of every process that has ended, orphans that were left to this one included. It reports whether the
// child is over, with its exit status.
func (s *supervisor) reap() (status error, over bool) {
	for {
		var wait syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &wait, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
		case pid <= 0:
			return nil, false
		case pid == s.pid && s.ending && !s.quitting:
			if err := s.start(); err != nil {
				return err, true
			}
		case pid == s.pid:
			return exitStatus{code: codeOf(wait)}, true
		}
	}
}

func codeOf(wait syscall.WaitStatus) int {
	if wait.Signaled() {
		return fatal + int(wait.Signal())
	}
	return wait.ExitStatus()
}
