package client_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"dialpoint/client"
)

// serveFor answers at https with a certificate of an authority.
func serveFor(t *testing.T, authority *authority, change func(*x509.Certificate)) (address string) {
	t.Helper()
	return serveTLS(t, listenTCP(t), &tls.Config{Certificates: []tls.Certificate{authority.issue(change)}}, complete().handler())
}

// TestServiceCertificate is whom a client trusts.
func TestServiceCertificate(t *testing.T) {
	t.Parallel()
	ours, other := newAuthority(t), newAuthority(t)
	const nameAuthority = "; name the authority that vouches for it with --ca-file or DIALPOINT_CA_FILE"
	for name, test := range map[string]struct {
		ca     string
		change func(*x509.Certificate)
		parts  []string
	}{
		"right authority":       {ours.pem(), unchanged, nil},
		"among others":          {other.pem() + "\n# ours\n" + ours.pem(), unchanged, nil},
		"another authority":     {other.pem(), unchanged, []string{"certificate signed by unknown authority", nameAuthority}},
		"the system's":          {"", unchanged, []string{"certificate signed by unknown authority", nameAuthority}},
		"another address":       {ours.pem(), func(c *x509.Certificate) { c.IPAddresses = []net.IP{{192, 0, 2, 1}} }, []string{"valid for 192.0.2.1, not 127.0.0.1", "; call it by a name that its certificate holds"}},
		"a name alone":          {ours.pem(), func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"a.example"} }, []string{"; call it by a name that its certificate holds"}},
		"expired":               {ours.pem(), func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }, []string{"has expired or is not yet valid", "; have its certificate replaced"}},
		"not yet":               {ours.pem(), func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) }, []string{"has expired or is not yet valid", "; have its certificate replaced"}},
		"for clients":           {ours.pem(), func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }, []string{"incompatible key usage", "; have its certificate replaced"}},
		"an authority that any": {certificatePEM(ours.issue(unchanged).Certificate[0]), unchanged, []string{nameAuthority}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := serveFor(t, ours, test.change)
			for name, call := range patientCalls {
				caller := connectTo(t, address)
				if test.ca != "" {
					caller.CAFile = write(t, t.TempDir(), "ca.pem", test.ca)
				}
				err := call(t.Context(), caller)
				if test.parts == nil {
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					continue
				}
				if failure := asError(t, err); failure.Code != connect.CodeFailedPrecondition || errors.Is(err, client.ErrConfiguration) {
					t.Errorf("%s: got %v, want failed_precondition of the service", name, err)
				}
				wantMessage(t, err.Error(), append(test.parts, "the service at "+address+" is not to be trusted: ")...)
			}
		})
	}
}

// TestCAFileReplacesTheSystems: what the system trusts counts where no file is named, and not where one is. The system's
// certificates are read once a process.
func TestCAFileReplacesTheSystems(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ours, other := newAuthority(t), newAuthority(t)
	right, wrong := write(t, dir, "ours.pem", ours.pem()), write(t, dir, "other.pem", other.pem())
	address := serveFor(t, ours, unchanged)
	for name, test := range map[string]struct{ system, file, want string }{
		"system alone":    {right, "", "token=REDACTED"},
		"file alone":      {wrong, right, "token=REDACTED"},
		"file against it": {right, wrong, "is not to be trusted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := resolveInChild(t, address, time.Minute, "SSL_CERT_FILE="+test.system, client.CAFileEnv+"="+test.file)
			wantMessage(t, got, test.want)
		})
	}
}

// TestUselessCAFiles: there is no call without the authorities that were named.
func TestUselessCAFiles(t *testing.T) {
	t.Parallel()
	authority := newAuthority(t)
	address := serveFor(t, authority, unchanged)
	pair := authority.issue(unchanged)
	for name, test := range map[string]struct{ text, problem string }{
		"empty":       {"", "holds no certificate in PEM"},
		"text":        {"certificate", "holds no certificate in PEM"},
		"binary":      {string(authority.certificate.Raw), "holds no certificate in PEM"},
		"a key":       {keyPEM(t, pair), "holds no certificate in PEM"},
		"cut short":   {authority.pem()[:200], "holds no certificate in PEM"},
		"not base64":  {"-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n", "holds no certificate in PEM"},
		"far too big": {strings.Repeat("#", client.MaxPEMBytes+1), "has more than 4194304 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for name, call := range patientCalls {
				caller := connectTo(t, address)
				caller.CAFile = write(t, t.TempDir(), "ca.pem", test.text)
				err := call(t.Context(), caller)
				wantMisconfigured(t, err, fmt.Sprintf("the given CA file %q ", caller.CAFile)+test.problem, "--ca-file or DIALPOINT_CA_FILE")
				if t.Failed() {
					t.Error(name)
				}
			}
		})
	}
}

// TestCAFileComesLate: it is waited for, as a token is.
func TestCAFileComesLate(t *testing.T) {
	t.Parallel()
	authority := newAuthority(t)
	address := serveFor(t, authority, unchanged)
	for name, call := range patientCalls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			caller := connectTo(t, address)
			caller.CAFile = dir + "/ca.pem"
			var waited error
			caller.Waiting = func(err error) {
				waited = err
				write(t, dir, "ca.pem", authority.pem())
			}
			if err := call(t.Context(), caller); err != nil {
				t.Error(err)
			}
			wantMessage(t, asError(t, waited).Message, fmt.Sprintf("the given CA file %q cannot be read: no such file or directory", caller.CAFile))
		})
	}
}

// TestAuthorityIsReplaced: a new connection is made with the files of its time, and a client need not start anew.
func TestAuthorityIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second := newAuthority(t), newAuthority(t)
	address := serveFor(t, first, unchanged) + "," + serveFor(t, second, unchanged)
	caller := connectTo(t, address)
	for _, authority := range []*authority{first, second, first} {
		caller.CAFile = write(t, dir, "ca.pem", authority.pem())
		if _, err := caller.Resolve(t.Context(), client.Request{}); err != nil {
			t.Error(err)
		}
		caller.Close()
	}
}

// TestTLSVersions: 1.2 is the least, whatever a service offers.
func TestTLSVersions(t *testing.T) {
	t.Parallel()
	authority := newAuthority(t)
	for version, isEnough := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		t.Run(tls.VersionName(version), func(t *testing.T) {
			t.Parallel()
			config := &tls.Config{Certificates: []tls.Certificate{authority.issue(unchanged)}, MinVersion: version, MaxVersion: version}
			seen := make(chan string, 1)
			caller := connectOnce(t, serveTLS(t, listenTCP(t), config, http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
				seen <- request.Proto + " " + tls.VersionName(request.TLS.Version)
				complete().handler().ServeHTTP(w, request)
			})))
			caller.CAFile = write(t, t.TempDir(), "ca.pem", authority.pem())
			_, err := caller.Resolve(t.Context(), client.Request{})
			if !isEnough {
				wantMessage(t, asError(t, err).Message, "protocol version not supported")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, want := <-seen, "HTTP/1.1 "+tls.VersionName(version); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// TestTLSToIPv6: brackets are no part of the name.
func TestTLSToIPv6(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp6", "[::1]:0")
	if err != nil {
		t.Skipf("no IPv6 here: %v", err)
	}
	authority := newAuthority(t)
	caller := connectTo(t, serveTLS(t, listener, &tls.Config{Certificates: []tls.Certificate{authority.issue(unchanged)}}, complete().handler()))
	caller.CAFile = write(t, t.TempDir(), "ca.pem", authority.pem())
	if _, err := caller.Resolve(t.Context(), client.Request{}); err != nil {
		t.Error(err)
	}
}

// TestTLSByName: the name in the address is the one that the certificate must have, and the service is told it.
func TestTLSByName(t *testing.T) {
	t.Parallel()
	authority := newAuthority(t)
	names := make(chan string, 1)
	named := authority.issue(func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"localhost"} })
	config := &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		names <- hello.ServerName
		return &named, nil
	}}
	address := serveTLS(t, listenTCP(t), config, complete().handler())
	caller := connectTo(t, strings.Replace(address, "127.0.0.1", "localhost", 1))
	caller.CAFile = write(t, t.TempDir(), "ca.pem", authority.pem())
	if _, err := caller.Resolve(t.Context(), client.Request{}); err != nil {
		t.Fatal(err)
	}
	if got := <-names; got != "localhost" {
		t.Errorf("asked for %q", got)
	}
}

// TestNoTLSThere: a service that speaks none is not waited for.
func TestNoTLSThere(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, listenTCP(t), complete().handler())
	address = strings.Replace(address, "http", "https", 1)
	for name, call := range patientCalls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := call(t.Context(), connectTo(t, address))
			if asError(t, err).Code != connect.CodeFailedPrecondition {
				t.Errorf("got %v, want failed_precondition", err)
			}
			wantMessage(t, err.Error(), "the service at "+address+" does not speak TLS: ", "; write its address with http")
		})
	}
}

// TestAnotherProtocol: what speaks first and is no HTTP is not waited for either, and the connection to it is closed.
func TestAnotherProtocol(t *testing.T) {
	t.Parallel()
	listener := listenTCP(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := listener.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = conn.Write([]byte("220 mail.example ESMTP\r\n"))
		_, _ = io.Copy(io.Discard, conn)
		_ = conn.Close()
	}()
	address := strings.Replace(addressOf(listener), "http", "https", 1)
	err := calls["Resolve"](t.Context(), connectTo(t, address))
	wantMessage(t, asError(t, err).Message, "the service at "+address+" does not speak TLS: ")
	_ = listener.Close()
	<-done
}

// TestSilentHandshake: one who takes connections and says nothing keeps no call from the next address.
func TestSilentHandshake(t *testing.T) {
	t.Parallel()
	hole := listenTCP(t)
	t.Cleanup(func() { _ = hole.Close() })
	second, _ := serve(t, listenUnix(t), complete().handler())
	caller := connectTo(t, strings.Replace(addressOf(hole), "http", "https", 1)+","+second)
	caller.Patience = holePatience
	if _, err := caller.Resolve(t.Context(), client.Request{}); err != nil {
		t.Error(err)
	}
}

// TestBrokenHandshake: one who hangs up may be about to stop or to start, and is waited for.
func TestBrokenHandshake(t *testing.T) {
	t.Parallel()
	listener := listenTCP(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	err := calls["Watch"](t.Context(), connectTo(t, strings.Replace(addressOf(listener), "http", "https", 1)))
	if asError(t, err).Code != connect.CodeUnavailable {
		t.Errorf("got %v, want unavailable", err)
	}
}
