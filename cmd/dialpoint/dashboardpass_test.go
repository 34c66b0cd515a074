package main_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// runReport runs a dashboard without a service, which it does not need.
func (h home) runReport(t *testing.T, steps ...string) result {
	t.Helper()
	return h.run(t, nil, append([]string{"report", "--", "dashboard"}, steps...)...)
}

// chance is what the dashboard's step bytes writes.
func chance(t *testing.T, count int) []byte {
	t.Helper()
	text := make([]byte, count)
	_, err := io.ReadFull(rand.NewChaCha8([32]byte{}), text)
	mustDo(t, err)
	return text
}

// TestOutputPassesAsItIs: both outputs, byte for byte, whatever they hold.
func TestOutputPassesAsItIs(t *testing.T) {
	t.Parallel()
	const count = 8<<20 + 1
	h := newHome(t)
	got := h.runReport(t, `out:\x00\xff\xc3(\r\n\x1b[31m`, "bytes:"+strconv.Itoa(count), `err:\x00\xfferror\r`, "out:no line end", "exit:5")
	want := "\x00\xff\xc3(\r\n\x1b[31m" + string(chance(t, count)) + "no line end"
	if got.code != 5 || got.stdout != want {
		t.Errorf("exit %d, and %d bytes, want 5 and %d: equal %v", got.code, len(got.stdout), len(want), got.stdout == want)
	}
	if got.stderr != "\x00\xfferror\r" {
		t.Errorf("standard error %q", got.stderr)
	}
}

// TestInputAndOutputPassAtOnce: what is written shows without a line's end, and before anything else is written.
func TestInputAndOutputPassAtOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.start(t, nil, "report", "--", "dashboard", "copy", "exit:0")
	want := ""
	for _, piece := range []string{"a", "bc", "\n", "HERMES_DASHBOARD_READY", " ", "\r"} {
		want += piece
		_, err := io.WriteString(p.stdin, piece)
		mustDo(t, err)
		says(t, p.stdout, want, 1)
	}
	mustDo(t, p.stdin.Close())
	p.wantEnd(t, 0, want, "")
}

// TestLastOutputPasses: what the dashboard wrote before its end is not lost on a reader that is slower than that.
func TestLastOutputPasses(t *testing.T) {
	t.Parallel()
	const count = 200_000
	h := newHome(t)
	read, write, err := os.Pipe()
	mustDo(t, err)
	command := h.command(t, nil, "report", "--", "dashboard", "bytes:"+strconv.Itoa(count), "exit:9")
	command.Stdout = write
	mustDo(t, command.Start())
	mustDo(t, write.Close())
	text, err := io.ReadAll(&slowReader{read})
	mustDo(t, err)
	if !bytes.Equal(text, chance(t, count)) {
		t.Errorf("%d bytes, want %d", len(text), count)
	}
	if code := exitCodeOf(t, command.Wait()); code != 9 {
		t.Errorf("exit %d, want 9", code)
	}
}

// slowReader reads little at a time, and pauses.
type slowReader struct{ from io.Reader }

// Read implements [io.Reader].
func (s *slowReader) Read(into []byte) (int, error) {
	<-time.After(time.Millisecond)
	return s.from.Read(into[:min(len(into), 1000)])
}

// TestStuckReader: the dashboard waits for whoever reads its output, and is reported all the same. It ends when it is told
// to.
func TestStuckReader(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, w := h.unboundService(t)
	read, write, err := os.Pipe()
	mustDo(t, err)
	full := fill(t, write)
	command := h.command(t, nil, "report", "--", "dashboard", "out:HERMES_DASHBOARD_READY port=41001\\n", "bytes:1000000", "err:never")
	command.Stdout = write
	var said bytes.Buffer
	command.Stderr = &said
	mustDo(t, command.Start())
	mustDo(t, write.Close())
	w.wantBound(t, "127.0.0.1", 41001)
	mustDo(t, command.Process.Signal(syscall.SIGTERM))
	w.wantUnbound(t)
	// What the dashboard had written is still there for the reader.
	text, err := io.ReadAll(read)
	mustDo(t, err)
	want := append([]byte(readyAt41001), chance(t, 1_000_000)...)
	if text = text[full:]; len(text) < len(readyAt41001) || !bytes.HasPrefix(want, text) {
		t.Errorf("%d bytes which are not those that were written", len(text))
	}
	if code := exitCodeOf(t, command.Wait()); code != 128+int(syscall.SIGTERM) || said.String() != "" {
		t.Errorf("exit %d, want that of SIGTERM\n%s", code, &said)
	}
	w.stop(t)
}

// fill writes to a pipe what it holds, and is how much that is.
func fill(t *testing.T, pipe *os.File) int {
	t.Helper()
	mustDo(t, pipe.SetWriteDeadline(time.Now().Add(100*time.Millisecond)))
	size, err := pipe.Write(make([]byte, 8<<20))
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the pipe is not full after %d bytes: %v", size, err)
	}
	return size
}

// TestReaderGoes: the dashboard ends as it does when its own output is closed, and so does its report.
func TestReaderGoes(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, w := h.unboundService(t)
	command := h.command(t, nil, append(forAnHour, "--", "dashboard", "out:HERMES_DASHBOARD_READY port=41001\\n", "line", "bytes:1000000", "err:never")...)
	output, err := command.StdoutPipe()
	mustDo(t, err)
	var said bytes.Buffer
	command.Stderr = &said
	input, err := command.StdinPipe()
	mustDo(t, err)
	mustDo(t, command.Start())
	w.wantBound(t, "0.0.0.0", 41001)
	mustDo(t, output.Close())
	_, err = io.WriteString(input, "\n")
	mustDo(t, err)
	w.wantUnbound(t)
	if code := exitCodeOf(t, command.Wait()); code != 128+int(syscall.SIGPIPE) || said.String() != "" {
		t.Errorf("exit %d, want that of SIGPIPE\n%s", code, &said)
	}
	w.stop(t)
}

// TestFullDisk: what cannot be written is lost, which is told once. The dashboard runs on, as it would if it heard of it.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no device that is always full")
	}
	t.Cleanup(func() { _ = full.Close() })
	h := newHome(t)
	command := h.command(t, nil, "report", "--", "dashboard", "bytes:1000000", "exit:6")
	command.Stdout = full
	var said bytes.Buffer
	command.Stderr = &said
	code := exitCodeOf(t, command.Run())
	if code != 6 || strings.Count(said.String(), "output is lost") != 1 || strings.Count(said.String(), "\n") != 1 {
		t.Errorf("exit %d, want 6 and to be told once\n%s", code, &said)
	}
}

// TestLeftBehind: a process that the dashboard has left with its output is not waited for.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.start(t, nil, "report", "--", "dashboard", "leave:10", "out:bye\\n", "exit:2")
	if err := p.process.Wait(); exitCodeOf(t, err) != 2 || p.stdout.String() != "bye\n" {
		t.Errorf("%v, and %q", err, p.stdout)
	}
}
