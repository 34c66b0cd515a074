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

// take is a slot that was taken, for tests that need no request.
func (l *Limiter) take(wanted kind, peer string) (*slot, error) {
	taken := &slot{limiter: l, peer: peer, kind: wanted}
	if err := taken.take(); err != nil {
		return nil, err
	}
	return taken, nil
}

// Arriving is how many requests are on their way.
func (l *Limiter) Arriving() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.arriving.Len()
}
