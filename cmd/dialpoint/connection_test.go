package main_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"dialpoint/server/socket/heldport"
)

// callers are the commands that call the service. An empty one would go on for ever.
var callers = map[string][]string{
	"resolve":   {"resolve", "-o", "url"},
	"exec":      {"exec", "--wait", "0", "FLAGS", "--", "child", "exit", "0"},
	"listeners": {"listeners"},
	"watch":     {"watch", "--wait", "10s"},
}

// with is a command with more flags.
func with(command []string, flags ...string) []string {
	if at := slices.Index(command, "FLAGS"); at >= 0 {
		return slices.Concat(command[:at], flags, command[at+1:])
	}
	return slices.Concat(command, flags)
}

// token reads a token that the service has made.
func (h home) token(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(h.socket()), name))
	mustDo(t, err)
	return strings.TrimSpace(string(text))
}

// TestToken: every command shows the token that it was told of, and says what is wrong with it.
func TestToken(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serveOne(t)
	child, operator := h.token(t, "child.token"), h.token(t, "operator.token")
	right, wrong := h.write(t, "right", operator+"\n"), h.write(t, "wrong", strings.Repeat("x", 32))
	broken, missing := h.write(t, "broken", marker+" "+marker), h.path("missing")
	for name, test := range map[string]struct {
		env, flags []string
		code       int
		message    string
	}{
		"flag":                {nil, []string{"--token-file", right}, 0, ""},
		"flag over variables": {[]string{"DIALPOINT_TOKEN_FILE=" + broken, "DIALPOINT_TOKEN=x"}, []string{"--token-file", right}, 0, ""},
		"named file":          {[]string{"DIALPOINT_TOKEN_FILE=" + right}, nil, 0, ""},
		"file over variable":  {[]string{"DIALPOINT_TOKEN_FILE=" + right, "DIALPOINT_TOKEN=x"}, nil, 0, ""},
		"variable":            {[]string{"DIALPOINT_TOKEN_FILE=", "DIALPOINT_TOKEN=" + operator}, nil, 0, ""},
		"none":                {[]string{"DIALPOINT_TOKEN_FILE="}, nil, 77, "unauthenticated (CREDENTIAL_MISSING): "},
		"another's":           {nil, []string{"--token-file", wrong}, 77, fmt.Sprintf("; the token was that of the given token file %q", wrong)},
		"broken":              {nil, []string{"--token-file", broken}, 78, fmt.Sprintf("the given token file %q must hold one token", broken)},
		"broken, named":       {[]string{"DIALPOINT_TOKEN_FILE=" + broken}, nil, 78, fmt.Sprintf("the token file %q of env DIALPOINT_TOKEN_FILE must hold one token", broken)},
		"broken variable":     {[]string{"DIALPOINT_TOKEN_FILE=", "DIALPOINT_TOKEN=" + marker + " " + marker}, nil, 78, "env DIALPOINT_TOKEN must hold one token"},
		"directory":           {nil, []string{"--token-file", h.dir}, 78, "is no regular file"},
		"missing":             {nil, []string{"--token-file", missing}, 69, fmt.Sprintf("the given token file %q cannot be read: no such file", missing)},
		"as an argument":      {nil, []string{"--token=" + marker}, 2, "unknown flag: --token"},
	} {
		for command, args := range callers {
			if test.code == 0 && command == "watch" {
				continue
			}
			t.Run(name+"/"+command, func(t *testing.T) {
				t.Parallel()
				got := h.run(t, test.env, with(args, slices.Concat(test.flags, []string{"--addr", s.tcp})...)...)
				if got.code != test.code || !strings.Contains(got.stderr, test.message) {
					t.Errorf("exit %d, said %q, want %d and %q", got.code, got.stderr, test.code, test.message)
				}
				for _, secret := range []string{child, operator, marker} {
					if strings.Contains(got.stdout+got.stderr, secret) {
						t.Errorf("it shows a token:\n%s%s", got.stdout, got.stderr)
					}
				}
			})
		}
	}
}

// TestTokenOfAChild: what a child needs, and no more (issue 4).
func TestTokenOfAChild(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serveOne(t)
	child := []string{"DIALPOINT_TOKEN_FILE=" + filepath.Join(filepath.Dir(h.socket()), "child.token"), "DIALPOINT_ADDR=" + s.tcp}
	h.must(t, child, with(callers["resolve"])...)
	h.must(t, child, with(callers["exec"])...)
	w := h.watch(t, child)
	if w.next(t).GetEndpoints() == nil {
		t.Error("the watch brings no endpoints")
	}
	mustDo(t, w.process.Process.Signal(syscall.SIGINT))
	w.end(t)
	if got := h.run(t, child, with(callers["listeners"])...); got.code != 77 || !strings.Contains(got.stderr, "permission_denied (ROLE_FORBIDDEN): ") {
		t.Errorf("listeners: exit %d, said %q, want 77", got.code, got.stderr)
	}
}

// TestCommandsWaitForTheToken: a child that starts before its service starts before the service has made a token.
func TestCommandsWaitForTheToken(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	address := fmt.Sprintf("127.0.0.1:%d", heldport.New(t))
	early := h.command(t, []string{"DIALPOINT_ADDR=http://" + address}, "exec", "--wait", "1m", "--", "child", "wait", "0")
	lines := linesOf(t, early)
	h.serveOne(t, "--tcp", address)
	lines.want(t, "start "+strings.TrimSpace(oneURL))
	mustDo(t, early.Process.Signal(syscall.SIGTERM))
	lines.want(t, "got terminated")
	mustDo(t, early.Wait())
}

// TestTokenIsInNoArgument: every user of the machine can read the arguments of every process, of exec and of its child.
func TestTokenIsInNoArgument(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serveOne(t)
	operator := h.token(t, "operator.token")
	for name, env := range map[string][]string{
		"file":     {"DIALPOINT_ADDR=" + s.tcp},
		"variable": {"DIALPOINT_ADDR=" + s.tcp, "DIALPOINT_TOKEN_FILE=", "DIALPOINT_TOKEN=" + operator},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parent := h.command(t, env, "exec", "--on-change", "ignore", "--", "child", "wait", "0")
			lines := linesOf(t, parent)
			lines.want(t, "start "+strings.TrimSpace(oneURL))
			children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", parent.Process.Pid))
			mustDo(t, err)
			for _, pid := range append(strings.Fields(string(children)), fmt.Sprint(parent.Process.Pid)) {
				arguments, err := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
				mustDo(t, err)
				if len(arguments) == 0 || bytes.Contains(arguments, []byte(operator)) {
					t.Errorf("process %s shows %q", pid, arguments)
				}
			}
			mustDo(t, parent.Process.Signal(syscall.SIGTERM))
			lines.want(t, "got terminated")
			mustDo(t, parent.Wait())
		})
	}
}

// TestDefaultSocketOfAStranger: a command does not take URLs from whoever came first.
func TestDefaultSocketOfAStranger(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serveOne(t)
	mustDo(t, os.Chmod(filepath.Dir(h.socket()), 0o777))
	for name, args := range callers {
		got := h.run(t, nil, with(args)...)
		if got.code != 77 || !strings.Contains(got.stderr, "the directory "+filepath.Dir(h.socket())+" of the default socket can be written to by others (mode 0777)") {
			t.Errorf("%s: exit %d, said %q, want 77", name, got.code, got.stderr)
		}
	}
	if got := h.must(t, nil, with(callers["resolve"], "--addr", "unix://"+h.socket())...); got != oneURL {
		t.Errorf("by name: %q", got)
	}
}

// certificate makes the two files of a certificate for 127.0.0.1 that vouches for itself.
func (h home) certificate(t *testing.T, name string) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	mustDo(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	mustDo(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	mustDo(t, err)
	return h.writePEM(t, name+".pem", "CERTIFICATE", der), h.writePEM(t, name+".key", "PRIVATE KEY", private)
}

func (h home) writePEM(t *testing.T, name, kind string, der []byte) string {
	t.Helper()
	return h.write(t, name, string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
}

// TestTLS: every command trusts and shows the certificates that it was told of.
func TestTLS(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	cert, key := h.certificate(t, "service")
	other, otherKey := h.certificate(t, "other")
	mine, mineKey := h.certificate(t, "client")
	s := h.serveOne(t, "--config", h.write(t, "dialpoint.yaml",
		fmt.Sprintf("serve: {tls: {cert_file: %q, key_file: %q, client_ca_file: %q}}\n", cert, key, mine)))
	plain := strings.Replace(s.tcp, "https", "http", 1)
	pair := []string{"--cert-file", mine, "--key-file", mineKey}
	for name, test := range map[string]struct {
		address    string
		env, flags []string
		code       int
		message    string
	}{
		"flags":                    {s.tcp, nil, append(pair, "--ca-file", cert), 0, ""},
		"variables":                {s.tcp, []string{"DIALPOINT_CA_FILE=" + cert, "DIALPOINT_CERT_FILE=" + mine, "DIALPOINT_KEY_FILE=" + mineKey}, nil, 0, ""},
		"flag over variable":       {s.tcp, []string{"DIALPOINT_CA_FILE=" + other}, append(pair, "--ca-file", cert), 0, ""},
		"not trusted":              {s.tcp, nil, pair, 69, "is not to be trusted: "},
		"another trusted":          {s.tcp, nil, append(pair, "--ca-file", other), 69, "name the authority that vouches for it with --ca-file or DIALPOINT_CA_FILE"},
		"no client certificate":    {s.tcp, nil, []string{"--ca-file", cert}, 77, "does not accept this caller"},
		"a stranger's certificate": {s.tcp, nil, []string{"--ca-file", cert, "--cert-file", other, "--key-file", otherKey}, 77, "name a certificate that it trusts with --cert-file and --key-file"},
		"another's key":            {s.tcp, nil, []string{"--ca-file", cert, "--cert-file", mine, "--key-file", otherKey}, 78, "does not go with the given certificate file"},
		"half a pair":              {s.tcp, nil, []string{"--cert-file", mine}, 2, "needs a key file; name it with --key-file or DIALPOINT_KEY_FILE"},
		"a key for certificates":   {s.tcp, nil, append(pair, "--ca-file", key), 78, "holds no certificate in PEM"},
		"missing":                  {s.tcp, nil, append(pair, "--ca-file", h.path("missing")), 69, "cannot be read: no such file or directory"},
		"without https":            {plain, nil, []string{"--ca-file", cert}, 2, "is for https, and there is no such address in [" + plain + "]"},
		"at the socket":            {"unix://" + h.socket(), nil, []string{"--key-file", key}, 2, "is for https"},
	} {
		for command, args := range callers {
			if test.code == 0 && command == "watch" {
				continue
			}
			t.Run(name+"/"+command, func(t *testing.T) {
				t.Parallel()
				got := h.run(t, test.env, with(args, slices.Concat(test.flags, []string{"--addr", test.address})...)...)
				if got.code != test.code || !strings.Contains(got.stderr, test.message) {
					t.Errorf("exit %d, said %q, want %d and %q", got.code, got.stderr, test.code, test.message)
				}
			})
		}
	}
}
