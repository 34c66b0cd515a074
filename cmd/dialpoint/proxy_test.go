package main_test

import (
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestCommandsWorkBehindAProxy that answers nobody: it is for other traffic.
func TestCommandsWorkBehindAProxy(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serveOne(t)
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	mustDo(t, err)
	mustDo(t, socket.Close())
	env := proxyEnv(socket.Addr().String())
	for _, address := range []string{s.tcp, s.unix} {
		if got := h.must(t, env, "resolve", "-o", "url", "--addr", address); got != oneURL {
			t.Errorf("resolve at %s printed %q", address, got)
		}
		h.must(t, env, "listeners", "--addr", address)
		h.must(t, env, "exec", "--addr", address, "--", "child", "exit", "0")
		w := h.watch(t, env, "--addr", address)
		w.next(t)
		mustDo(t, w.process.Process.Signal(syscall.SIGINT))
		if code := w.end(t); code != 0 {
			t.Errorf("watch at %s: exit %d", address, code)
		}
	}
}

// TestNoProxyIsUsed for an address which Go's own clients would send through it, as they do not with loopback. It
// is that of nobody on the loopback interface, so that the command fails at once, and asks no other machine.
func TestNoProxyIsUsed(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	proxy, err := net.Listen("tcp", "127.0.0.1:0")
	mustDo(t, err)
	t.Cleanup(func() { mustDo(t, proxy.Close()) })
	env := proxyEnv(proxy.Addr().String())
	for _, command := range []string{"resolve", "watch --wait 10ms", "exec --wait 0 child", "listeners"} {
		for _, scheme := range []string{"http", "https"} {
			words := strings.Fields(command)
			args := slices.Insert(words, 1, "--addr", scheme+"://[fe80::1%25lo]:9118")
			if got := h.run(t, env, args...); got.code != 69 {
				t.Errorf("%s: exit %d, want 69\n%s", command, got.code, got.stderr)
			}
		}
	}
	wantNoCaller(t, proxy)
}

func proxyEnv(address string) []string {
	var env []string
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		env = append(env, name+"=http://"+address)
	}
	return env
}

// wantNoCaller connects to a socket that accepts in order: nobody may have come before.
func wantNoCaller(t *testing.T, socket net.Listener) {
	t.Helper()
	const hello = "it is me"
	conn, err := net.Dial("tcp", socket.Addr().String())
	mustDo(t, err)
	_, err = io.WriteString(conn, hello)
	mustDo(t, err)
	mustDo(t, conn.Close())
	first, err := socket.Accept()
	mustDo(t, err)
	t.Cleanup(func() { mustDo(t, first.Close()) })
	if said, err := io.ReadAll(first); err != nil || string(said) != hello {
		t.Errorf("the proxy was asked %q, %v", said, err)
	}
}
