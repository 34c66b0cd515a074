//go:build !linux

package main_test

import "syscall"

// background keeps a command out of the foreground of the terminal that the tests may have been started from, where a
// signal by hand passes for a key of it.
func background() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
