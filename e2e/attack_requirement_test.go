//go:build e2e

package e2e_test

import (
	"os"
	"os/exec"
	"testing"
)

// suppliers are the Debian packages of programs that attacks need, where the names differ.
var suppliers = map[string]string{"useradd": "passwd", "userdel": "passwd", "grpcurl": "no package: make tools builds it"}

// attacker skips a test where a program is missing.
func attacker(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err == nil {
			continue
		}
		supplier := suppliers[program]
		if supplier == "" {
			supplier = program
		}
		missing(t, program+" is not installed ("+supplier+")")
	}
}

// asRoot skips a test that cannot act as several users.
func asRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		missing(t, "only root can run programs as other users")
	}
}

// missing skips the test. In CI it fails, since a promise that nobody tests there is none.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" { //nolint:forbidigo // what every CI sets
		t.Fatal(what)
	}
	t.Skip(what)
}
