package main

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// reaction is what a parent does to its child when the URLs change.
type reaction interface {
	changed(parent *supervisor)
}

// restart ends the child and starts it anew with the new URLs.
type restart struct{}

func (restart) changed(parent *supervisor) { parent.replace() }

// notify sends the child a signal. It is up to the child to resolve again.
type notify struct{ signal syscall.Signal }

func (n notify) changed(parent *supervisor) { parent.send(n.signal) }

// ignore leaves the child alone.
type ignore struct{}

func (ignore) changed(*supervisor) {}

// parseReaction reads --on-change. Empty is no reaction and no error: the parent becomes the child.
func parseReaction(text string) (none reaction, err error) {
	name, isSignal := strings.CutPrefix(text, "signal=")
	switch {
	case text == "":
		return none, nil
	case text == "restart":
		return restart{}, nil
	case text == "ignore":
		return ignore{}, nil
	case !isSignal:
		return nil, fmt.Errorf("--on-change %q: it must be restart, signal=NAME or ignore", text)
	}
	signal := signalOf(name)
	if signal == 0 {
		return nil, fmt.Errorf("--on-change %q: there is no such signal; write it as HUP, SIGHUP or 1", text)
	}
	return notify{signal}, nil
}

// signalOf is a signal by its name, with or without SIG, or its number. Zero is none.
func signalOf(name string) syscall.Signal {
	const highest = 64
	if number, err := strconv.Atoi(name); err == nil {
		if number < 1 || number > highest {
			return 0
		}
		return syscall.Signal(number)
	}
	name = strings.ToUpper(name)
	return unix.SignalNum("SIG" + strings.TrimPrefix(name, "SIG"))
}
