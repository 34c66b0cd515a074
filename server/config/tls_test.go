package config_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dialpoint/server/config"
)

// tlsSources are a file that names a certificate and a key, both relative to it, in the files cert.pem and key.pem.
func tlsSources(t testing.TB, said pair) config.Sources {
	t.Helper()
	from := fileSources(t, "dialpoint.yaml", "serve: {tls: {cert_file: cert.pem, key_file: tls/key.pem}}")
	dir := filepath.Dir(from.Path)
	mkdir(t, filepath.Join(dir, "tls"))
	write(t, dir, "cert.pem", said.certificate)
	write(t, dir, "tls/key.pem", said.key)
	from.LookupEnv = vars{"DIALPOINT_AUTH_MODE": "none"}.lookup
	return from
}

func mkdir(t testing.TB, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

// anyKey is a key that is made by a function of the library.
func anyKey[K crypto.Signer](t testing.TB, key K, err error) crypto.Signer {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestNoTLS(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"serve:", "serve: {tls: {cert_file: '', key_file: ' ', min_version: '1.3'}}"} {
		if loaded := loadYAML(t, content); loaded.Serve.TLS != nil {
			t.Errorf("%s: TLS is %v", content, loaded.Serve.TLS)
		}
	}
}

// TestTLSFiles is each kind of key, and what else such files hold in practice.
func TestTLSFiles(t *testing.T) {
	t.Parallel()
	elliptical, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	must(t, err)
	traditional, err := x509.MarshalECPrivateKey(elliptical)
	must(t, err)
	byRSA, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	one, other := newPair(t), newPair(t)
	ec := pairOf(t, elliptical, -day, 30*day)
	tests := map[string]struct{ said, want pair }{
		"ECDSA":              {one, one},
		"EC PRIVATE KEY":     {pair{ec.certificate, inPEM("EC PARAMETERS", []byte{5}) + inPEM("EC PRIVATE KEY", traditional)}, pair{ec.certificate, inPEM("EC PRIVATE KEY", traditional)}},
		"RSA PRIVATE KEY":    rsaPair(t, byRSA),
		"Ed25519":            same(pairOf(t, anyKey(t, edwards, err), -day, 30*day)),
		"chain":              {pair{one.certificate + other.certificate, one.key}, pair{one.certificate + other.certificate, one.key}},
		"text around":        {pair{"subject: x\n" + one.certificate + "\n# end", "# key\n" + one.key}, one},
		"Windows":            {pair{strings.ReplaceAll(one.certificate, "\n", "\r\n"), strings.ReplaceAll(one.key, "\n", "\r\n")}, one},
		"byte order mark":    {pair{"\ufeff" + one.certificate, "\ufeff" + one.key}, one},
		"both in both files": {pair{one.both(), one.both()}, one},
		"key first":          {pair{one.key + one.certificate, one.key + one.certificate}, one},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loaded := load(t, tlsSources(t, test.said))
			got := loaded.Serve.TLS
			wantText(t, got.Certificate, test.want.certificate)
			wantText(t, got.Key.Reveal(), test.want.key)
			wantText(t, got.ClientCA, "")
			wantList(t, "warnings", loaded.Warnings, nil)
			if _, err := got.Config(); err != nil {
				t.Error(err)
			}
		})
	}
}

func same(p pair) struct{ said, want pair } { return struct{ said, want pair }{p, p} }

// rsaPair has its key in the form that openssl genrsa wrote for long.
func rsaPair(t testing.TB, key *rsa.PrivateKey) struct{ said, want pair } {
	t.Helper()
	made := pairOf(t, key, -day, 30*day)
	made.key = inPEM("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key))
	return same(made)
}

// TestTLSIsComparable checks that a comment in a file is no other configuration, and that another key is.
func TestTLSIsComparable(t *testing.T) {
	t.Parallel()
	one := newPair(t)
	first, again := load(t, tlsSources(t, one)).Serve.TLS, load(t, tlsSources(t, pair{one.certificate + "#", "#\n" + one.key})).Serve.TLS
	if *first != *again {
		t.Error("the same certificate and key are not equal")
	}
	if other := load(t, tlsSources(t, newPair(t))).Serve.TLS; *first == *other {
		t.Error("other ones are equal")
	}
}

const (
	brokenPEM   = "it holds a block of PEM that is not complete: was it cut off?"
	noChain     = "it holds no certificate in PEM: is this the right file?"
	noPrivate   = "it holds no private key in PEM: is this the right file?"
	isEncrypted = "its private key needs a password: write it there without one (openssl pkey)"
	unreadable1 = "certificate 1 in it cannot be read"
	noPair      = "the key is not that of the first certificate in serve.tls.cert_file, or cannot be used: name the files of one " +
		"pair, the server's own certificate before those that signed it"
)

func TestBadTLSFiles(t *testing.T) {
	t.Parallel()
	one, other := newPair(t), newPair(t)
	inCert := func(problem string) string { return "file FILE: serve.tls.cert_file: \"DIR/cert.pem\": " + problem }
	inKey := func(problem string) string { return "file FILE: serve.tls.key_file: \"DIR/tls/key.pem\": " + problem }
	cut := one.certificate + other.certificate[:len(other.certificate)/2]
	dek := string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Headers: map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-256-CBC,00"}, Bytes: []byte{1}}))
	tests := map[string]struct {
		said pair
		want string
	}{
		"empty":                {pair{}, inCert(noChain) + "\n" + inKey(noPrivate)},
		"no PEM":               {pair{"s3cr3t", "s3cr3t"}, inCert(noChain) + "\n" + inKey(noPrivate)},
		"key as certificate":   {pair{one.key, one.key}, inCert(noChain)},
		"certificate as key":   {pair{one.certificate, one.certificate}, inKey(noPrivate)},
		"cut off":              {pair{cut, one.key[:len(one.key)/2]}, inCert(brokenPEM) + "\n" + inKey(brokenPEM)},
		"no certificate in it": {pair{inPEM("CERTIFICATE", []byte("s3cr3t")), one.key}, inCert(unreadable1)},
		"another is broken":    {pair{one.certificate + inPEM("CERTIFICATE", []byte{0}), one.key}, inCert("certificate 2 in it cannot be read")},
		"encrypted, PKCS 8":    {pair{one.certificate, inPEM("ENCRYPTED PRIVATE KEY", []byte{1})}, inKey(isEncrypted)},
		"encrypted, openssl":   {pair{one.certificate, dek}, inKey(isEncrypted)},
		"no key in it":         {pair{one.certificate, inPEM("PRIVATE KEY", []byte("s3cr3t"))}, "file FILE: serve.tls.key_file: " + noPair},
		"another pair's key":   {pair{one.certificate, other.key}, "file FILE: serve.tls.key_file: " + noPair},
		"chain turned around":  {pair{other.certificate + one.certificate, one.key}, "file FILE: serve.tls.key_file: " + noPair},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := tlsSources(t, test.said)
			got := loadError(t, from)
			wantText(t, strings.ReplaceAll(got, filepath.Dir(from.Path), "DIR"), test.want)
		})
	}
}

// TestTLSKeysTogether checks that a key without the one that it needs is refused, and that an address beyond loopback is
// then no second problem.
func TestTLSKeysTogether(t *testing.T) {
	t.Parallel()
	const noKey, noCert = "it needs serve.tls.key_file beside it: name the file with the key of that certificate",
		"it needs serve.tls.cert_file beside it: name the file with the certificate of the server"
	tests := map[string]struct{ content, want string }{
		"certificate alone": {"cert_file: ./x", "serve.tls.cert_file: " + noKey},
		"key alone":         {"key_file: ./x", "serve.tls.key_file: " + noCert},
		"authority alone":   {"client_ca_file: ./x", "serve.tls.client_ca_file: " + noCert},
		"no key":            {"cert_file: ./x, client_ca_file: ./x", "serve.tls.cert_file: " + noKey},
		"no certificate":    {"key_file: ./x, client_ca_file: ./x", "serve.tls.key_file: " + noCert},
		"version 1.1":       {"min_version: '1.1'", `serve.tls.min_version: "1.1": must be 1.3 or 1.2`},
		"version by name":   {"min_version: TLS1.3", `serve.tls.min_version: "TLS1.3": must be 1.3 or 1.2`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantText(t, loadErrorYAML(t, "serve: {tls: {"+test.content+"}}"), "file FILE: "+test.want)
			if strings.Contains(test.content, "_file") {
				wantText(t, loadErrorYAML(t, "serve: {tcp: ':1', tls: {"+test.content+"}}"), "file FILE: "+test.want)
			}
		})
	}
}

// TestTLSFileIsNotShown checks what is said where a file is missing. Who gives a key in the place of its name does not
// read it there; a certificate may be named in any way, unless a key may be in it.
func TestTLSFileIsNotShown(t *testing.T) {
	t.Parallel()
	const missing, hidden = "it cannot be read: no such file or directory", "the file that it names (not shown, since it may be the "
	tests := map[string]struct{ key, said, want string }{
		"certificate":         {"cert_file", "tls/cert.pem", `"DIR/tls/cert.pem": ` + missing},
		"authority":           {"client_ca_file", "ca.pem", `"DIR/ca.pem": ` + missing},
		"key":                 {"key_file", "./key.pem", `"DIR/key.pem": ` + missing},
		"key that looks bare": {"key_file", "key.pem", hidden + "key itself): " + missing},
		"key itself":          {"key_file", "-----BEGIN PRIVATE KEY----- s3cr3t", hidden + "key itself): " + missing},
		"key for certificate": {"cert_file", "-----BEGIN PRIVATE KEY----- s3cr3t", hidden + "certificate itself): " + missing},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := tlsSources(t, newPair(t))
			said := map[string]string{"cert_file": "cert.pem", "key_file": "tls/key.pem"}
			said[test.key] = test.said
			put(t, from.Path, fmt.Sprintf("serve: {tls: {cert_file: %q, key_file: %q, client_ca_file: %q}}",
				said["cert_file"], said["key_file"], said["client_ca_file"]))
			got := strings.ReplaceAll(loadError(t, from), filepath.Dir(from.Path), "DIR")
			wantText(t, got, "file FILE: serve.tls."+test.key+": "+test.want)
		})
	}
}

// TestCertificateOutOfTime is what is doubtful about each certificate: it is served all the same, since a service that
// starts is easier to put right than one that does not.
func TestCertificateOutOfTime(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		begin, end time.Duration
		want       string
	}{
		"good":            {-day, 8 * day, ""},
		"expires soon":    {-day, 7*day - time.Hour, "expires at END"},
		"has expired":     {-2 * day, -time.Hour, "has expired at END"},
		"is not yet good": {time.Hour, 30 * day, "is not valid before BEGIN"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := pairValid(t, test.begin, test.end)
			valid := newPair(t)
			from := tlsSources(t, made)
			wantDoubt(t, from, made, "1", "cert.pem", "cert_file", test.want)

			put(t, filepath.Join(filepath.Dir(from.Path), "cert.pem"), made.certificate+valid.certificate)
			wantDoubt(t, from, made, "1", "cert.pem", "cert_file", test.want)

			from = tlsSources(t, pair{valid.certificate + made.certificate, valid.key})
			wantDoubt(t, from, made, "2", "cert.pem", "cert_file", test.want)

			from = tlsSources(t, valid)
			write(t, filepath.Dir(from.Path), "ca.pem", made.certificate)
			put(t, from.Path, "serve: {tls: {cert_file: cert.pem, key_file: tls/key.pem, client_ca_file: ca.pem}}")
			wantDoubt(t, from, made, "1", "ca.pem", "client_ca_file", test.want)
		})
	}
}

// wantDoubt checks that there is one warning, about one certificate in a file, or none.
func wantDoubt(t *testing.T, from config.Sources, about pair, number, file, key, doubt string) {
	t.Helper()
	var want []string
	if doubt != "" {
		block, _ := pem.Decode([]byte(about.certificate))
		parsed, err := x509.ParseCertificate(block.Bytes)
		must(t, err)
		doubt = strings.NewReplacer("END", parsed.NotAfter.Format(time.RFC3339), "BEGIN", parsed.NotBefore.Format(time.RFC3339)).Replace(doubt)
		want = append(want, fmt.Sprintf("certificate %s of %s (file %s serve.tls.%s) %s: put a new one there",
			number, filepath.Join(filepath.Dir(from.Path), file), from.Path, key, doubt))
	}
	wantList(t, "warnings", load(t, from).Warnings, want)
}

// TestKeyThatOthersCanRead is about the key alone: a certificate is for everybody.
func TestKeyThatOthersCanRead(t *testing.T) {
	t.Parallel()
	from := tlsSources(t, newPair(t))
	dir := filepath.Dir(from.Path)
	must(t, os.Chmod(filepath.Join(dir, "cert.pem"), 0o644))
	wantList(t, "warnings", load(t, from).Warnings, nil)
	must(t, os.Chmod(filepath.Join(dir, "tls/key.pem"), 0o640))
	wantList(t, "warnings", load(t, from).Warnings, []string{
		"the key file " + filepath.Join(dir, "tls/key.pem") + " (file " + from.Path + " serve.tls.key_file) can be read by others than " +
			"its owner (mode 0640): chmod 600 it",
	})
}

// TestTLSBeyondLoopback checks that TLS is what an address needs that others can reach.
func TestTLSBeyondLoopback(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0.0.0.0:9118", ":9118", "[2001:db8::5]:9118", "edge.example:9118"} {
		from := tlsSources(t, newPair(t))
		from.Flags = map[string]string{"tcp": address}
		loaded := load(t, from)
		wantText(t, loaded.Serve.TCP, address)
		wantList(t, "warnings", loaded.Warnings, nil)
	}
}

// TestTLSWithoutEffect is what an operator would wait for in vain.
func TestTLSWithoutEffect(t *testing.T) {
	t.Parallel()
	from := tlsSources(t, newPair(t))
	for address, want := range map[string]string{
		"none":           "serve.tls has no effect, since serve.tcp is none",
		"127.0.0.1:9118": "serve.tcp_plaintext has no effect, since serve.tls is set",
		"0.0.0.0:9118":   "serve.tcp_plaintext has no effect, since serve.tls is set",
	} {
		from.Flags = map[string]string{"tcp": address, "tcp-plaintext": "true"}
		wantList(t, "warnings", load(t, from).Warnings, []string{want})
	}
	from.Flags = nil
	put(t, from.Path, "serve: {tls: {min_version: '1.2'}}")
	wantList(t, "warnings", load(t, from).Warnings, []string{"serve.tls.min_version has no effect, since there is no serve.tls.cert_file"})
}

// TestTLSVersion is what the file says, and what the library makes of it.
func TestTLSVersion(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]uint16{"''": tls.VersionTLS13, "'1.3'": tls.VersionTLS13, "'1.2'": tls.VersionTLS12} {
		from := tlsSources(t, newPair(t))
		put(t, from.Path, "serve: {tls: {cert_file: cert.pem, key_file: tls/key.pem, min_version: "+said+"}}")
		read := load(t, from).Serve.TLS
		made, err := read.Config()
		must(t, err)
		if read.MinVersion != want || made.MinVersion != want {
			t.Errorf("%s: got %x and %x, want %x", said, read.MinVersion, made.MinVersion, want)
		}
	}
}
