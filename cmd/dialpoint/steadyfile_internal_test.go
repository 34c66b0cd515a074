package main

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// nonblocking is a pipe whose writing end somebody else has made non-blocking.
func nonblocking(t *testing.T) (read, write *os.File) {
	t.Helper()
	var ends [2]int
	if err := syscall.Pipe(ends[:]); err != nil {
		t.Fatal(err)
	}
	read, write = os.NewFile(uintptr(ends[0]), "read"), os.NewFile(uintptr(ends[1]), "write")
	t.Cleanup(func() {
		_ = read.Close()
		_ = write.Close()
	})
	if err := syscall.SetNonblock(ends[1], true); err != nil {
		t.Fatal(err)
	}
	return read, write
}

const pieces = 1 << 20

func TestSteadyFileTakesEverything(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(steadyFile, string) error{
		"bytes": func(f steadyFile, text string) error { _, err := f.Write([]byte(text)); return err },
		"text":  func(f steadyFile, text string) error { _, err := io.WriteString(f, text); return err },
		"copy":  func(f steadyFile, text string) error { _, err := io.Copy(f, strings.NewReader(text)); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := nonblocking(t)
			got := make(chan string)
			go func() {
				// Nothing is read before the pipe is full.
				for {
					if _, err := to.Write(make([]byte, 1)); errors.Is(err, syscall.EAGAIN) {
						break
					}
				}
				text, _ := io.ReadAll(from)
				got <- strings.TrimLeft(string(text), "\x00")
			}()
			want := strings.Repeat("0123456789abcdef", pieces/16)
			if err := write(steadyFile{to}, want); err != nil {
				t.Error(err)
			}
			if err := to.Close(); err != nil {
				t.Error(err)
			}
			if text := <-got; strings.ReplaceAll(text, "\x00", "") != want {
				t.Errorf("%d bytes came, want %d", len(text), len(want))
			}
		})
	}
}

// A plain file loses what does not fit, which shows that the pipe of the test above is what it says.
func TestPlainFileLosesOutput(t *testing.T) {
	t.Parallel()
	_, to := nonblocking(t)
	if size, err := to.Write(make([]byte, pieces)); !errors.Is(err, syscall.EAGAIN) || size == pieces {
		t.Errorf("%d bytes were written: %v", size, err)
	}
}

func TestSteadyFileWithoutAReader(t *testing.T) {
	t.Parallel()
	from, to := nonblocking(t)
	if err := from.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := (steadyFile{to}).Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("error %v, want EPIPE", err)
	}
}
