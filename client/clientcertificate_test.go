package client_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"dialpoint/client"
)

// serveKnown answers at https to those for whom an authority vouches, and tells who called.
func serveKnown(t *testing.T, authority *authority, version uint16) (address string, callers <-chan string) {
	t.Helper()
	seen := make(chan string, 8)
	config := &tls.Config{
		Certificates: []tls.Certificate{authority.issue(unchanged)},
		ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: authority.pool(), MaxVersion: version,
	}
	return serveTLS(t, listenTCP(t), config, http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		seen <- request.TLS.PeerCertificates[0].Subject.CommonName
		complete().handler().ServeHTTP(w, request)
	})), seen
}

func called(name string) func(*x509.Certificate) {
	return func(c *x509.Certificate) { c.Subject.CommonName = name }
}

// TestClientCertificate: a service that asks for one lets those in whom it knows. In TLS 1.3 a client hears of a refusal
// only after the handshake.
func TestClientCertificate(t *testing.T) {
	t.Parallel()
	ours, other := newAuthority(t), newAuthority(t)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for name, from := range map[string]*authority{"ours": ours, "a stranger's": other, "none": nil} {
			t.Run(tls.VersionName(version)+"/"+name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				address, callers := serveKnown(t, ours, version)
				for name, call := range patientCalls {
					caller := connectTo(t, address)
					caller.CAFile = write(t, dir, "ca.pem", ours.pem())
					if from != nil {
						caller.CertFile, caller.KeyFile = writePair(t, dir, from.issue(called("child")))
					}
					err := call(t.Context(), caller)
					if from == ours {
						if err != nil || <-callers != "child" {
							t.Errorf("%s: %v", name, err)
						}
						continue
					}
					if asError(t, err).Code != connect.CodeUnauthenticated {
						t.Errorf("%s: got %v, want unauthenticated", name, err)
					}
					wantMessage(t, err.Error(), "the service at "+address+" does not accept this caller: remote error: tls: ", "; name a certificate that it trusts with --cert-file and --key-file")
				}
			})
		}
	}
}

// TestClientCertificateIsReplaced: a new connection shows the one that is in the files then.
func TestClientCertificateIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	authority := newAuthority(t)
	address, callers := serveKnown(t, authority, tls.VersionTLS13)
	caller := connectTo(t, address)
	caller.CAFile = write(t, dir, "ca.pem", authority.pem())
	for _, name := range []string{"first", "second"} {
		caller.CertFile, caller.KeyFile = writePair(t, dir, authority.issue(called(name)))
		if _, err := caller.Resolve(t.Context(), client.Request{}); err != nil {
			t.Fatal(err)
		}
		if got := <-callers; got != name {
			t.Errorf("called as %q, want %q", got, name)
		}
		caller.Close()
	}
}

// TestUselessPairs: what does not make a certificate with its key is refused, and the key is not shown.
func TestUselessPairs(t *testing.T) {
	t.Parallel()
	authority := newAuthority(t)
	address := serveFor(t, authority, unchanged)
	pair := authority.issue(unchanged)
	cert, key := certificatePEM(pair.Certificate[0]), keyPEM(t, pair)
	secret := strings.Split(key, "\n")[1]
	for name, test := range map[string]struct{ cert, key, problem string }{
		"another's key":   {cert, keyPEM(t, authority.issue(unchanged)), "private key does not match public key"},
		"no certificate":  {"", key, "failed to find any PEM data in certificate input"},
		"no key":          {cert, "", "failed to find any PEM data in key input"},
		"exchanged":       {key, cert, "failed to find certificate PEM data in certificate input"},
		"key in the wild": {cert, secret, "failed to find any PEM data in key input"},
		"broken key":      {cert, strings.Replace(key, secret, secret[1:], 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			caller := connectTo(t, address)
			caller.CAFile = write(t, dir, "ca.pem", authority.pem())
			caller.CertFile, caller.KeyFile = write(t, dir, "cert.pem", test.cert), write(t, dir, "key.pem", test.key)
			_, err := caller.Resolve(t.Context(), client.Request{})
			wantMisconfigured(t, err, fmt.Sprintf("the given key file %q does not go with the given certificate file %q: tls: ", caller.KeyFile, caller.CertFile),
				test.problem, "--key-file or DIALPOINT_KEY_FILE")
			if strings.Contains(err.Error(), secret[:12]) {
				t.Errorf("the error shows the key: %v", err)
			}
		})
	}
}

// TestHalfAPair: one file is of no use without the other, which need not be looked at to know.
func TestHalfAPair(t *testing.T) {
	for name, test := range map[string]struct {
		cert, key, envCert, envKey, want string
	}{
		"certificate":          {cert: "/c", want: `the given certificate file "/c" needs a key file; name it with --key-file or DIALPOINT_KEY_FILE`},
		"key":                  {key: "/k", want: `the given key file "/k" needs a certificate file; name it with --cert-file or DIALPOINT_CERT_FILE`},
		"variable certificate": {envCert: "/c", want: `the certificate file "/c" of env DIALPOINT_CERT_FILE needs a key file`},
		"variable key":         {envKey: "/k", want: `the key file "/k" of env DIALPOINT_KEY_FILE needs a certificate file`},
	} {
		for method, call := range patientCalls {
			t.Run(name+"/"+method, func(t *testing.T) {
				t.Setenv(client.CertFileEnv, test.envCert)
				t.Setenv(client.KeyFileEnv, test.envKey)
				caller := connectTo(t, "https://127.0.0.1:1")
				caller.CertFile, caller.KeyFile = test.cert, test.key
				err := call(t.Context(), caller)
				if asError(t, err).Code != connect.CodeInvalidArgument || errors.Is(err, client.ErrConfiguration) {
					t.Errorf("got %v, want invalid_argument", err)
				}
				wantMessage(t, err.Error(), test.want)
			})
		}
	}
}

// TestFilesWithoutTLS: who gives them means calls to be encrypted, and none would be. What the environment says may be
// meant for other programs.
func TestFilesWithoutTLS(t *testing.T) {
	authority := newAuthority(t)
	files := map[string]func(*client.Client){
		"CA file":          func(caller *client.Client) { caller.CAFile = "/f" },
		"certificate file": func(caller *client.Client) { caller.CertFile = "/f" },
		"key file":         func(caller *client.Client) { caller.KeyFile = "/f" },
	}
	t.Setenv(client.CAFileEnv, "/nowhere")
	t.Setenv(client.CertFileEnv, "/nowhere")
	for kind, open := range listen {
		address, _ := serve(t, open(t), complete().handler())
		for method, call := range patientCalls {
			if err := call(t.Context(), connectTo(t, address)); err != nil {
				t.Errorf("%s/%s, by the environment: %v", kind, method, err)
			}
			for name, give := range files {
				caller := connectTo(t, address)
				give(caller)
				err := call(t.Context(), caller)
				if asError(t, err).Code != connect.CodeInvalidArgument {
					t.Errorf("%s/%s with a %s: got %v, want invalid_argument", kind, method, name, err)
				}
				wantMessage(t, err.Error(), "the given "+name+` "/f" is for https, and there is no such address in [`+address+"]; say https there, or leave the file out")
			}
		}
	}
	t.Setenv(client.CertFileEnv, "")
	plain, _ := serve(t, listenUnix(t), complete().handler())
	caller := connectTo(t, plain+","+serveFor(t, authority, unchanged))
	caller.CAFile = write(t, t.TempDir(), "ca.pem", authority.pem())
	if _, err := caller.Resolve(t.Context(), client.Request{}); err != nil {
		t.Errorf("with https among the addresses: %v", err)
	}
}
