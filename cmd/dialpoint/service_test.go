package main_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long anything may take that is waited for. On a good day nothing comes near it.
const patience = time.Minute

// service is a 'dialpoint serve' that has said where it listens.
type service struct {
	process *exec.Cmd
	banner  string
	// tcp and unix are its addresses in the form of --addr. Empty is off.
	tcp, unix string
	// log is its standard error.
	log *transcript

	ended chan struct{}
	err   error
}

// serveCommand is a serve on a free TCP port. Later arguments win over it.
func serveCommand(dir string, env []string, args ...string) *exec.Cmd {
	command := exec.Command("dialpoint", append([]string{"serve", "--tcp", "127.0.0.1:0"}, args...)...)
	command.Dir = dir
	command.Env = env
	return command
}

// startService starts a service and reads its standard output until it has said all it has to say.
func startService(command *exec.Cmd) (*service, error) {
	s := &service{process: command, log: newTranscript(), ended: make(chan struct{})}
	command.Stderr = s.log
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	s.banner, err = readBanner(output)
	go func() {
		s.err = command.Wait()
		close(s.ended)
	}()
	if err != nil {
		s.kill()
		return nil, fmt.Errorf("%w after %q; it said\n%s", err, s.banner, s.log)
	}
	s.tcp, s.unix = bannerValue(s.banner, "tcp"), bannerValue(s.banner, "unix")
	return s, nil
}

// readBanner reads up to the empty line behind the call to try.
func readBanner(output io.Reader) (string, error) {
	var banner strings.Builder
	lines := bufio.NewReader(output)
	for tried := false; ; {
		line, err := lines.ReadString('\n')
		banner.WriteString(line)
		switch {
		case err != nil:
			return banner.String(), fmt.Errorf("the banner ended early: %w", err)
		case line == "try it:\n":
			tried = true
		case tried && line == "\n":
			return banner.String(), nil
		}
	}
}

// bannerValue is what a banner says behind a label.
func bannerValue(banner, label string) string {
	for line := range strings.Lines(banner) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == label {
			return words[1]
		}
	}
	return ""
}

// signal sends a signal to the process, and to no other.
func (s *service) signal(signal os.Signal) error { return s.process.Process.Signal(signal) }

// kill ends the process by force, unless it has ended already.
func (s *service) kill() {
	// An error is that it has ended.
	_ = s.process.Process.Kill()
	<-s.ended
}

// stop ends the service in order. It is an error if the service does not exit with 0, as it would not with a data race.
func (s *service) stop() error {
	if err := s.signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return s.wait()
}

// wait waits for the end of the process, which must be one in order.
func (s *service) wait() error {
	defer time.AfterFunc(patience, func() { _ = s.process.Process.Kill() }).Stop()
	<-s.ended
	if s.err != nil {
		return fmt.Errorf("the service ended with %w and said\n%s", s.err, s.log)
	}
	return nil
}

// serve starts a service that ends in order with the test, if it has not ended before.
func (h home) serve(t *testing.T, env []string, args ...string) *service {
	t.Helper()
	s, err := startService(serveCommand(h.dir, h.env(env...), args...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}
