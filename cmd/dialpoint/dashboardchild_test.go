package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// dashboardMain is a dashboard for report and serve to run. It does what its arguments say, one after the other:
//
//	out:TEXT      write a text to standard output, in which \n, \r, \t, \x.. are as in Go
//	err:TEXT      the same to standard error
//	bytes:COUNT   write so many bytes of chance, always the same, to standard output
//	listen        listen on a free port of 127.0.0.1, answer each connection with "hello", and announce it
//	pid           write the process's id
//	env:NAME      write a variable as NAME=value
//	run:COMMAND   run a command, of words without spaces, to its end
//	line          wait for a line on standard input
//	copy          write standard input to standard output
//	close         close standard output
//	ignored       say whether SIGHUP is ignored
//	orphan        leave a process to whoever gets orphans, which ends then
//	leave:COUNT   start a process that writes so many bytes to standard output, and is not waited for
//	wait:CODE     say "waiting", write a line for each signal, and exit with the code at SIGTERM
//	stay:COUNT    the same, but exit only at the SIGTERM of that number, with 0
//	exit:CODE     exit with a code
//	die:NUMBER    die of a signal
func dashboardMain() {
	input := bufio.NewReader(os.Stdin)
	for _, argument := range os.Args[1:] {
		step, value, _ := strings.Cut(argument, ":")
		if step == "line" {
			_, _ = input.ReadString('\n')
			continue
		}
		dashboardSteps[step](value)
	}
}

var dashboardSteps = map[string]func(value string){
	"out":    func(value string) { write(os.Stdout, value) },
	"err":    func(value string) { write(os.Stderr, value) },
	"bytes":  func(value string) { _, _ = io.CopyN(os.Stdout, chance(), int64(numberOf(value))) },
	"listen": func(string) { listen() },
	"pid":    func(string) { write(os.Stdout, strconv.Itoa(os.Getpid())+"\n") },
	"env":    func(value string) { write(os.Stdout, value+"="+os.Getenv(value)+"\n") },
	"run":    run,
	"copy":   func(string) { _, _ = io.Copy(os.Stdout, os.Stdin) },
	"close":  func(string) { _ = os.Stdout.Close() },
	"leave":  func(count string) { leave("line", "bytes:"+count) },
	"orphan": func(string) { orphan() },
	"fork":   func(string) { leave("abandoned:" + strconv.Itoa(os.Getpid())) },
	"abandoned": func(parent string) {
		for os.Getppid() == numberOf(parent) {
			<-time.After(time.Millisecond)
		}
	},
	"ignored": func(string) { write(os.Stdout, fmt.Sprintln("SIGHUP is ignored:", signal.Ignored(syscall.SIGHUP))) },
	"wait":    func(value string) { stay(1, numberOf(value)) },
	"stay":    func(value string) { stay(numberOf(value), 0) },
	"exit":    func(value string) { os.Exit(numberOf(value)) },
	"die":     func(value string) { die(syscall.Signal(numberOf(value))) },
}

func write(to io.Writer, text string) {
	if plain, err := strconv.Unquote(`"` + text + `"`); err == nil {
		text = plain
	}
	_, _ = io.WriteString(to, text)
}

// chance is bytes of every kind, the same each time.
func chance() io.Reader { return rand.NewChaCha8([32]byte{}) }

func listen() {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "hello")
			_ = conn.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	write(os.Stdout, "HERMES_DASHBOARD_READY port="+port+"\n")
}

func run(command string) {
	words := strings.Fields(command)
	child := exec.Command(words[0], words[1:]...)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	_ = child.Run()
}

// leave starts a process that does these steps, and does not wait for it.
func leave(steps ...string) {
	left := exec.Command(os.Args[0], steps...)
	left.Stdin, left.Stdout = os.Stdin, os.Stdout
	if err := left.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// orphan leaves a process to whoever gets it: the one between has ended when this returns.
func orphan() {
	between := exec.Command(os.Args[0], "fork")
	between.Stdout = os.Stdout
	if err := between.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// stay says what signals come, until SIGTERM has come so often, or whoever started it is gone: a test that failed may have
// killed that.
func stay(count, code int) {
	parent := os.Getppid()
	go func() {
		for os.Getppid() == parent {
			<-time.After(time.Second)
		}
		os.Exit(1)
	}()
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGQUIT,
		syscall.SIGPIPE, syscall.SIGCHLD, syscall.SIGWINCH)
	write(os.Stdout, "waiting\n")
	for received := range signals {
		write(os.Stdout, "got "+received.String()+"\n")
		if received == syscall.SIGTERM {
			count--
		}
		if count == 0 {
			os.Exit(code)
		}
	}
}
