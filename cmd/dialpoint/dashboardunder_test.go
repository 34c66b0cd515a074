package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// underMain becomes the program that its later arguments name. Its first says what that inherits:
//
//	ignore     SIGHUP is ignored, as nohup has it
//	reaper     it gets the orphans below it, as process 1 does (prctl(2), PR_SET_CHILD_SUBREAPER)
func underMain() {
	switch os.Args[1] {
	case "ignore":
		signal.Ignore(syscall.SIGHUP)
	case "reaper":
		if err := becomeReaper(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	path, err := exec.LookPath(os.Args[2])
	if err == nil {
		err = syscall.Exec(path, os.Args[2:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
