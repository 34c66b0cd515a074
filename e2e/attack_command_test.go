//go:build e2e

package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// runsTheCommand as the stranger, over TCP and at the closed socket.
func (s *siege) runsTheCommand(t *testing.T) {
	tokens := filepath.Join(s.dir, "stranger")
	s.mkdir(t, s.stranger, tokens, 0o700)
	child := s.write(t, s.stranger, filepath.Join(tokens, "child"), s.child+"\n", 0o600)
	operator := s.write(t, s.stranger, filepath.Join(tokens, "operator"), s.operator+"\n", 0o600)
	guess := s.write(t, s.stranger, filepath.Join(tokens, "guess"), "0123456789abcdef0123456789abcdef\n", 0o600)
	socket := "unix://" + s.socket
	for _, run := range []struct {
		name string
		env  []string
		args []string
		code int
		says string
	}{
		{"closed socket", nil, []string{"resolve", "--addr", socket, "-o", "url"}, exitNotAllowed, "permission denied"},
		{"closed socket, operator's token", nil, []string{"listeners", "--addr", socket, "--token-file", operator}, exitNotAllowed, "permission denied"},
		{"resolve, no token", nil, []string{"resolve", "--addr", s.tcp, "-o", "url"}, exitNotAllowed, "token"},
		{"watch, no token", nil, []string{"watch", "--addr", s.tcp, "--reveal"}, exitNotAllowed, "token"},
		{"exec, no token", nil, []string{"exec", "--addr", s.tcp, "--", "env"}, exitNotAllowed, "token"},
		{"exec, optional, no token", nil, []string{"exec", "--addr", s.tcp, "--optional", "--", "env"}, exitNotAllowed, "token"},
		{"listeners, no token", nil, []string{"listeners", "--addr", s.tcp}, exitNotAllowed, "token"},
		{"resolve, wrong token", nil, []string{"resolve", "--addr", s.tcp, "--token-file", guess}, exitNotAllowed, "token"},
		{"watch, wrong token", nil, []string{"watch", "--addr", s.tcp, "--token-file", guess}, exitNotAllowed, "token"},
		{"listeners, child's token", nil, []string{"listeners", "--addr", s.tcp, "--token-file", child}, exitNotAllowed, "operator"},
		{"listeners, child's token, variable", []string{"DIALPOINT_TOKEN=" + s.child}, []string{"listeners", "--addr", s.tcp}, exitNotAllowed, "operator"},
		{"resolve, child's token", nil, []string{"resolve", "--addr", s.tcp, "--token-file", child, "-o", "url"}, 0, "token=" + marker},
		{"resolve, child's token, variable", []string{"DIALPOINT_TOKEN=" + s.child}, []string{"resolve", "--addr", s.tcp, "-o", "url"}, 0, "token=" + marker},
		{"exec, child's token", []string{"DIALPOINT_TOKEN_FILE=" + child}, []string{"exec", "--addr", s.tcp, "--", "env"}, 0, "token=" + marker},
		{"listeners, operator's token", nil, []string{"listeners", "--addr", s.tcp, "--token-file", operator}, 0, "default"},
	} {
		t.Run(run.name, func(t *testing.T) {
			got := s.stranger.run(t, run.env, "", s.command, run.args...)
			if got.code != run.code || !strings.Contains(got.text(), run.says) {
				t.Errorf("exit %d, want %d and %q\n%s", got.code, run.code, run.says, got.text())
			}
			if run.code != 0 {
				s.keeps(t, "the command", got.text())
			}
		})
	}
}

// TestE2EAnotherUserOverGRPC is told the same in gRPC's own words.
//
//nolint:paralleltest // It makes users, whose names are the machine's.
func TestE2EAnotherUserOverGRPC(t *testing.T) {
	attacker(t, "grpcurl")
	s := besiege(t)
	address := strings.TrimPrefix(s.tcp, "http://")
	for _, method := range []string{resolveProcedure, watchProcedure, listProcedure, reportProcedure} {
		got := (*account)(nil).run(t, nil, "", "grpcurl", "-plaintext", address, method[1:])
		if got.code == 0 || !strings.Contains(got.text(), "Code: Unauthenticated") || !strings.Contains(got.text(), "CREDENTIAL_MISSING") {
			t.Errorf("%s: exit %d\n%s", method, got.code, got.text())
		}
		s.keeps(t, method, got.text())
	}
}
