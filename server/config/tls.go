package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"

	"dialpoint/server/rules"
)

var errNoPair = errors.New("the key is not that of the first certificate in serve.tls.cert_file, or cannot be used: name the " +
	"files of one pair, the server's own certificate before those that signed it")

// TLS is what a server shows to who comes in over TCP, and what it asks of them. Two are equal if they come to the same.
type TLS struct {
	// Certificate is a chain in PEM, the server's own certificate first. Nothing else is in it.
	Certificate string
	// Key is the private key of that certificate, in PEM.
	Key rules.Secret
	// ClientCA are the certificates of who signs those of clients, in PEM. Empty asks clients for none.
	ClientCA string
	// MinVersion is [tls.VersionTLS13], or [tls.VersionTLS12] where that is asked for. Anything else counts as the first.
	MinVersion uint16
}

// Config is for a server that speaks HTTP/2 and HTTP/1.1. With a ClientCA every client must show a certificate that is
// signed by it. What a [Loader] has read gives no error. One of anything else holds no part of it.
func (t *TLS) Config() (*tls.Config, error) {
	pair, err := tls.X509KeyPair([]byte(t.Certificate), []byte(t.Key.Reveal()))
	if err != nil {
		// The error may quote the content.
		return nil, errNoPair
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{pair},
		MinVersion:   oldestOf(t.MinVersion),
		NextProtos:   []string{"h2", "http/1.1"},
	}
	if t.ClientCA == "" {
		return config, nil
	}
	chain, err := parseChain(t.ClientCA)
	if err != nil {
		return nil, err
	}
	config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
	for _, certificate := range chain {
		config.ClientCAs.AddCert(certificate)
	}
	return config, nil
}

// oldestOf does not leave it to the library what is spoken where nothing is said.
func oldestOf(version uint16) uint16 {
	if version == tls.VersionTLS12 {
		return tls.VersionTLS12
	}
	return tls.VersionTLS13
}
