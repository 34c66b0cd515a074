// Package process runs a program, keeps what it writes, and ends it in order.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"dialpoint/examples/wildcard/transcript"
)

// grace is how long a process may take to end after SIGTERM, before it is killed.
const grace = 10 * time.Second

// Process is a program that was started with [Start].
type Process struct {
	// Out and Err are what it has written so far.
	Out, Err transcript.Transcript

	command *exec.Cmd
	ended   context.Context
	result  error
}

// Command is [exec.CommandContext], for programs and arguments that this repository chooses.
func Command(ctx context.Context, program string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, program, args...)
}

// Start runs a command of [Command]. When the command's context ends, the process gets SIGTERM. Stop or Wait
// reaps it.
func Start(command *exec.Cmd) (*Process, error) {
	p := &Process{command: command}
	command.Stdout, command.Stderr = &p.Out, &p.Err
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = grace
	if err := command.Start(); err != nil {
		return nil, err
	}
	ended, end := context.WithCancelCause(context.Background())
	p.ended = ended
	go func() {
		p.result = command.Wait()
		end(fmt.Errorf("%s ended: %s; it wrote:\n%s%s", filepath.Base(command.Path), command.ProcessState, &p.Out, &p.Err))
	}()
	return p, nil
}

// PID is the process's id.
func (p *Process) PID() int { return p.command.Process.Pid }

// Await returns the first line of a transcript, as a rule p.Out or p.Err, that holds a text. It gives up when the context
// or the process ends.
func (p *Process) Await(ctx context.Context, lines *transcript.Transcript, text string) (string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.ended, func() { cancel(context.Cause(p.ended)) })()
	return lines.Wait(ctx, text)
}

// Wait waits for the end of the process. The error is that of [exec.Cmd.Wait]: nil for exit code 0.
func (p *Process) Wait() error {
	<-p.ended.Done()
	return p.result
}

// Stop sends SIGTERM, unless the process has ended, and waits for its end. What it ended with is no error.
func (p *Process) Stop() error {
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	killer := time.AfterFunc(grace, func() { _ = p.command.Process.Kill() })
	defer killer.Stop()
	<-p.ended.Done()
	return nil
}
