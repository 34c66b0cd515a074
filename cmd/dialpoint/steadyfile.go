package main

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// steadyFile is a file that takes all that is written to it. Another process that shares it, such as a child with the same
// standard error, may make it non-blocking for all, as Node does: what does not fit would then be lost.
type steadyFile struct{ *os.File }

// Write implements [io.Writer].
func (f steadyFile) Write(p []byte) (total int, err error) {
	for {
		size, err := f.File.Write(p[total:])
		total += size
		if !errors.Is(err, syscall.EAGAIN) {
			return total, err
		}
		if err := f.await(); err != nil {
			return total, err
		}
	}
}

// await returns once there is room.
func (f steadyFile) await() error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		room := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}} //nolint:gosec // Descriptors are small.
		for {
			if _, failed = unix.Poll(room, -1); !errors.Is(failed, unix.EINTR) {
				return
			}
		}
	})
	return errors.Join(err, failed)
}

// WriteString implements [io.StringWriter], by way of Write.
func (f steadyFile) WriteString(text string) (int, error) { return f.Write([]byte(text)) }

// ReadFrom implements [io.ReaderFrom], by way of Write.
func (f steadyFile) ReadFrom(from io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{f}, from)
}
