//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"dialpoint/examples/wildcard/process"
)

// account is a user of this machine, with no group but its own.
type account struct {
	name     string
	uid, gid uint32
	// groups are further ones.
	groups []uint32
}

// newAccount makes a user for the test, unless there is one of that name.
func newAccount(t *testing.T, name string) *account {
	t.Helper()
	found, err := user.Lookup(name)
	if errors.As(err, new(user.UnknownUserError)) {
		administer(t, "useradd", "--system", "--no-create-home", "--user-group", "--shell", "/usr/sbin/nologin", name)
		t.Cleanup(func() { administer(t, "userdel", name) })
		found, err = user.Lookup(name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &account{name: name, uid: id(t, found.Uid), gid: id(t, found.Gid)}
}

func administer(t *testing.T, program string, args ...string) {
	t.Helper()
	if output, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Errorf("%s %q: %v\n%s", program, args, err, output)
	}
}

func id(t *testing.T, text string) uint32 {
	t.Helper()
	number, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(number)
}

// in is the same user with one more group.
func (a *account) in(group uint32) *account {
	member := *a
	member.groups = []uint32{group}
	return &member
}

// credential lets a command run as the user. A nil account is the tests' own user.
func (a *account) credential() *syscall.SysProcAttr {
	if a == nil {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: a.uid, Gid: a.gid, Groups: a.groups}}
}

// start runs a program as the user, which ends with the test at the latest.
func (a *account) start(t *testing.T, env []string, program string, args ...string) *process.Process {
	t.Helper()
	command := a.command(t.Context(), env, "", program, args...)
	running, err := process.Start(command)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := running.Stop(); err != nil {
			t.Error(err)
		}
	})
	return running
}

// command is a program that has not started yet. Nothing of the tests' environment is in its own.
func (a *account) command(ctx context.Context, env []string, input, program string, args ...string) *exec.Cmd {
	command := process.Command(ctx, program, args...)
	command.SysProcAttr = a.credential()
	command.Dir = "/"
	command.Env = append([]string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C"}, env...)
	command.Stdin = strings.NewReader(input)
	return command
}

// outcome is what came of a program.
type outcome struct {
	code        int
	out, errors string
}

// text is everything that the program wrote.
func (o outcome) text() string { return o.out + o.errors }

// run runs a program as the user to its end. What it is to read comes before its name.
func (a *account) run(t *testing.T, env []string, input, program string, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	command := a.command(waiting(t), env, input, program, args...)
	command.Stdout, command.Stderr = &out, &errs
	err := command.Run()
	failure := new(exec.ExitError)
	if err != nil && !errors.As(err, &failure) {
		t.Fatal(err)
	}
	return outcome{command.ProcessState.ExitCode(), out.String(), errs.String()}
}
