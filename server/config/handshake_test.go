package config_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"dialpoint/server/config"
	"dialpoint/server/rules"
)

// serverTLS is what a server makes of a certificate and of who signs those of clients, read from files.
func serverTLS(t *testing.T, own pair, clientCA, version string) *tls.Config {
	t.Helper()
	from := tlsSources(t, own)
	named := ""
	if clientCA != "" {
		named = write(t, filepath.Dir(from.Path), "ca.pem", clientCA)
	}
	put(t, from.Path, fmt.Sprintf("serve: {tls: {cert_file: cert.pem, key_file: tls/key.pem, client_ca_file: %q, min_version: %q}}",
		named, version))
	made, err := load(t, from).Serve.TLS.Config()
	must(t, err)
	return made
}

// clientTLS trusts a server, and shows a certificate where there is one.
func clientTLS(t *testing.T, server, own pair) *tls.Config {
	t.Helper()
	made := &tls.Config{RootCAs: server.pool(t), ServerName: "dialpoint.example", NextProtos: []string{"h2", "http/1.1"}}
	if own.key != "" {
		shown, err := tls.X509KeyPair([]byte(own.certificate), []byte(own.key))
		must(t, err)
		// Unlike a list of certificates, this shows one that the server does not ask for.
		made.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &shown, nil }
	}
	return made
}

// connect is a connection over loopback on which the server says one word. A client whose certificate is refused reads of
// it there at the earliest (RFC 8446, section 4.6.2 and appendix E.1.2).
func connect(t *testing.T, server, client *tls.Config) (tls.ConnectionState, error) {
	t.Helper()
	socket, err := tls.Listen("tcp", "127.0.0.1:0", server)
	must(t, err)
	served := make(chan struct{})
	go func() {
		defer close(served)
		answerOne(socket)
	}()
	defer func() { must(t, socket.Close()); <-served }()
	connection, err := tls.Dial("tcp", socket.Addr().String(), client)
	if err != nil {
		return tls.ConnectionState{}, err
	}
	defer func() { _ = connection.Close() }()
	if _, err := io.ReadAll(connection); err != nil {
		return tls.ConnectionState{}, err
	}
	return connection.ConnectionState(), nil
}

func answerOne(socket net.Listener) {
	connection, err := socket.Accept()
	if err != nil {
		return
	}
	_, _ = connection.Write([]byte("welcome"))
	_ = connection.Close()
}

// TestHandshake connects as clients do.
func TestHandshake(t *testing.T) {
	t.Parallel()
	own, client, other := newPair(t), newPair(t), newPair(t)
	tests := map[string]struct {
		clientCA, version string
		shown             pair
		change            func(*tls.Config)
		want              string
	}{
		"newest":             {want: "1.3 h2"},
		"HTTP/1.1":           {change: func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} }, want: "1.3 http/1.1"},
		"no protocol":        {change: func(c *tls.Config) { c.NextProtos = nil }, want: "1.3 "},
		"another protocol":   {change: func(c *tls.Config) { c.NextProtos = []string{"smtp"} }, want: "error: no application protocol"},
		"1.2, not asked for": {change: func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }, want: "error: protocol version not supported"},
		"1.2":                {version: "1.2", change: func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }, want: "1.2 h2"},
		"1.3 where 1.2 is":   {version: "1.2", want: "1.3 h2"},
		"1.1": {version: "1.2", change: func(c *tls.Config) {
			c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
		}, want: "error: protocol version not supported"},
		"certificate not asked for": {shown: client, want: "1.3 h2"},
		"client":                    {clientCA: client.certificate, shown: client, want: "1.3 h2"},
		"client, one of two":        {clientCA: other.certificate + client.certificate, shown: client, want: "1.3 h2"},
		"client with 1.2":           {clientCA: client.certificate, version: "1.2", shown: client, want: "1.3 h2"},
		"no client certificate":     {clientCA: client.certificate, want: "error: certificate required"},
		"another client":            {clientCA: client.certificate, shown: other, want: "error: "},
		"expired client":            {clientCA: client.certificate, shown: pairValid(t, -2*day, -day), want: "error: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asks := clientTLS(t, own, test.shown)
			if test.change != nil {
				test.change(asks)
			}
			state, err := connect(t, serverTLS(t, own, test.clientCA, test.version), asks)
			got := strings.TrimPrefix(tls.VersionName(state.Version), "TLS ") + " " + state.NegotiatedProtocol
			if err != nil {
				got = "error: " + err.Error()
			}
			if prefix, isError := strings.CutPrefix(test.want, "error: "); isError {
				if err == nil || !strings.Contains(got, prefix) {
					t.Errorf("got %s, want %s", got, test.want)
				}
				return
			}
			wantText(t, got, test.want)
		})
	}
}

// TestTLSConfigOfAnything checks what no loader has read: no version is the safe one, and an error shows nothing.
func TestTLSConfigOfAnything(t *testing.T) {
	t.Parallel()
	own := newPair(t)
	made, err := (&config.TLS{Certificate: own.certificate, Key: rules.NewSecret(own.key)}).Config()
	must(t, err)
	if made.MinVersion != tls.VersionTLS13 || made.ClientAuth != tls.NoClientCert {
		t.Errorf("the version is %x, and client certificates are %v", made.MinVersion, made.ClientAuth)
	}
	tests := map[string]struct {
		said config.TLS
		want string
	}{
		"nothing":      {config.TLS{}, noPair},
		"another key":  {config.TLS{Certificate: own.certificate, Key: rules.NewSecret(newPair(t).key)}, noPair},
		"no authority": {config.TLS{Certificate: own.certificate, Key: rules.NewSecret(own.key), ClientCA: "s3cr3t"}, noChain},
	}
	for name, test := range tests {
		made, err := test.said.Config()
		if made != nil || err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v and error %v, want error %s", name, made, err, test.want)
		}
	}
}
