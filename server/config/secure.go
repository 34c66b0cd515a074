package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"
)

// expirySoon is how long before its end a certificate is worth a warning: long enough to get another one at leisure.
const expirySoon = 7 * 24 * time.Hour

var (
	errNoKey         = errors.New("it needs serve.tls.key_file beside it: name the file with the key of that certificate")
	errNoCertificate = errors.New("it needs serve.tls.cert_file beside it: name the file with the certificate of the server")
)

// tls reads what secures TCP. It is nil where no file is named, and may be anything beside a problem.
func (r *reading) tls() *TLS {
	said := r.document.Serve.TLS
	certificate := r.fileNamed(keyCertificate, said.CertFile, "")
	key := r.fileNamed(keyPrivateKey, said.KeyFile, "")
	clientCA := r.fileNamed(keyClientCA, said.ClientCAFile, "")
	oldest := parse(r, r.server(keyMinVersion, written(said.MinVersion)), "1.3", parseVersion)
	switch {
	case certificate.isSet() && key.isSet():
		return r.readTLS(certificate, key, clientCA, oldest)
	case certificate.isSet():
		r.refuse(certificate, errNoKey)
	case key.isSet():
		r.refuse(key, errNoCertificate)
	case clientCA.isSet():
		r.refuse(clientCA, errNoCertificate)
	case oldest == tls.VersionTLS12:
		r.warn("serve.tls.min_version has no effect, since there is no serve.tls.cert_file")
		return nil
	default:
		return nil
	}
	return &TLS{}
}

// parseVersion reads the oldest version of TLS that is spoken. Those before 1.2 are broken (RFC 8996).
func parseVersion(text string) (uint16, error) {
	version, err := oneOf("1.3", "1.2")(text)
	if version == "1.2" {
		return tls.VersionTLS12, err
	}
	return tls.VersionTLS13, err
}

// readTLS reads the files. Whether they fit together is checked once each of them is good.
func (r *reading) readTLS(certificate, key, clientCA value, oldest uint16) *TLS {
	read := &TLS{MinVersion: oldest}
	read.Certificate = r.certificates(certificate)
	read.Key = readNamed(r, key, keyFile, r.warn)
	if clientCA.isSet() {
		read.ClientCA = r.certificates(clientCA)
	}
	if read.Certificate == "" || read.Key.IsZero() {
		return read
	}
	if _, err := read.Config(); err != nil {
		r.refuse(key, err)
	}
	return read
}

// certificates reads a file of certificates, and warns of those that are not valid now or will not be soon.
func (r *reading) certificates(said value) string {
	chain := readNamed(r, said, chainFile, r.warn)
	for i, certificate := range chain {
		if doubt := validity(certificate, time.Now()); doubt != "" {
			r.warn(fmt.Sprintf("certificate %d of %s (%s) %s: put a new one there", i+1, r.fromConfigDir(said).text, said.source, doubt))
		}
	}
	return encodeChain(chain)
}

// validity is what is doubtful about a certificate's time, or empty. It names no span from now on, so that it is the same
// at each load.
func validity(certificate *x509.Certificate, now time.Time) string {
	begin, end := certificate.NotBefore, certificate.NotAfter
	switch {
	case now.Before(begin):
		return "is not valid before " + begin.UTC().Format(time.RFC3339)
	case now.After(end):
		return "has expired at " + end.UTC().Format(time.RFC3339)
	case now.Add(expirySoon).After(end):
		return "expires at " + end.UTC().Format(time.RFC3339)
	}
	return ""
}
