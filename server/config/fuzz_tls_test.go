package config_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dialpoint/server/config"
	"dialpoint/server/rules"
)

// tlsProblem is every line that an error about the content of files may hold. None holds any of that content.
var tlsProblem = regexp.MustCompile(`^(file DIR/a\.yaml: serve\.tls\.(cert|key|client_ca)_file: ("DIR/(cert|key|ca)": )?)?(` + strings.Join([]string{
	regexp.QuoteMeta(brokenPEM), regexp.QuoteMeta(noChain), regexp.QuoteMeta(noPrivate), regexp.QuoteMeta(isEncrypted),
	regexp.QuoteMeta(noPair), `certificate \d+ in it cannot be read`,
}, "|") + `)$`)

// checkProblem checks that there is an error alone, and that it is one that we wrote.
func checkProblem(t *testing.T, isNothing bool, err error, dir string) {
	t.Helper()
	if !isNothing {
		t.Errorf("there is a result beside error %v", err)
	}
	for line := range strings.Lines(strings.ReplaceAll(err.Error(), dir, "DIR")) {
		if line = strings.TrimSuffix(line, "\n"); !tlsProblem.MatchString(line) {
			t.Errorf("the error holds the line %q", line)
		}
	}
}

// FuzzTLSFiles reads anything in the place of a certificate, its key and an authority.
func FuzzTLSFiles(f *testing.F) {
	one, other := newPair(f), newPair(f)
	f.Add(one.certificate, one.key, "")
	f.Add(one.both(), one.both(), other.certificate)
	f.Add(one.certificate+other.certificate, other.key, other.both())
	f.Add(one.certificate[:100], one.key[:100], "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n")
	f.Add(one.certificate, "-----BEGIN s3cr3t-----\n-----END s3cr3t-----\n"+one.key, "-----BEGIN")
	f.Add(one.certificate, "-----BEGIN EC PRIVATE KEY-----\nDEK-Info: s3cr3t\n\nAA==\n-----END EC PRIVATE KEY-----\n", "")
	f.Add(one.certificate, "-----BEGIN X-----Y PRIVATE KEY-----\nA:b: c\n\nAA==\n-----END X-----Y PRIVATE KEY-----\n", "\x00")
	f.Add("", "", "")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, certificate, key, authority string) {
		write(t, dir, "cert", certificate)
		write(t, dir, "key", key)
		write(t, dir, "ca", authority)
		from := sources(nil)
		from.Path = write(t, dir, "a.yaml", fmt.Sprintf("serve: {tls: {cert_file: %q, key_file: %q, client_ca_file: %q}}",
			filepath.Join(dir, "cert"), filepath.Join(dir, "key"), filepath.Join(dir, "ca")))
		loaded, err := config.NewLoader(from).Load()
		if err != nil {
			checkProblem(t, loaded == nil, err, dir)
		} else {
			checkTLS(t, loaded.Serve.TLS)
		}
		unread := config.TLS{Certificate: certificate, Key: rules.NewSecret(key), ClientCA: authority}
		if made, err := unread.Config(); err != nil {
			checkProblem(t, made == nil, err, dir)
		}
	})
}

// checkTLS checks that what a loader has read can be used, and holds no key but where it must.
func checkTLS(t *testing.T, read *config.TLS) {
	t.Helper()
	made, err := read.Config()
	if err != nil {
		t.Fatalf("what was read cannot be used: %v", err)
	}
	if len(made.Certificates) != 1 || made.ClientCAs == nil {
		t.Errorf("there are %d certificates, and the authorities are %v", len(made.Certificates), made.ClientCAs)
	}
	if shown := fmt.Sprintf("%v %+v %#v", *read, *read, *read); strings.Contains(shown, "PRIVATE KEY") {
		t.Errorf("a key is in %s", shown)
	}
}
