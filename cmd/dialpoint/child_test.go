package main

import (
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// childMain is a program for exec to run. What it does is its first argument:
//
//	env           print the environment, in order
//	pid           print the process id and the arguments
//	exit CODE     exit with a code
//	die NUMBER    die of a signal
//	wait CODE     print a line for the start and one for each signal, and exit with the code at SIGTERM
//	stay          the same, but stay at SIGTERM
//	deaf          print a line for the start, and take no notice of SIGTERM
func childMain() {
	switch os.Args[1] {
	case "env":
		fmt.Println(strings.Join(slices.Sorted(slices.Values(os.Environ())), "\n"))
	case "pid":
		fmt.Println(os.Getpid(), os.Args)
	case "exit":
		os.Exit(numberOf(os.Args[2]))
	case "die":
		die(syscall.Signal(numberOf(os.Args[2])))
	case "wait":
		waitForSignals(func() { os.Exit(numberOf(os.Args[2])) })
	case "stay":
		waitForSignals(func() {})
	case "deaf":
		signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM)
		started()
		select {}
	}
}

func numberOf(text string) int {
	number, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return number
}

// die does not return: a signal may take a moment, in which the runtime must not find that everything waits for nothing.
func die(of syscall.Signal) {
	_ = syscall.Kill(os.Getpid(), of)
	<-time.After(time.Minute)
}

func started() { fmt.Println("start", os.Getenv("DIALPOINT_GATEWAY_URL")) }

// waitForSignals says what happens, one line each.
func waitForSignals(terminated func()) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH)
	started()
	for received := range signals {
		fmt.Println("got", received)
		if received == syscall.SIGTERM {
			terminated()
		}
	}
}
