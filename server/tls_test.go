package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/socket"
)

// authority signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := certificateOf("authority")
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	certificate, err := x509.ParseCertificate(der)
	must(t, err)
	return authority{certificate, key}
}

func certificateOf(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(30 * 24 * time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
}

// sign writes a certificate and its key into the directory.
func (a authority) sign(t testing.TB, directory, name string) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	der, err := x509.CreateCertificate(rand.Reader, certificateOf(name), a.certificate, &key.PublicKey, a.key)
	must(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	certFile, keyFile = filepath.Join(directory, name+".pem"), filepath.Join(directory, name+".key")
	write(t, certFile, pemOf("CERTIFICATE", der))
	write(t, keyFile, pemOf("PRIVATE KEY", secret))
	return certFile, keyFile
}

func (a authority) write(t testing.TB, file string) {
	t.Helper()
	write(t, file, pemOf("CERTIFICATE", a.certificate.Raw))
}

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// trusting is a client's configuration that trusts the authority.
func (a authority) trusting(certificates ...tls.Certificate) *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return &tls.Config{RootCAs: pool, Certificates: certificates}
}

// overTLS is a client, of HTTP/2 or else HTTP/1.1.
func overTLS(t testing.TB, config *tls.Config, http2 bool) *http.Client {
	t.Helper()
	var protocols http.Protocols
	protocols.SetHTTP1(!http2)
	protocols.SetHTTP2(http2)
	transport := &http.Transport{Protocols: &protocols, TLSClientConfig: config}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: bearer{transport}}
}

// onTLS is a section serve with the certificate server.pem of the file's own directory.
const onTLS = "serve: {tcp: \"127.0.0.1:0\", tls: {cert_file: server.pem, key_file: server.key%s}}\n"

// serveTLS serves with a certificate of a new authority.
func serveTLS(t *testing.T, more string) (service *running, directory string, signer authority) {
	t.Helper()
	directory, signer = ownDirectory(t), newAuthority(t)
	signer.sign(t, directory, "server")
	signer.write(t, filepath.Join(directory, "ca.pem"))
	built, _ := fromConfigIn(t, directory, fmt.Sprintf(onTLS, more)+first)
	sockets, err := built.Listen(t.Context(), socket.Sockets{})
	must(t, err)
	service = run(t, built, sockets...)
	service.tcp = strings.Replace(service.tcp, "http:", "https:", 1)
	return service, directory, signer
}

func resolveOver(t testing.TB, web *http.Client, address string) (*dialpointv1.ResolveEndpointsResponse, error) {
	t.Helper()
	return dialpointv1connect.NewEndpointServiceClient(web, address).
		ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{})
}

func TestTLS(t *testing.T) {
	t.Parallel()
	service, _, signer := serveTLS(t, "")
	for _, http2 := range []bool{false, true} {
		if _, err := resolveOver(t, overTLS(t, signer.trusting(), http2), service.tcp); err != nil {
			t.Errorf("HTTP/2 %t: %v", http2, err)
		}
	}
	old := signer.trusting()
	old.MaxVersion = tls.VersionTLS12
	if _, err := resolveOver(t, overTLS(t, old, false), service.tcp); err == nil {
		t.Error("TLS 1.2 was taken without being asked for")
	}
	if _, err := resolveOver(t, overHTTP1(t), strings.Replace(service.tcp, "https:", "http:", 1)); err == nil {
		t.Error("a call without TLS was answered")
	}
	// Nobody but the user gets at the socket, which needs none.
	if _, err := resolveOver(t, webClient(t, false, service.unix), "http://localhost"); err != nil {
		t.Errorf("over the unix socket: %v", err)
	}
}

func TestTLS12WhenAsked(t *testing.T) {
	t.Parallel()
	service, _, signer := serveTLS(t, ", min_version: \"1.2\"")
	old := signer.trusting()
	old.MaxVersion = tls.VersionTLS12
	_, err := resolveOver(t, overTLS(t, old, false), service.tcp)
	must(t, err)
}

func TestTLSWithCertificatesOfClients(t *testing.T) {
	t.Parallel()
	service, directory, signer := serveTLS(t, ", client_ca_file: ca.pem")
	ours, err := tls.LoadX509KeyPair(signer.sign(t, directory, "ours"))
	must(t, err)
	others, err := tls.LoadX509KeyPair(newAuthority(t).sign(t, t.TempDir(), "others"))
	must(t, err)
	tests := map[string]struct {
		config *tls.Config
		want   bool
	}{
		"none":    {signer.trusting(), false},
		"ours":    {signer.trusting(ours), true},
		"another": {signer.trusting(others), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := resolveOver(t, overTLS(t, test.config, false), service.tcp); (err == nil) != test.want {
				t.Errorf("error = %v, want success: %t", err, test.want)
			}
		})
	}
	t.Run("it is no token", func(t *testing.T) {
		t.Parallel()
		if _, err := resolveOver(t, withoutToken(overTLS(t, signer.trusting(ours), false)), service.tcp); err == nil {
			t.Error("a certificate alone was taken")
		}
	})
}

// What is open stays open while the certificate changes, and who comes then sees the new one.
func TestCertificateChangesWhileItIsUsed(t *testing.T) {
	t.Parallel()
	service, directory, signer := serveTLS(t, "")
	stream, err := dialpointv1connect.NewEndpointServiceClient(overTLS(t, signer.trusting(), true), service.tcp).
		WatchEndpoints(t.Context(), &dialpointv1.WatchEndpointsRequest{})
	must(t, err)
	defer func() { _ = stream.Close() }()
	if !stream.Receive() {
		t.Fatal(stream.Err())
	}

	next := newAuthority(t)
	certFile, keyFile := next.sign(t, t.TempDir(), "server")
	// The two files do not change at once: in between the pair does not fit, and the old one stays.
	must(t, os.Rename(certFile, filepath.Join(directory, "server.pem")))
	must(t, os.Rename(keyFile, filepath.Join(directory, "server.key")))
	for t.Context().Err() == nil {
		if _, err := resolveOver(t, overTLS(t, next.trusting(), false), service.tcp); err == nil {
			break
		}
	}
	if _, err := resolveOver(t, overTLS(t, signer.trusting(), false), service.tcp); err == nil {
		t.Error("the old certificate is still shown")
	}
	replace(t, filepath.Join(directory, "dialpoint.yaml"), fmt.Sprintf(onTLS, "")+second)
	if !stream.Receive() {
		t.Errorf("the stream was cut: %v", stream.Err())
	}
}
