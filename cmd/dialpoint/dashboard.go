package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// passSize is the size in bytes of the largest piece of output that is passed on at once. It is what a pipe holds on
	// Linux, unless one that writes to it has made it larger.
	passSize = 64 << 10
	// maxPipe is what it can be made to hold then (pipe(7)).
	maxPipe = 1 << 20
)

// dashboard is a program that runs as a child. Its standard output passes through this process, which reads in it the
// port that the dashboard announces. The child shares the other standard streams.
type dashboard struct {
	program program
	environ []string
	// to is where the output goes, and warn is told when some of it is lost.
	to   io.Writer
	warn func(problem string)
	// ready reads what passes.
	ready announcements

	output *os.File
	// passed is closed when no more output will pass.
	passed chan struct{}
	// losing is set from a write that failed to one that does not.
	losing bool
}

// newDashboard is the dashboard of a command that announces its port as a pattern says. It needs an environment, and
// [dashboard.tell].
func newDashboard(command []string, readyPattern string, to io.Writer) (*dashboard, error) {
	pattern, err := parseReadyPattern(readyPattern)
	if err != nil {
		return nil, usageError{err}
	}
	program, err := findProgram(command)
	if err != nil {
		return nil, err
	}
	return &dashboard{program: program, to: to, ready: announcements{pattern: pattern}}, nil
}

// tell has it call these functions, with each port that it announces and with what is wrong.
func (d *dashboard) tell(found func(port uint16), warn func(problem string)) {
	d.warn, d.ready.warn, d.ready.found = warn, warn, found
}

// start starts the child. It is for a [supervisor], and is called once.
func (d *dashboard) start() (pid int, err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	pid, err = d.program.start(d.environ, write)
	_ = write.Close()
	if err != nil {
		_ = read.Close()
		return 0, err
	}
	d.output, d.passed = read, make(chan struct{})
	go d.pass()
	return pid, nil
}

// pass passes the output on until it ends.
func (d *dashboard) pass() {
	defer close(d.passed)
	defer func() { _ = d.output.Close() }()
	defer d.ready.end()
	buffer := make([]byte, passSize)
	for {
		size, err := d.output.Read(buffer)
		switch {
		case !d.passOn(buffer[:size]):
			return
		case errors.Is(err, os.ErrDeadlineExceeded):
			d.passRest(buffer)
			return
		case err != nil:
			return
		}
	}
}

// passOn passes one piece on. It is looked at first: an announcement is heard even if who reads the output is stuck, for
// whom the child waits as it would without this process between them.
//
// It reports whether there is anybody who reads. Where there is not, the pipe is closed, and what the child writes next
// ends it as it would otherwise.
func (d *dashboard) passOn(piece []byte) bool {
	if len(piece) == 0 {
		return true
	}
	d.ready.read(piece)
	_, err := d.to.Write(piece)
	if errors.Is(err, syscall.EPIPE) {
		return false
	}
	if err != nil && !d.losing {
		d.warn(fmt.Sprintf("some of the dashboard's output is lost: %v", err))
	}
	d.losing = err != nil
	return true
}

// finish returns once all has passed that the child had written when it ended. What the processes write later that it
// left behind does not.
func (d *dashboard) finish() {
	if d.passed == nil {
		return
	}
	// It fails where the output has ended by itself.
	_ = d.output.SetReadDeadline(time.Now())
	<-d.passed
}

// passRest passes on what is in the pipe now. A file whose deadline is over reads no more.
func (d *dashboard) passRest(buffer []byte) {
	raw, err := d.output.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(pipe uintptr) {
		for left := maxPipe; left > 0; {
			size, err := unix.Read(int(pipe), buffer)
			if err == unix.EINTR {
				continue
			}
			if err != nil || size == 0 || !d.passOn(buffer[:size]) {
				return
			}
			left -= size
		}
	})
}

// keepPipes keeps an output that nobody reads from ending this process, in which case the child would go on unseen. It
// says nothing to the child, as it would if the signal were ignored.
func keepPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
