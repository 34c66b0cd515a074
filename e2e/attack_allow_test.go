//go:build e2e

package e2e_test

import (
	"fmt"
	"os"
	"testing"
)

// TestE2EAllowedUser may resolve over the socket, and nothing more. Nobody else may.
//
//nolint:paralleltest // It makes users, whose names are the machine's.
func TestE2EAllowedUser(t *testing.T) {
	asRoot(t)
	attacker(t, "curl", "useradd", "userdel")
	owner, stranger := newAccount(t, ownerName), newAccount(t, strangerName)
	// A group that has no name, and of which nobody is a member unless the kernel is told so.
	const group = 61_234
	nobody := &account{name: "nobody", uid: 65_534, gid: 65_534}
	for _, allow := range []struct {
		name, entry     string
		owner, stranger *account
	}{
		{"user by name", "user:" + strangerName, owner, stranger},
		{"user by id", fmt.Sprintf("user:%d", stranger.uid), owner, stranger},
		{"group by name", "group:" + strangerName, owner.in(stranger.gid), stranger},
		{"group by id", fmt.Sprintf("group:%d", stranger.gid), owner.in(stranger.gid), stranger},
		{"further group", fmt.Sprintf("group:%d", group), owner.in(group), stranger.in(group)},
		{"user, service of root", "user:" + strangerName, nil, stranger},
		{"group, service of root", fmt.Sprintf("group:%d", group), nil, stranger.in(group)},
	} {
		t.Run(allow.name, func(t *testing.T) {
			s := &siege{startTarget(t, allow.owner, fmt.Sprintf(", unix_allow: [%q]", allow.entry)), allow.owner, allow.stranger}
			s.isAllowed(t)
			s.isShutOut(t, nobody)
		})
	}
}

// isAllowed checks what a user may who is in serve.unix_allow.
func (s *siege) isAllowed(t *testing.T) {
	t.Helper()
	s.wantAnswer(t, s.stranger.curl(t, s.curlUnix(), resolveProcedure, ""), 200, "", "")
	for _, procedure := range []string{listProcedure, reportProcedure} {
		s.wantAnswer(t, s.stranger.curl(t, s.curlUnix(), procedure, ""), 403, permissionDenied, "ROLE_FORBIDDEN")
	}
	socket := "unix://" + s.socket
	if got := s.stranger.run(t, nil, "", s.command, "resolve", "--addr", socket, "-o", "url"); got.code != 0 {
		t.Errorf("dialpoint resolve: exit %d\n%s", got.code, got.text())
	}
	got := s.stranger.run(t, nil, "", s.command, "listeners", "--addr", socket)
	if got.code != exitNotAllowed {
		t.Errorf("dialpoint listeners: exit %d, want %d\n%s", got.code, exitNotAllowed, got.text())
	}
	s.keeps(t, "dialpoint listeners", got.text())
	for _, token := range []string{"child.token", "operator.token"} {
		s.denied(t, "cat", s.beside(token))
	}
	for _, path := range []string{s.socket, s.beside("")} {
		info, err := os.Stat(path)
		must(t, err)
		t.Logf("%s has mode %v", path, info.Mode())
	}
}

// isShutOut checks that a user is not even let in, or is known as nobody.
func (s *siege) isShutOut(t *testing.T, user *account) {
	t.Helper()
	got := user.curl(t, s.curlUnix(), resolveProcedure, "")
	if got.exit == 0 {
		s.wantAnswer(t, got, 403, permissionDenied, "PEER_FORBIDDEN")
	}
	s.keeps(t, "the answer to "+user.name, got.text)
	if got := user.run(t, nil, "", s.command, "resolve", "--addr", "unix://"+s.socket); got.code != exitNotAllowed {
		t.Errorf("dialpoint resolve as %s: exit %d, want %d\n%s", user.name, got.code, exitNotAllowed, got.text())
	}
	for _, token := range []string{"child.token", "operator.token"} {
		if got := user.run(t, nil, "", "cat", s.beside(token)); got.code == 0 {
			t.Errorf("%s reads %s", user.name, token)
		}
	}
}
