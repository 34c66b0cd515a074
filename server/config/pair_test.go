package config_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"testing"
	"time"
)

// day is what the validity of certificates is told in.
const day = 24 * time.Hour

// pair is a certificate that is signed by its own key, for a server, a client or both, in PEM.
type pair struct{ certificate, key string }

// both is certificate and key in one file.
func (p pair) both() string { return p.certificate + p.key }

// newPair is one that is valid for a year.
func newPair(t testing.TB) pair {
	t.Helper()
	return pairValid(t, -day, 365*day)
}

// pairValid is one that is valid between two points in time, as seen from now.
func pairValid(t testing.TB, begin, end time.Duration) pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return pairOf(t, key, begin, end)
}

// pairOf is one with a key of any kind.
func pairOf(t testing.TB, key crypto.Signer, begin, end time.Duration) pair {
	t.Helper()
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: "dialpoint.example"},
		DNSNames:     []string{"dialpoint.example"},
		NotBefore:    now.Add(begin), NotAfter: now.Add(end),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pair{certificate: inPEM("CERTIFICATE", certificate), key: inPEM("PRIVATE KEY", encoded)}
}

func inPEM(kind string, content []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}))
}

// pool is the certificate as what a peer trusts.
func (p pair) pool(t testing.TB) *x509.CertPool {
	t.Helper()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(p.certificate)) {
		t.Fatal("there is no certificate")
	}
	return pool
}
