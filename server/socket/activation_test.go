package socket_test

import (
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"dialpoint/server/socket"
)

// firstActivated is the first descriptor that is handed on (sd_listen_fds(3)).
const firstActivated = 3

// beStarter becomes the service, as systemd's child does once it knows its process id.
func beStarter(pid string) {
	if pid == "" {
		pid = strconv.Itoa(os.Getpid())
	}
	executable, err := os.Executable()
	if err != nil {
		sayf("%v", err)
		return
	}
	err = syscall.Exec(executable, []string{executable, "-as=activated"}, append(environment(), "LISTEN_PID="+pid))
	sayf("%v", err)
}

// environment is what a child of this process would get.
func environment() []string { return new(exec.Cmd).Environ() }

// beActivated says what it was handed, what its children would inherit of it, and answers until its input ends.
func beActivated(string) {
	handed := 0
	for _, variable := range environment() {
		if count, ok := strings.CutPrefix(variable, "LISTEN_FDS="); ok {
			handed, _ = strconv.Atoi(count)
		}
	}
	sockets, err := socket.Activated()
	if err != nil {
		sayf("%s", strings.ReplaceAll(err.Error(), "\n", "\nand "))
	}
	for _, listener := range sockets.All() {
		sayf("%s %v", listener.Addr().Network(), listener.Addr())
		go answer(listener, "activated "+listener.Addr().Network())
	}
	for _, variable := range environment() {
		if strings.HasPrefix(variable, "LISTEN_") {
			sayf("children inherit %s", variable)
		}
	}
	for fd := firstActivated; fd < firstActivated+handed; fd++ {
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			sayf("children inherit descriptor %d", fd)
		}
	}
	if held, want := socketsHeld(), len(sockets.All()); held != want && runtime.GOOS == "linux" {
		sayf("%d sockets are held instead of %d", held, want)
	}
	if again, err := socket.Activated(); err != nil || len(again.All()) != 0 {
		sayf("again: %v, %v", again, err)
	}
	sayf("done")
	_, _ = io.Copy(io.Discard, os.Stdin)
	for _, listener := range sockets.All() {
		if err := listener.Close(); err != nil {
			sayf("%v", err)
		}
	}
}

// socketsHeld counts the sockets that are open in this process, as Linux shows them.
func socketsHeld() int {
	held := 0
	for fd := firstActivated; fd < 1<<8; fd++ {
		if target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil && strings.HasPrefix(target, "socket:") {
			held++
		}
	}
	return held
}

// activate starts a service with sockets, and is what it says first.
func activate(t *testing.T, pid string, files ...*os.File) (service *process, said []string) {
	t.Helper()
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = filepath.Base(file.Name())
	}
	p := startAs(t, "starter", pid, func(c *exec.Cmd) {
		c.ExtraFiles = files
		c.Env = append(c.Env, fmt.Sprintf("LISTEN_FDS=%d", len(files)), "LISTEN_FDNAMES="+strings.Join(names, ":"))
	})
	for line := p.line(); line != "done" && line != ""; line = p.line() {
		said = append(said, line)
	}
	return p, said
}

// handed is a file to hand on, as the maker of the socket has it.
func handed(t *testing.T, name string, socket syscall.Conn) *os.File {
	t.Helper()
	conn, err := socket.SyscallConn()
	must(t, err)
	var file *os.File
	must(t, conn.Control(func(fd uintptr) {
		copied, err := unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0)
		if err == nil {
			file = os.NewFile(uintptr(copied), name)
		}
	}))
	if file == nil {
		t.Fatal("the socket cannot be handed on")
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

func unixListener(t *testing.T, network, path string) *os.File {
	t.Helper()
	listener, err := net.ListenUnix(network, &net.UnixAddr{Name: path, Net: network})
	must(t, err)
	listener.SetUnlinkOnClose(false)
	file := handed(t, filepath.Base(path)+".socket", listener)
	must(t, listener.Close())
	return file
}

func tcpListener(t *testing.T, address string) (file *os.File, bound string) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	must(t, err)
	tcp, ok := listener.(*net.TCPListener)
	if !ok {
		t.Fatalf("listener is a %T", listener)
	}
	file = handed(t, "tcp.socket", tcp)
	must(t, listener.Close())
	return file, listener.Addr().String()
}

func TestActivated(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "s")
	tcp, address := tcpListener(t, "127.0.0.1:0")
	service, said := activate(t, "", tcp, unixListener(t, "unix", path))
	if want := []string{"unix " + path, "tcp " + address}; !slices.Equal(said, want) {
		t.Fatalf("the service said %q, want %q", said, want)
	}
	if got, err := ask(path); got != "activated unix" {
		t.Errorf("%q answers, %v", got, err)
	}
	conn, err := net.Dial("tcp", address)
	must(t, err)
	got, err := io.ReadAll(conn)
	must(t, err)
	must(t, conn.Close())
	if string(got) != "activated tcp" {
		t.Errorf("%q answers", got)
	}
	must(t, service.in.Close())
	if got := service.rest(); got != "" {
		t.Errorf("at last the service said %q", got)
	}
	must(t, service.Wait())
	if info, err := os.Lstat(path); err != nil || info.Mode().Type() != fs.ModeSocket {
		t.Errorf("the socket of systemd is gone: %v", err)
	}
}

func TestActivatedWithOne(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "s")
	if _, said := activate(t, "", unixListener(t, "unix", path)); !slices.Equal(said, []string{"unix " + path}) {
		t.Errorf("the service said %q", said)
	}
	tcp, address := tcpListener(t, "[::]:0")
	if _, said := activate(t, "", tcp); !slices.Equal(said, []string{"tcp " + address}) {
		t.Errorf("the service said %q", said)
	}
}

// TestActivatedForAnother: the variables may reach a process that they are not meant for. It leaves the descriptors alone.
func TestActivatedForAnother(t *testing.T) {
	t.Parallel()
	for name, pid := range map[string]string{"another process": "1", "nobody": "x"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, said := activate(t, pid, unixListener(t, "unix", filepath.Join(base(t), "s")))
			if want := []string{"children inherit descriptor 3", "1 sockets are held instead of 0"}; !slices.Equal(said, want) {
				t.Errorf("the service said %q, want %q", said, want)
			}
		})
	}
}

func TestActivatedWithNothing(t *testing.T) {
	t.Parallel()
	if _, said := activate(t, ""); len(said) != 0 {
		t.Errorf("the service said %q", said)
	}
}

// TestActivatedWithTheWrongThing: all are refused, and each wrong one is named.
func TestActivatedWithTheWrongThing(t *testing.T) {
	t.Parallel()
	dir := base(t)
	good := unixListener(t, "unix", filepath.Join(dir, "good"))
	tcp, address := tcpListener(t, "127.0.0.1:0")
	other, otherAddress := tcpListener(t, "127.0.0.1:0")
	plain, err := os.Create(filepath.Join(dir, "plain"))
	must(t, err)
	t.Cleanup(func() { must(t, plain.Close()) })
	abstract := "@dialpoint-test-" + filepath.Base(dir)
	tests := map[string]struct {
		files []*os.File
		want  string
	}{
		"a second unix socket": {
			[]*os.File{good, unixListener(t, "unix", filepath.Join(dir, "more"))},
			"more.socket is a second unix socket, " + filepath.Join(dir, "more") + " beside " + filepath.Join(dir, "good") +
				"; let one ListenStream= name a path",
		},
		"a second TCP socket": {
			[]*os.File{tcp, good, other},
			"tcp.socket is a second TCP socket, " + otherAddress + " beside " + address + "; let one ListenStream= name an address",
		},
		"an abstract socket": {
			[]*os.File{unixListener(t, "unix", abstract)},
			abstract + ".socket is the abstract socket " + abstract + ", which no permissions guard; let ListenStream= name a path",
		},
		"a packet socket": {
			[]*os.File{unixListener(t, "unixpacket", filepath.Join(dir, "packet"))},
			"packet.socket is no stream socket; use ListenStream=",
		},
		"a datagram socket": {[]*os.File{good, datagram(t, dir)}, "datagram.socket is a datagram socket; use ListenStream=, not ListenDatagram="},
		"a UDP socket":      {[]*os.File{udp(t)}, "udp.socket is a datagram socket; use ListenStream=, not ListenDatagram="},
		"a connection":      {[]*os.File{connection(t)}, "connection.socket is a connection, not a socket to accept from; use Accept=no"},
		"a file":            {[]*os.File{plain}, "plain is no socket: socket operation on non-socket"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, said := activate(t, "", test.files...); !slices.Equal(said, []string{"LISTEN_FDS: " + test.want}) {
				t.Errorf("the service said %q, want %q", said, test.want)
			}
		})
	}
	t.Run("two at once", func(t *testing.T) {
		t.Parallel()
		if _, said := activate(t, "", plain, good, udp(t)); len(said) != 2 || !strings.HasPrefix(said[1], "and LISTEN_FDS: udp.socket") {
			t.Errorf("the service said %q", said)
		}
	})
}

func datagram(t *testing.T, dir string) *os.File {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "datagram"), Net: "unixgram"})
	must(t, err)
	t.Cleanup(func() { must(t, conn.Close()) })
	return handed(t, "datagram.socket", conn)
}

func udp(t *testing.T) *os.File {
	t.Helper()
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	must(t, err)
	t.Cleanup(func() { must(t, conn.Close()) })
	return handed(t, "udp.socket", conn)
}

func connection(t *testing.T) *os.File {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { must(t, listener.Close()) })
	conn, err := net.Dial("tcp", listener.Addr().String())
	must(t, err)
	t.Cleanup(func() { must(t, conn.Close()) })
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		t.Fatalf("connection is a %T", conn)
	}
	return handed(t, "connection.socket", tcp)
}
