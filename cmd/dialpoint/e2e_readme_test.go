//go:build e2e

package main_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const readme = "../../README.md"

// step is a command of the README, and what it says that the command prints.
type step struct {
	command string
	want    []string
}

// isService reports whether the command starts a service that goes on in the background.
func (s step) isService() bool {
	return strings.HasSuffix(s.command, "&") && strings.Contains(s.command, "dialpoint serve")
}

// sessions are the blocks of a Markdown text that show a console.
func sessions(text string) [][]step {
	var found [][]step
	for _, part := range strings.Split(text, "\n```console\n")[1:] {
		block, _, _ := strings.Cut(part, "\n```")
		found = append(found, steps(block))
	}
	return found
}

// steps are the commands of a block. A backslash at the end of one goes on in the next line.
func steps(block string) []step {
	var found []step
	open := false
	for line := range strings.SplitSeq(block, "\n") {
		last := len(found) - 1
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case isCommand:
			found = append(found, step{command: command})
			open = strings.HasSuffix(line, `\`)
		case open:
			found[last].command += "\n" + strings.TrimPrefix(line, "> ")
			open = strings.HasSuffix(line, `\`)
		case last >= 0:
			found[last].want = append(found[last].want, line)
		}
	}
	return found
}

// TestE2EReadme runs the README line by line. It is not parallel: the service of the README has the default port.
func TestE2EReadme(t *testing.T) { //nolint:paralleltest // See above.
	needTools(t, "bash", "curl", "buf", "grpcurl")
	text, err := os.ReadFile(readme)
	mustDo(t, err)
	found := sessions(string(text))
	if len(found) == 0 {
		t.Fatal("the README shows no console")
	}
	for i, session := range found { //nolint:paralleltest // See above.
		t.Run(fmt.Sprintf("block %d", i+1), func(t *testing.T) { runSession(t, session) })
	}
}

func runSession(t *testing.T, session []step) {
	t.Helper()
	needDefaultPort(t)
	sh := newShell(t)
	for _, step := range session {
		got := sh.run(t, step)
		if want := strings.Join(step.want, "\n"); normalise(got) != normalise(want) && (want != "" || !step.isService()) {
			t.Errorf("$ %s\ngot\n%s\nwant\n%s", step.command, got, want)
		}
	}
}

func needDefaultPort(t *testing.T) {
	t.Helper()
	socket, err := net.Listen("tcp", "127.0.0.1:9118")
	if err != nil {
		t.Fatalf("the README's service needs its default port: end what holds it: %v", err)
	}
	mustDo(t, socket.Close())
}

// shell is a bash that runs one line after another.
type shell struct {
	input  io.Writer
	pipe   *os.File
	output *bufio.Reader
}

// newShell starts in an empty directory. What it has started ends with the test, and after that so does it.
func newShell(t *testing.T) *shell {
	t.Helper()
	h := newHome(t)
	process := exec.Command("bash", "--noprofile", "--norc")
	process.Dir = runtimeDir(t)
	process.Env = h.env()
	input, err := process.StdinPipe()
	mustDo(t, err)
	output, write, err := os.Pipe()
	mustDo(t, err)
	process.Stdout, process.Stderr = write, write
	mustDo(t, process.Start())
	mustDo(t, write.Close())
	t.Cleanup(func() {
		defer time.AfterFunc(patience, func() { _ = process.Process.Kill() }).Stop()
		_, _ = io.WriteString(input, "kill $(jobs -p); wait\n")
		_ = input.Close()
		exitCodeOf(t, process.Wait())
		_ = output.Close()
	})
	return &shell{input, output, bufio.NewReader(output)}
}

// end is the line behind what a command has printed.
const end = "-- end of step --"

// run runs a command and is what it prints, without the last line break. A service is run until its banner is complete,
// with its log out of the way.
func (s *shell) run(t *testing.T, step step) string {
	t.Helper()
	mustDo(t, s.pipe.SetReadDeadline(time.Now().Add(patience)))
	if step.isService() {
		s.write(t, strings.TrimSuffix(step.command, "&")+"2>serve.log &\n")
		banner, err := readBanner(s.output)
		if err != nil {
			t.Fatalf("$ %s\n%v", step.command, err)
		}
		return strings.TrimRight(banner, "\n")
	}
	s.write(t, step.command+"\necho; echo '"+end+"'\n")
	var printed strings.Builder
	for {
		line, err := s.output.ReadString('\n')
		if err != nil {
			t.Fatalf("$ %s\n%s%v", step.command, &printed, err)
		}
		if line == end+"\n" {
			return strings.TrimRight(printed.String(), "\n")
		}
		printed.WriteString(line)
	}
}

func (s *shell) write(t *testing.T, text string) {
	t.Helper()
	_, err := io.WriteString(s.input, text)
	mustDo(t, err)
}

// TestE2EReadmeSteps: the runner itself must not lose a line.
func TestE2EReadmeSteps(t *testing.T) {
	t.Parallel()
	got := sessions("# Title\n\n```sh\n$ not run\n```\n\n```console\n$ one\n1\n2\n$ two \\\n> more\n$ three &\n```\n\n```console\n$ four\n\n4\n```\n")
	want := "[[{one [1 2]} {two \\\nmore []} {three & []}] [{four [ 4]}]]"
	if fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}
