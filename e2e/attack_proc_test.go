//go:build e2e

package e2e_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// stayingChild is a script that says which process it is, and stays that: one that starts another program has no arguments
// and no environment for a moment.
const stayingChild = "echo child $$; while :; do sleep 1; done"

// cannotLookIntoProcesses: what the service, exec and exec's child hold is theirs. Their arguments are everybody's.
func (s *siege) cannotLookIntoProcesses(t *testing.T) {
	exec := s.owner.start(t, nil, s.command, "exec", "--addr", "unix://"+s.socket, "--channel", "chat-1",
		"--on-change", "ignore", "--", "sh", "-c", stayingChild)
	line, err := exec.Await(waiting(t), &exec.Out, "child ")
	must(t, err)
	child, err := strconv.Atoi(strings.TrimPrefix(line, "child "))
	must(t, err)
	for name, pid := range map[string]int{"service": s.PID(), "exec": exec.PID(), "exec's child": child} {
		t.Run(name, func(t *testing.T) { s.cannotLookInto(t, pid) })
	}
	// The child does hold the secret, so that there was something to see.
	if got := s.owner.run(t, nil, "", "cat", fmt.Sprintf("/proc/%d/environ", child)); !strings.Contains(got.out, marker) {
		t.Errorf("the owner does not see the URL in the child's environment: %s", got.text())
	}
}

func (s *siege) cannotLookInto(t *testing.T, pid int) {
	t.Helper()
	proc := fmt.Sprintf("/proc/%d/", pid)
	for _, file := range []string{"environ", "mem", "maps", "smaps", "auxv", "syscall", "stack"} {
		s.denied(t, "cat", proc+file)
	}
	for _, directory := range []string{"fd/", "fdinfo/", "map_files/", "cwd/", "root/"} {
		s.denied(t, "ls", proc+directory)
	}
	got := s.stranger.run(t, nil, "", "cat", proc+"cmdline", proc+"status", proc+"comm")
	if got.code != 0 || got.out == "" {
		t.Errorf("cmdline: exit %d\n%s", got.code, got.text())
	}
	s.keeps(t, "cmdline, status or comm", got.text())
}
