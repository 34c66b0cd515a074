package main_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"

	"dialpoint/client"
)

// services are those that a script has started, by name.
type (
	services    map[string]*service
	servicesKey struct{}
)

// scriptCommands are what a script can do beside the commands of testscript. None can be negated.
var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"exits":       positive(exits),
	"normal":      positive(normal),
	"serve-start": positive(serveStart),
	"serve-stop":  positive(serveStop),
	"hangup":      positive(hangup),
	"awaits-url":  positive(awaitsURL),
	"awaits-log":  positive(awaitsLog),

	"dashboard-start": positive(dashboardStart),
	"patient-start":   positive(patientStart),
}

func positive(command func(*testscript.TestScript, []string) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg {
			ts.Fatalf("it cannot be negated")
		}
		ts.Check(command(ts, args))
	}
}

// exits CODE PROGRAM ARG...: the program ends with exactly that code. What it wrote can be looked at as after exec.
func exits(ts *testscript.TestScript, args []string) error {
	want, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got, err = exit.ExitCode(), nil
	}
	if got != want {
		ts.Fatalf("%q: exit %d, want %d", args[1:], got, want)
	}
	return err
}

// normal FROM TO: the text of a file, or of stdout or stderr, without what differs from run to run.
func normal(ts *testscript.TestScript, args []string) error {
	return os.WriteFile(ts.MkAbs(args[1]), []byte(normalise(ts.ReadFile(args[0]))), 0o600)
}

// serve-start NAME [VARIABLE=VALUE]... [ARG]...: starts a service on a free TCP port and waits for its banner, which
// stdout then holds. It ends with the script. The variables NAME_TCP, NAME_UNIX and NAME_PID say where it is.
func serveStart(ts *testscript.TestScript, args []string) error {
	name, args := args[0], args[1:]
	env := processEnv(ts.Getenv("HOME"), ts.Getenv("XDG_RUNTIME_DIR"), ts.Getenv("TMPDIR"))
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		env, args = append(env, args[0]), args[1:]
	}
	started, err := startService(serveCommand(ts.MkAbs("."), env, args...))
	if err != nil {
		return err
	}
	ts.Defer(started.kill)
	servicesOf(ts)[name] = started
	ts.Setenv(name+"_TCP", started.tcp)
	ts.Setenv(name+"_UNIX", started.unix)
	ts.Setenv(name+"_PID", strconv.Itoa(started.process.Process.Pid))
	_, err = ts.Stdout().Write([]byte(started.banner))
	return err
}

// servicesOf are the services of a script. setupScript has put them there.
func servicesOf(ts *testscript.TestScript) services {
	found, _ := ts.Value(servicesKey{}).(services)
	return found
}

func named(ts *testscript.TestScript, name string) *service {
	found := servicesOf(ts)[name]
	if found == nil {
		ts.Fatalf("no service %q was started", name)
	}
	return found
}

// serve-stop NAME: SIGTERM, which must end the service with 0. Its log is on stderr then.
func serveStop(ts *testscript.TestScript, args []string) error {
	stopped := named(ts, args[0])
	if err := stopped.stop(); err != nil {
		return err
	}
	_, err := ts.Stderr().Write([]byte(stopped.log.String()))
	return err
}

// hangup NAME: SIGHUP.
func hangup(ts *testscript.TestScript, args []string) error {
	return named(ts, args[0]).signal(syscall.SIGHUP)
}

// awaits-log NAME COUNT REGEXP: the service has logged that so often.
func awaitsLog(ts *testscript.TestScript, args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	count, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	pattern, err := regexp.Compile(args[2])
	if err != nil {
		return err
	}
	return named(ts, args[0]).log.await(ctx, pattern, count)
}

// awaits-url NAME URL [LISTENER]: the service answers with that URL of the gateway, without its credential.
func awaitsURL(ts *testscript.TestScript, args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	caller, err := client.New(named(ts, args[0]).unix)
	if err != nil {
		return err
	}
	defer caller.Close()
	request := client.Request{Listener: strings.Join(args[2:], "")}
	for update, err := range caller.Watch(ctx, request) {
		if err != nil {
			return err
		}
		if update.GetEndpoints().GetGateway().GetBareUrl() == args[1] {
			return nil
		}
	}
	return ctx.Err()
}
