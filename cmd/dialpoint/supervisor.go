package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// fatal is what a signal adds to its number where it ends a child, as in a shell.
const fatal = 128

// supervisor is the parent of one child. All of it happens in one goroutine: there are never two children at once.
type supervisor struct {
	// spawn starts a child.
	spawn func() (pid int, err error)
	// grace is how long a child that is to end may take after SIGTERM, before it is killed.
	grace time.Duration
	// firm has the grace count for a SIGTERM that is passed on, too.
	firm bool
	// hangup, where it is set, takes the place of passing SIGHUP on.
	hangup func()

	signals, ended chan os.Signal
	pid            int
	// ending is set while the child is to end so that another can take its place, quitting once it is to end for good.
	ending, quitting bool
	// kill fires when a child that is to end has not.
	kill *time.Timer
}

// newSupervisor catches signals from here on: those that come before there is a child are passed on to it.
func newSupervisor(spawn func() (pid int, err error)) *supervisor {
	const manySignals = 64
	s := &supervisor{
		spawn:   spawn,
		signals: make(chan os.Signal, manySignals),
		ended:   make(chan os.Signal, 1),
		kill:    time.NewTimer(0),
	}
	s.kill.Stop()
	signal.Notify(s.signals, passedOn()...)
	signal.Notify(s.ended, syscall.SIGCHLD)
	return s
}

// release leaves signals to what they do by default.
func (s *supervisor) release() {
	signal.Stop(s.signals)
	signal.Stop(s.ended)
}

// run keeps a child until it ends by itself. The error is that child's exit status, or why there is none. Calls are made
// between all else that happens.
func (s *supervisor) run(calls <-chan func()) error {
	defer s.release()
	defer s.kill.Stop()
	if err := s.start(); err != nil {
		return err
	}
	for {
		select {
		case received := <-s.signals:
			s.forward(received)
		case <-s.ended:
			if status, over := s.reap(); over {
				return status
			}
		case call := <-calls:
			call()
		case <-s.kill.C:
			s.send(syscall.SIGKILL)
		}
	}
}

// start starts a child.
func (s *supervisor) start() error {
	pid, err := s.spawn()
	if err != nil {
		return err
	}
	s.pid, s.ending = pid, false
	s.kill.Stop()
	return nil
}

// replace asks the child to end. The next one starts when it has.
func (s *supervisor) replace() {
	if !s.ending && !s.quitting {
		s.ending = true
		s.end()
	}
}

// quit asks the child to end for good.
func (s *supervisor) quit() {
	if !s.quitting {
		s.quitting = true
		s.end()
	}
}

// end asks the child to end, also one that is stopped, and kills it when it does not.
func (s *supervisor) end() {
	s.send(syscall.SIGTERM)
	s.send(syscall.SIGCONT)
	s.kill.Reset(s.grace)
}

// send signals the child. One that has just ended cannot be signalled, which its end will show.
func (s *supervisor) send(signal syscall.Signal) { _ = syscall.Kill(s.pid, signal) }

// reap takes note of every process that has ended, orphans that were left to this one included. It reports whether the
// child is over, with its exit status. It takes them from whoever else waits: nothing in this process may start others.
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

// forward hands a signal on to the child.
func (s *supervisor) forward(received os.Signal) {
	number, ok := received.(syscall.Signal)
	switch {
	case !ok || number == syscall.SIGPIPE:
		return
	case number == syscall.SIGHUP && s.hangup != nil:
		s.hangup()
		return
	case number == syscall.SIGTERM && s.firm && !s.quitting:
		s.quit()
		return
	case number == syscall.SIGTERM, isKey(number) && s.ending:
		s.quitting = true
	}
	if !fromTerminal(number) {
		s.send(number)
	}
	if number == syscall.SIGTSTP {
		// Stop as the child does, so that the shell takes over.
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	}
}
