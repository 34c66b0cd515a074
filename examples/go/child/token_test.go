//go:build e2e

package main_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
)

// marker is a part of the token that is in no text by chance.
const (
	marker = "mArKeD"
	token  = marker + "-t0ken=="
)

// children are the commands of all examples that take an address of a kind. They give up after a second.
var children = map[string]map[string][]string{
	"unix": {"go": goChild, "node": {"node", "../../node/unix.mjs", "", "1"}, "python": pythonChild, "shell": shellChild},
	"tcp":  {"go": goChild, "node": {"node", "../../node/fetch.mjs", "", "1"}, "python": pythonChild, "shell": shellChild},
}

var (
	goChild     = []string{"child", "-wait", "1s"}
	pythonChild = []string{"python3", "../../python/child.py", "", "1"}
	shellChild  = []string{"sh", "../../shell/child.sh", "", "1"}
)

// service answers everyone, and notes what it was shown.
type service struct {
	dialpointv1connect.UnimplementedEndpointServiceHandler

	mu    sync.Mutex
	shown []string
}

func (*service) ResolveEndpoints(context.Context, *dialpointv1.ResolveEndpointsRequest) (*dialpointv1.ResolveEndpointsResponse, error) {
	gateway := &dialpointv1.Endpoint{Url: "ws://127.0.0.1:9119/api/ws", DisplayUrl: "ws://127.0.0.1:9119/api/ws"}
	return &dialpointv1.ResolveEndpointsResponse{Endpoints: &dialpointv1.Endpoints{Gateway: gateway}}, nil
}

// serve answers at an address of a kind, and returns it.
func (s *service) serve(t *testing.T, kind string) (address string) {
	t.Helper()
	_, next := dialpointv1connect.NewEndpointServiceHandler(s)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		s.mu.Lock()
		s.shown = append(s.shown, request.Header.Get("Authorization"))
		s.mu.Unlock()
		next.ServeHTTP(w, request)
	}))
	if kind == "unix" {
		if err := server.Listener.Close(); err != nil {
			t.Fatal(err)
		}
		listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
		if err != nil {
			t.Fatal(err)
		}
		server.Listener = listener
	}
	server.Start()
	t.Cleanup(server.Close)
	if kind == "unix" {
		return "unix://" + server.Listener.Addr().String()
	}
	return server.URL
}

// tokens are what a child may be told, by a file and by a variable, and what it shows.
var tokens = map[string]struct{ file, env, want string }{
	"nothing":                 {"", "", ""},
	"file":                    {token, "", "Bearer " + token},
	"file with white space":   {" \r\n" + token + " \r\n\n", "", "Bearer " + token},
	"file over variable":      {token, "other", "Bearer " + token},
	"variable":                {"", token, "Bearer " + token},
	"variable with space":     {"", " " + token + "\n", "Bearer " + token},
	"empty file":              {"\n", "", noCall},
	"file of two lines":       {token + "\nX-Header: x", "", noCall},
	"variable of two lines":   {"", token + "\nX-Header: x", noCall},
	"file that is not there":  {missing, token, noCall},
	"variable that is quoted": {"", `"` + token + `"`, noCall},
}

const (
	missing = "missing"
	noCall  = "no call at all"
)

// install puts the example in Go, and a curl that notes its arguments, into a directory for PATH.
func install(t *testing.T) (bin, arguments string) {
	t.Helper()
	bin, arguments = t.TempDir(), filepath.Join(t.TempDir(), "arguments")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "child"), ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >>'%s'\nexec '%s' \"$@\"\n", arguments, curl)
	if err := os.WriteFile(filepath.Join(bin, "curl"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return bin, arguments
}

// TestE2EExamplesShowTheirToken at TCP addresses, and nothing at sockets. It is in no argument, and what is no token is
// neither sent nor printed.
func TestE2EExamplesShowTheirToken(t *testing.T) {
	t.Parallel()
	bin, arguments := install(t)
	t.Cleanup(func() {
		seen, err := os.ReadFile(arguments)
		if err != nil || strings.Contains(string(seen), marker) || !strings.Contains(string(seen), "--header @-") {
			t.Errorf("%v, curl was called with\n%s", err, seen)
		}
	})
	for name, test := range tokens {
		for kind, commands := range children {
			for child, command := range commands {
				t.Run(name+"/"+kind+"/"+child, func(t *testing.T) {
					t.Parallel()
					service := new(service)
					want := []string{test.want}
					switch {
					case kind == "unix":
						want = []string{""}
					case test.want == noCall:
						want = nil
					}
					output, err := run(t, bin, command, service.serve(t, kind), test.file, test.env)
					if (err == nil) != (want != nil) || strings.Contains(output, marker) {
						t.Errorf("%v, printed\n%s", err, output)
					}
					if !slices.Equal(service.shown, want) {
						t.Errorf("shown %q, want %q", service.shown, want)
					}
				})
			}
		}
	}
}

// run runs a child that is told of a token by a file or by a variable, and returns what it printed.
func run(t *testing.T, bin string, command []string, address, text, variable string) (output string, err error) {
	t.Helper()
	if command[0] == goChild[0] {
		command = slices.Concat([]string{filepath.Join(bin, command[0])}, command[1:])
	}
	process := exec.CommandContext(t.Context(), command[0], command[1:]...)
	for _, variable := range process.Environ() {
		if path, found := strings.CutPrefix(variable, "PATH="); found {
			process.Env = append(process.Env, "PATH="+bin+":"+path)
		}
	}
	process.Env = append(process.Env, "DIALPOINT_ADDR="+address, "DIALPOINT_TOKEN="+variable)
	if text != "" {
		file := filepath.Join(t.TempDir(), "token")
		process.Env = append(process.Env, "DIALPOINT_TOKEN_FILE="+file)
		if text != missing {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	printed, err := process.CombinedOutput()
	return string(printed), err
}
