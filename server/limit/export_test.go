package limit

import (
	"crypto/tls"
	"net/http/httptest"
	"testing"
)

const (
	Crowd = crowd
	Hurry = hurry
)

// Default is limits with the defaults for what they do not say.
func Default(limits Limits) Limits { return limits.orDefault() }

// Peers is how many peers the limiter knows.
func (l *Limiter) Peers() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.used[call].each) + len(l.used[stream].each)
}

// httptestCertificates are those of a test server.
func httptestCertificates(t testing.TB) []tls.Certificate {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	defer server.Close()
	return server.TLS.Certificates
}
