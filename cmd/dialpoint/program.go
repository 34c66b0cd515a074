package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// Exit codes for a command that was not run, as shells have them.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// exitStatus ends the process with a code, after a message where there is one.
type exitStatus struct {
	code int
	err  error
}

// Error implements error.
func (e exitStatus) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

// Unwrap gives [errors.As] what is behind.
func (e exitStatus) Unwrap() error { return e.err }

// program is a command that was found.
type program struct {
	path string
	args []string
}

// findProgram looks a command up as a shell does. It does so before anything is waited for.
func findProgram(args []string) (program, error) {
	path, err := exec.LookPath(args[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return program{}, notRun(args[0], err)
	}
	return program{path: path, args: args}, nil
}

func notRun(name string, err error) error {
	code := exitNotExecutable
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		code = exitNotFound
	}
	if lookup, found := errors.AsType[*exec.Error](err); found {
		err = lookup.Err
	}
	return exitStatus{code, fmt.Errorf("%s: %w", name, err)}
}

// become puts the program in this process's place. It returns only when that failed.
func (p program) become(environ []string) error {
	return notRun(p.path, syscall.Exec(p.path, p.args, environ))
}

// start runs the program as a child with this standard output, that shares the other standard streams of this process.
func (p program) start(environ []string, stdout *os.File) (pid int, err error) {
	pid, err = syscall.ForkExec(p.path, p.args, &syscall.ProcAttr{
		Env:   environ,
		Files: []uintptr{os.Stdin.Fd(), stdout.Fd(), os.Stderr.Fd()},
	})
	if err != nil {
		return 0, notRun(p.path, err)
	}
	return pid, nil
}
