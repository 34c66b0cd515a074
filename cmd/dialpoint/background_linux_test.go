package main_test

import "syscall"

// background keeps a command out of the foreground of the terminal that the tests may have been started from, where a
// signal by hand passes for a key of it. It is told to end with the tests, since the keys do not reach it.
func background() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
