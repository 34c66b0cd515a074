//go:build e2e

package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Users of the machine that these tests make.
const (
	ownerName    = "dialpoint-e2e-svc"
	strangerName = "dialpoint-e2e"
)

const (
	unauthenticated  = "unauthenticated"
	permissionDenied = "permission_denied"
	exitNotAllowed   = 77
)

// siege is a service of one user, and another user of the same machine.
type siege struct {
	*target

	owner, stranger *account
}

func besiege(t *testing.T) *siege {
	t.Helper()
	asRoot(t)
	attacker(t, "curl", "useradd", "userdel")
	owner, stranger := newAccount(t, ownerName), newAccount(t, strangerName)
	return &siege{startTarget(t, owner, ""), owner, stranger}
}

// TestE2EAnotherUser: what a user without privileges can do to the service of another, and what it cannot.
//
//nolint:paralleltest // It makes users, whose names are the machine's.
func TestE2EAnotherUser(t *testing.T) {
	s := besiege(t)
	t.Run("TCP", s.callsOverTCP)
	t.Run("closed socket", s.cannotConnect)
	t.Run("command", s.runsTheCommand)
	t.Run("files", s.cannotReadFiles)
	t.Run("process", s.cannotLookIntoProcesses)
	// The last, since these open the directory.
	t.Run("open socket", s.isNobodyOnTheSocket)
	t.Run("files behind an open directory", s.cannotReadFiles)
}

func (s *siege) callsOverTCP(t *testing.T) {
	const guess = "0123456789abcdef0123456789abcdef"
	for _, call := range []struct {
		name, procedure, token string
		status                 int
		code, reason           string
	}{
		{"no token, resolve", resolveProcedure, "", 401, unauthenticated, "CREDENTIAL_MISSING"},
		{"no token, list", listProcedure, "", 401, unauthenticated, "CREDENTIAL_MISSING"},
		{"no token, report", reportProcedure, "", 401, unauthenticated, "CREDENTIAL_MISSING"},
		{"wrong token, resolve", resolveProcedure, guess, 401, unauthenticated, "CREDENTIAL_INVALID"},
		{"wrong token, list", listProcedure, guess, 401, unauthenticated, "CREDENTIAL_INVALID"},
		{"half a token", resolveProcedure, s.child[:len(s.child)/2], 401, unauthenticated, "CREDENTIAL_INVALID"},
		{"the credential as a token", resolveProcedure, marker, 401, unauthenticated, "CREDENTIAL_INVALID"},
		{"child's token, resolve", resolveProcedure, s.child, 200, "", ""},
		{"child's token, list", listProcedure, s.child, 403, permissionDenied, "ROLE_FORBIDDEN"},
		{"child's token, report", reportProcedure, s.child, 403, permissionDenied, "ROLE_FORBIDDEN"},
		{"operator's token, resolve", resolveProcedure, s.operator, 200, "", ""},
		{"operator's token, list", listProcedure, s.operator, 200, "", ""},
		{"no token, health", healthProcedure, "", 200, "", ""},
	} {
		t.Run(call.name, func(t *testing.T) {
			got := s.stranger.curl(t, s.curlTCP(), call.procedure, call.token)
			s.wantAnswer(t, got, call.status, call.code, call.reason)
			if resolved := call.procedure == resolveProcedure && call.status == 200; resolved != strings.Contains(got.text, marker) {
				t.Errorf("the answer holds the credential: %t, want %t\n%s", !resolved, resolved, got.text)
			}
			if call.status != 200 && call.token != "" && strings.Contains(got.text, call.token) {
				t.Errorf("the answer repeats the token:\n%s", got.text)
			}
		})
	}
}

// cannotConnect: the directory is closed.
func (s *siege) cannotConnect(t *testing.T) {
	const curlNotConnected = 7
	for _, token := range []string{"", s.operator} {
		if got := s.stranger.curl(t, s.curlUnix(), resolveProcedure, token); got.exit != curlNotConnected || got.status != 0 {
			t.Errorf("curl: exit %d, status %d, want that it cannot connect\n%s", got.exit, got.status, got.text)
		}
	}
	if got := s.owner.curl(t, s.curlUnix(), listProcedure, ""); got.status != 200 {
		t.Errorf("the owner's call has status %d, want 200\n%s", got.status, got.text)
	}
}

// isNobodyOnTheSocket: whoever gets to the socket is still known by the kernel's word, whatever token it brings.
func (s *siege) isNobodyOnTheSocket(t *testing.T) {
	must(t, os.Chmod(filepath.Dir(s.socket), 0o755))
	must(t, os.Chmod(s.socket, 0o666))
	for _, procedure := range []string{resolveProcedure, listProcedure, reportProcedure} {
		for _, token := range []string{"", s.child, s.operator} {
			s.wantAnswer(t, s.stranger.curl(t, s.curlUnix(), procedure, token), 403, permissionDenied, "PEER_FORBIDDEN")
		}
	}
	for _, allowed := range []*account{nil, s.owner} {
		s.wantAnswer(t, allowed.curl(t, s.curlUnix(), listProcedure, ""), 200, "", "")
	}
	if got := s.stranger.run(t, nil, "", s.command, "resolve", "--addr", "unix://"+s.socket); got.code != exitNotAllowed {
		t.Errorf("dialpoint resolve: exit %d, want %d\n%s", got.code, exitNotAllowed, got.text())
	} else {
		s.keeps(t, "dialpoint resolve", got.text())
	}
}

// cannotReadFiles that hold secrets.
func (s *siege) cannotReadFiles(t *testing.T) {
	for _, path := range []string{s.beside("child.token"), s.beside("operator.token"), filepath.Join(s.home, "credential")} {
		s.denied(t, "cat", path)
		if got := s.owner.run(t, nil, "", "cat", path); got.code != 0 {
			t.Errorf("the owner cannot read %s: %s", path, got.text())
		}
	}
}

// denied checks that a program of the stranger's is told that it has no permission.
func (s *siege) denied(t *testing.T, program string, args ...string) {
	t.Helper()
	got := s.stranger.run(t, nil, "", program, args...)
	if got.code == 0 || got.out != "" || !strings.Contains(got.errors, "Permission denied") {
		t.Errorf("%s %q: exit %d, want that permission is denied\n%s", program, args, got.code, got.text())
	}
	s.keeps(t, program, got.text())
}
