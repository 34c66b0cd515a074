package socket_test

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"dialpoint/server/socket"
)

// What the test binary is when a test starts it as a process of its own.
var (
	role  = flag.String("as", "", "what to be instead of a test")
	umask = flag.Int("umask", 0o022, "the umask of a listener")
	user  = flag.Int("allow", -1, "the user whom a listener allows")
)

func TestMain(m *testing.M) {
	flag.Parse()
	roles := map[string]func(path string){
		"listener": beListener, "dialer": beDialer, "intruder": beIntruder, "starter": beStarter, "activated": beActivated,
	}
	if be, ok := roles[*role]; ok {
		be(flag.Arg(0))
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func sayf(format string, args ...any) { _, _ = fmt.Fprintf(os.Stdout, format+"\n", args...) }

// beListener listens once it is told to, and until its input ends. It answers with its process id.
func beListener(path string) {
	syscall.Umask(*umask)
	var allow socket.Allow
	if *user >= 0 {
		allow.Users = append(allow.Users, uint32(*user))
	}
	sayf("ready")
	input := bufio.NewReader(os.Stdin)
	_, _ = input.ReadString('\n')
	listener, err := socket.ListenUnix(ctx(), path, allow)
	if err != nil {
		sayf("%v", err)
		return
	}
	go answer(listener, strconv.Itoa(os.Getpid()))
	sayf("listening")
	_, _ = io.Copy(io.Discard, input)
	if err := listener.Close(); err != nil {
		sayf("%v", err)
	}
}

// beDialer says what comes of a connection.
func beDialer(path string) {
	conn, err := net.Dial("unix", path)
	if err == nil {
		_ = conn.Close()
	}
	sayf("%v", err)
}

// beIntruder says what it could do to a socket and its directory beside connecting.
func beIntruder(path string) {
	_, listed := os.ReadDir(filepath.Dir(path))
	for name, err := range map[string]error{
		"list":   listed,
		"create": os.WriteFile(path+"2", nil, 0o600),
		"remove": os.Remove(path),
		"rename": os.Rename(path, path+"2"),
		"chmod":  os.Chmod(path, 0o777),
	} {
		if !errors.Is(err, fs.ErrPermission) {
			sayf("%s: %v", name, err)
		}
	}
}

// process is the test binary in a role.
type process struct {
	*exec.Cmd

	in  io.WriteCloser
	out *bufio.Scanner
}

func startAs(t *testing.T, role, path string, change func(*exec.Cmd)) *process {
	t.Helper()
	executable, err := os.Executable()
	must(t, err)
	command := exec.Command(executable, "-as="+role)
	command.Env = []string{"GORACE=atexit_sleep_ms=0"}
	command.Stderr = os.Stderr
	if change != nil {
		change(command)
	}
	command.Args = append(command.Args, path)
	in, err := command.StdinPipe()
	must(t, err)
	out, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	return &process{Cmd: command, in: in, out: bufio.NewScanner(out)}
}

// line is what the process says next, or "" if it ends.
func (p *process) line() string {
	p.out.Scan()
	return p.out.Text()
}

// rest is all that the process says until it ends.
func (p *process) rest() string {
	var lines []string
	for p.out.Scan() {
		lines = append(lines, p.out.Text())
	}
	return strings.Join(lines, "\n")
}

// listenerAt is a process that has tried to listen, and what came of it.
func listenerAt(t *testing.T, path string, flags ...string) (listener *process, outcome string) {
	t.Helper()
	p := startAs(t, "listener", path, func(c *exec.Cmd) { c.Args = append(c.Args, flags...) })
	p.line()
	_, err := io.WriteString(p.in, "\n")
	must(t, err)
	return p, p.line()
}
