package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"
)

// maxPEMBytes is more than all authorities take up that a system trusts.
const maxPEMBytes = 4 << 20

// tlsFiles are the files that a client was told of for TLS.
type tlsFiles struct{ ca, cert, key file }

func (c *Client) tlsFiles() tlsFiles {
	return tlsFiles{c.file(caFile, c.CAFile), c.file(certFile, c.CertFile), c.file(keyFile, c.KeyFile)}
}

// checkTLS is what is wrong with how the files were named. Who gives one where no address is https may believe that the
// calls are encrypted.
func (c *Client) checkTLS() error {
	files := c.tlsFiles()
	if !slices.ContainsFunc(c.services, func(s *service) bool { return s.address.scheme == schemeHTTPS }) {
		return files.surplus(c.Addresses())
	}
	switch {
	case files.cert.isSet() && !files.key.isSet():
		return fmt.Errorf("%s needs a key file; name it with %s or %s", files.cert, keyFile.flag, keyFile.env)
	case files.key.isSet() && !files.cert.isSet():
		return fmt.Errorf("%s needs a certificate file; name it with %s or %s", files.key, certFile.flag, certFile.env)
	}
	return nil
}

// surplus refuses files that were given where there is no TLS.
func (f tlsFiles) surplus(addresses []Address) error {
	for _, file := range []file{f.ca, f.cert, f.key} {
		if file.given {
			return fmt.Errorf("%s is for https, and there is no such address in %s; say https there, or leave the file out", file, addresses)
		}
	}
	return nil
}

// config is how to speak TLS to a host, by what stands in the files now.
func (f tlsFiles) config(host string) (*tls.Config, error) {
	config := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	if f.ca.isSet() {
		text, err := f.ca.read(maxPEMBytes)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, f.ca.wrong("holds no certificate in PEM", nil)
		}
	}
	if f.cert.isSet() {
		certificate, err := f.certificate()
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{certificate}
	}
	return config, nil
}

// certificate reads the client's own certificate. What the parser says of a key names the kinds of its blocks, and never
// quotes it.
func (f tlsFiles) certificate() (tls.Certificate, error) {
	chain, err := f.cert.read(maxPEMBytes)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := f.key.read(maxPEMBytes)
	if err != nil {
		return tls.Certificate{}, err
	}
	certificate, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return certificate, f.key.wrong(fmt.Sprintf("does not go with %s: %s", f.cert, err), nil)
	}
	return certificate, nil
}

// dialTLS connects to an https address. It is here and not in net/http so that each connection has the files of its time.
func (s *service) dialTLS(ctx context.Context, network, place string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(place)
	if err != nil {
		return nil, err
	}
	// A zone means something on this machine alone, and is in no certificate.
	host, _, _ = strings.Cut(host, "%")
	config, err := s.client.tlsFiles().config(host)
	if err != nil {
		return nil, err
	}
	raw, err := s.dial(ctx, network, place)
	if err != nil {
		return nil, err
	}
	conn := tls.Client(raw, config)
	if err := shakeHands(ctx, conn); err != nil {
		_ = raw.Close()
		return nil, err
	}
	return conn, nil
}

// shakeHands bounds the handshake by a deadline of the connection, so that a service which is silent there is told from
// a caller whose time is up.
func shakeHands(ctx context.Context, conn *tls.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(handshakeTimeout)); err != nil {
		return err
	}
	if err := conn.HandshakeContext(ctx); err != nil {
		return err
	}
	return conn.SetDeadline(time.Time{})
}
