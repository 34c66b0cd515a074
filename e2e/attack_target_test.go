//go:build e2e

package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dialpoint/examples/wildcard/process"
)

// marker is the credential of every service that is attacked. It is in no text by chance, and the same percent-encoded or
// not.
const marker = "mArKeD-cReDeNtIaL"

// stage is directories that every user may enter: what keeps a stranger out is the service's own doing.
type stage struct {
	// dir has the command, and a directory of the service's own: home for its files, run for its socket.
	dir, command, home, run string
}

func newStage(t *testing.T, owner *account) *stage {
	t.Helper()
	// Not below the tests' own directory, which no other user may enter.
	dir, err := os.MkdirTemp("", "dp-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &stage{dir, filepath.Join(dir, "dialpoint"), filepath.Join(dir, "home"), filepath.Join(dir, "run")}
	program, err := os.ReadFile(dialpoint(t))
	must(t, err)
	must(t, os.Chmod(dir, 0o755))
	s.write(t, nil, s.command, string(program), 0o755)
	s.mkdir(t, owner, s.home, 0o700)
	s.mkdir(t, owner, s.run, 0o755)
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write makes a file of a user.
func (s *stage) write(t *testing.T, owner *account, path, text string, mode os.FileMode) string {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), mode))
	own(t, owner, path)
	return path
}

func (s *stage) mkdir(t *testing.T, owner *account, path string, mode os.FileMode) {
	t.Helper()
	must(t, os.Mkdir(path, mode))
	own(t, owner, path)
}

func own(t *testing.T, owner *account, path string) {
	t.Helper()
	if owner != nil {
		must(t, os.Chown(path, int(owner.uid), int(owner.gid)))
	}
}

// target is a service that is attacked.
type target struct {
	*process.Process
	*stage

	// socket is the path of its unix socket, in a directory that it has made, and tcp its address: http://127.0.0.1:PORT.
	socket, tcp string
	// child and operator are its tokens.
	child, operator string
}

// startTarget starts a service as its owner that logs each call. What is said is further keys of its section serve.
func startTarget(t *testing.T, owner *account, said string, flags ...string) *target {
	t.Helper()
	s := newStage(t, owner)
	target := &target{stage: s, socket: filepath.Join(s.run, "dialpoint", "d.sock")}
	s.write(t, owner, filepath.Join(s.home, "credential"), marker+"\n", 0o600)
	config := s.write(t, owner, filepath.Join(s.home, "dialpoint.yaml"), fmt.Sprintf(`
serve: {unix: %q, tcp: "127.0.0.1:0" %s}
listeners: [{name: default, bind: {host: 0.0.0.0, port: 9119}, auth: {credential_file: credential}}]
log: {level: debug}
`, target.socket, said), 0o600)
	target.serve(t, owner, config, flags...)
	return target
}

// serve starts the service, and learns where it listens and what its tokens are.
func (s *target) serve(t *testing.T, owner *account, config string, flags ...string) {
	t.Helper()
	s.Process = owner.start(t, nil, s.command, append([]string{"serve", "--config", config}, flags...)...)
	_, err := s.Await(waiting(t), &s.Out, "listener default")
	must(t, err)
	for _, line := range s.Out.Lines() {
		if words := strings.Fields(line); len(words) == 2 && words[0] == "tcp" {
			s.tcp = words[1]
		}
	}
	s.child, s.operator = s.token(t, "child.token"), s.token(t, "operator.token")
}

// token is what the service has put beside its socket.
func (s *target) token(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(s.beside(name))
	if err != nil {
		t.Errorf("the service has made no token: %v", err)
		return "none-was-made-" + name
	}
	return strings.TrimSpace(string(text))
}

// beside is the path of a file in the socket's directory.
func (s *target) beside(name string) string { return filepath.Join(filepath.Dir(s.socket), name) }

// secrets are what nobody may see who is refused.
func (s *target) secrets() []string { return []string{marker, s.child, s.operator} }

// keeps checks that a text shows none of the secrets.
func (s *target) keeps(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range s.secrets() {
		if strings.Contains(text, secret) {
			t.Errorf("%s shows a secret:\n%s", where, text)
		}
	}
}
