//go:build e2e

package e2e_test

import (
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
	"strings"
	"testing"
	"time"
)

const (
	childMarker    = "mArKeD-cHiLd-tOkEn"
	operatorMarker = "mArKeD-oPeRaToR-tOkEn"
)

// marked is a service all of whose secrets are marked, over TLS and the socket.
type marked struct {
	*target
	*evidence

	secrets secrets
	// vault is the directory of what holds secrets, and nothing else does. The rest may be read.
	vault, config string
	// how names the ways to the service: flags and variables of the command.
	how map[string][]string
}

func startMarked(t *testing.T) *marked {
	t.Helper()
	s := newStage(t, nil)
	m := &marked{target: &target{stage: s, socket: filepath.Join(s.run, "dialpoint", "d.sock")}, evidence: newEvidence()}
	m.vault = filepath.Join(s.home, "vault")
	s.mkdir(t, nil, m.vault, 0o700)
	certificate, key := newCertificate(t)
	m.secrets = secrets{"the credential": marker, "the child's token": childMarker, "the operator's token": operatorMarker}
	for i, line := range strings.Split(key, "\n") {
		// The first line begins as that of every key of its kind does, and the last is short.
		if i == 2 {
			m.secrets["the key"] = line
		}
	}
	for name, text := range map[string]string{
		"credential": marker, "child.token": childMarker, "operator.token": operatorMarker, "key.pem": key, "guess": "0123456789abcdef",
	} {
		s.write(t, nil, filepath.Join(m.vault, name), text, 0o600)
	}
	s.write(t, nil, filepath.Join(s.home, "certificate.pem"), certificate, 0o644)
	m.config = filepath.Join(s.home, "dialpoint.yaml")
	m.configure(t, m.good())
	m.start(t)
	m.how = map[string][]string{
		"socket":   {"--addr", "unix://" + m.socket},
		"child":    m.overTCP("child.token"),
		"operator": m.overTCP("operator.token"),
		"guess":    m.overTCP("guess"),
		"nobody":   {"--addr", m.tcp, "--ca-file", m.certificate()},
	}
	return m
}

func (m *marked) start(t *testing.T) {
	t.Helper()
	m.Process = (*account)(nil).start(t, m.env(), m.command, "serve", "--config", m.config)
	_, err := m.Await(waiting(t), &m.Out, "listener default")
	must(t, err)
	for _, line := range m.Out.Lines() {
		if words := strings.Fields(line); len(words) == 2 && words[0] == "tcp" {
			m.tcp = words[1]
		}
	}
	if !strings.HasPrefix(m.tcp, "https://") {
		t.Fatalf("the service does not say that it has TLS:\n%s", &m.Out)
	}
	m.child, m.operator = childMarker, operatorMarker
}

// env is the environment of every program: what it writes into files is in the home.
func (m *marked) env() []string { return []string{"HOME=" + m.home, "TMPDIR=" + m.home} }

func (m *marked) certificate() string { return filepath.Join(m.home, "certificate.pem") }

func (m *marked) overTCP(token string) []string {
	return []string{"--addr", m.tcp, "--ca-file", m.certificate(), "--token-file", filepath.Join(m.vault, token)}
}

// good is the configuration.
func (m *marked) good() string {
	return fmt.Sprintf(`
serve:
  unix: %q
  tcp: 127.0.0.1:0
  tls: {cert_file: certificate.pem, key_file: vault/key.pem}
  child_token_file: vault/child.token
  operator_token_file: vault/operator.token
listeners: [{name: default, bind: {host: 0.0.0.0, port: 9119}, auth: {credential_file: vault/credential}}]
log: {level: debug}
`, m.socket)
}

// configure puts a configuration in the place of the one there is.
func (m *marked) configure(t *testing.T, text string) {
	t.Helper()
	m.write(t, nil, m.config+".new", text, 0o600)
	must(t, os.Rename(m.config+".new", m.config))
}

// newCertificate is one that signs itself, for this machine, and its key, both in PEM.
func newCertificate(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	must(t, err)
	bytes, err := x509.MarshalPKCS8PrivateKey(private)
	must(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bytes}))
}
