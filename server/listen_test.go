package server_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/server"
	"dialpoint/server/access"
	"dialpoint/server/config"
	"dialpoint/server/socket"
)

// listenOn opens the sockets of a configuration whose unix socket is at path.
func listenOn(t *testing.T, path, tcp string) ([]net.Listener, error) {
	t.Helper()
	service, _ := fromConfig(t, fmt.Sprintf("serve: {unix: %q, tcp: %q}\n", path, tcp)+first)
	return service.Listen(t.Context(), socket.Sockets{})
}

func opened(t *testing.T, path string) net.Listener {
	t.Helper()
	sockets, err := listenOn(t, path, "none")
	must(t, err)
	return sockets[0]
}

func TestListenOpensAllSocketsOrNone(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	path := filepath.Join(ownDirectory(t), "s")
	_, err = listenOn(t, path, taken.Addr().String())
	if err == nil || !strings.Contains(err.Error(), "serve.tcp "+taken.Addr().String()) {
		t.Errorf("error = %v, want one of serve.tcp", err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("the unix socket was left behind")
	}
}

func TestListenNeedsAConfiguration(t *testing.T) {
	t.Parallel()
	service, err := server.New()
	must(t, err)
	if _, err := service.Listen(t.Context(), socket.Sockets{}); err == nil {
		t.Error("a server without a configuration has no sockets to open")
	}
}

// withoutTokens is a server whose configuration names no tokens, and the directory where it is to keep them.
func withoutTokens(t *testing.T, serve string) (service *server.Server, directory string) {
	t.Helper()
	directory = filepath.Join(ownDirectory(t), "run")
	file := filepath.Join(filepath.Dir(directory), "dialpoint.yaml")
	write(t, file, serve+first)
	loader := config.NewLoader(config.Sources{Path: file, DefaultUnix: filepath.Join(directory, "s")})
	loaded, err := loader.Load()
	must(t, err)
	service, err = server.New(server.WithConfig(loader, loaded))
	must(t, err)
	return service, directory
}

func tokenIn(t *testing.T, directory, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(directory, name))
	must(t, err)
	return strings.TrimSpace(string(text))
}

// resolveWith is the error of a child's call with a token.
func (r *running) resolveWith(t *testing.T, token string) error {
	t.Helper()
	request := connect.NewRequest(&dialpointv1.ResolveEndpointsRequest{})
	request.Header().Set("Authorization", "Bearer "+token)
	web := withoutToken(overHTTP1(t))
	// Who asks again and again must not keep a connection for each time.
	defer web.CloseIdleConnections()
	client := connect.NewClient[dialpointv1.ResolveEndpointsRequest, dialpointv1.ResolveEndpointsResponse](web, r.tcp+resolvePath)
	_, err := client.CallUnary(t.Context(), request)
	return err
}

func TestListenMakesTokens(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]string{
		"beside the socket":            onTCP,
		"without a socket":             "serve: {unix: none, tcp: \"127.0.0.1:0\"}\n",
		"with a socket in other hands": onTCP,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, directory := withoutTokens(t, serve)
			sockets, err := service.Listen(t.Context(), socket.Sockets{})
			must(t, err)
			child, operator := tokenIn(t, directory, access.ChildTokenFile), tokenIn(t, directory, access.OperatorTokenFile)
			running := run(t, service, sockets...)
			for token, want := range map[string]bool{child: true, operator: true, child + "x": false} {
				if err := running.resolveWith(t, token); (err == nil) != want {
					t.Errorf("a call with a token of the files: %v, want success: %t", err, want)
				}
			}
			info, err := os.Lstat(filepath.Join(directory, access.OperatorTokenFile))
			must(t, err)
			if info.Mode() != 0o600 {
				t.Errorf("the file has mode %v", info.Mode())
			}
		})
	}
}

func TestListenMakesNoTokensThatNobodyCanShow(t *testing.T) {
	t.Parallel()
	service, directory := withoutTokens(t, "serve: {tcp: none}\n")
	sockets, err := service.Listen(t.Context(), socket.Sockets{})
	must(t, err)
	run(t, service, sockets...)
	if _, err := os.Lstat(filepath.Join(directory, access.ChildTokenFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a token, with TCP off: %v", err)
	}
}

// A token of the server's own making changes when its file is removed.
func TestTokenIsMadeAnewWhenItsFileIsRemoved(t *testing.T) {
	t.Parallel()
	service, directory := withoutTokens(t, onTCP)
	sockets, err := service.Listen(t.Context(), socket.Sockets{})
	must(t, err)
	running := run(t, service, sockets...)
	before := tokenIn(t, directory, access.ChildTokenFile)
	must(t, running.resolveWith(t, before))
	must(t, os.Remove(filepath.Join(directory, access.ChildTokenFile)))
	for err = nil; err == nil; err = running.resolveWith(t, before) {
		must(t, t.Context().Err())
	}
	if connect.CodeOf(err) != connect.CodeUnauthenticated {
		t.Errorf("the old token ends with %v, want UNAUTHENTICATED", err)
	}
	after := tokenIn(t, directory, access.ChildTokenFile)
	if err := running.resolveWith(t, after); err != nil || after == before {
		t.Errorf("the new token is not taken, or the old one: %v", err)
	}
}

func TestInheritedSockets(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		serve   string
		address string
		want    error
	}{
		"on loopback":                        {onTCP, "127.0.0.1:0", nil},
		"on every interface":                 {onTCP, "0.0.0.0:0", server.ErrPlaintext},
		"on every interface, which is meant": {"serve: {tcp: \"127.0.0.1:0\", tcp_plaintext: true}\n", "0.0.0.0:0", nil},
		"where there is to be none":          {"serve: {tcp: none}\n", "127.0.0.1:0", server.ErrNoTCP},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			passed, err := net.Listen("tcp", test.address)
			must(t, err)
			inherited, ok := passed.(*net.TCPListener)
			if !ok {
				t.Fatalf("got a %T", passed)
			}
			service, _ := fromConfig(t, test.serve+first)
			sockets, err := service.Listen(t.Context(), socket.Sockets{TCP: inherited})
			if !errors.Is(err, test.want) {
				t.Fatalf("error = %v, want %v", err, test.want)
			}
			if test.want != nil {
				if _, err := inherited.Accept(); !errors.Is(err, net.ErrClosed) {
					t.Errorf("the socket is still open: %v", err)
				}
				return
			}
			if len(sockets) != 2 || sockets[1] != net.Listener(inherited) {
				t.Errorf("the sockets are %v", sockets)
			}
			for _, opened := range sockets {
				must(t, opened.Close())
			}
		})
	}
}

// Tokens that lie where the server would keep its own are no tokens before it has seen whose they are.
func TestTokensCountOnceTheServerListens(t *testing.T) {
	t.Parallel()
	service, _ := fromConfig(t, onTCP+first)
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	running := run(t, service, tcp)
	for _, token := range []string{childToken, operatorToken} {
		if err := running.resolveWith(t, token); connect.CodeOf(err) != connect.CodeUnauthenticated {
			t.Errorf("a token that nobody has looked at: %v, want UNAUTHENTICATED", err)
		}
	}
}
