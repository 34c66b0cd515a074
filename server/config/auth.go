package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"dialpoint/server/rules"
)

// othersMayRead are the permissions of anybody but a file's owner.
const othersMayRead = 0o077

var errNoCredential = errors.New("the credential is empty: write it there, or leave it out")

// auth reads how children show that they may connect.
func (l *listenerReading) auth() rules.Auth {
	credential := l.credential()
	mode := l.authMode(credential)
	if mode == rules.AuthNone && !credential.IsZero() {
		l.warn("auth.mode is none, so the credential that is configured is not used")
	}
	return rules.Auth{Mode: mode, Credential: credential}
}

// authMode is what is said, else what the credential makes of it. That there is neither is worth a warning: children are
// then sent to a dashboard that may refuse them.
func (l *listenerReading) authMode(credential rules.Secret) rules.AuthMode {
	q := l.query(keyAuthMode, written(l.section.Auth.Mode))
	if mode := l.lookup(q, ""); !mode.isSet() && credential.IsZero() {
		l.warn("no credential is known, so auth.mode is none and the URLs carry none: set auth.credential_file (for the " +
			"default listener DIALPOINT_CREDENTIAL_FILE), or auth.mode to none if the dashboard wants no credential")
	}
	return parse(l.reading, q, string(rules.DefaultAuthMode(credential)), func(text string) (rules.AuthMode, error) {
		return rules.ParseAuthMode(text, credential)
	})
}

// credential is the first that is said, outright or in a file. Only that one is looked at: a file that is overruled need
// not exist.
func (l *listenerReading) credential() rules.Secret {
	direct := value{source: fromDefault}
	path := value{source: fromDefault}
	var secret rules.Secret
	switch said, outright := l.credentialValue(); {
	case !said.isSet():
	case outright:
		direct, secret = said, l.readCredential(said)
	default:
		direct, path, secret = said, l.fromConfigDir(said), l.readCredentialFile(said)
	}
	l.set(l.query(keyCredential, nil).show, secret.String(), direct.source)
	l.set(l.query(keyCredentialFile, nil).show, path.text, path.source)
	return secret
}

// credentialValue is the first that is said, and whether it says the credential itself.
func (l *listenerReading) credentialValue() (said value, outright bool) {
	inFile := written(l.section.Auth.CredentialFile)
	for _, at := range []key{keyCredential, keyCredentialFile, keySessionToken} {
		if said := l.lookup(l.query(at, nil), ""); said.isSet() {
			return said, at.path == keyCredential.path
		}
	}
	return l.lookup(l.query(keyCredentialInFile, inFile), ""), false
}

// fromConfigDir reads a relative path in a configuration file as relative to that file.
func (l *listenerReading) fromConfigDir(said value) value {
	if !said.fromEnv && !filepath.IsAbs(said.text) {
		said.text = filepath.Join(filepath.Dir(l.file), said.text)
	}
	return said
}

// readCredential reads a credential that is said outright. The error never shows it.
func (l *listenerReading) readCredential(said value) rules.Secret {
	secret, err := rules.ParseCredential(said.text)
	if err != nil {
		l.refuse(said, err)
	}
	return secret
}

// readCredentialFile reads a credential from the file that is said. The error names the file and who named it, and never
// shows what is in it.
func (l *listenerReading) readCredentialFile(said value) rules.Secret {
	path := l.fromConfigDir(said).text
	content, mode, err := l.files.read(path)
	if err != nil && !looksLikePath(said.text) {
		l.refuse(said, fmt.Errorf("the file that it names (not shown, since it may be the credential itself): %w", err))
		return rules.Secret{}
	}
	var secret rules.Secret
	if err == nil {
		secret, err = parseCredentialFile(content)
	}
	if err != nil {
		l.refuse(said, fmt.Errorf("%s: %w", rules.Quote(path), err))
		return rules.Secret{}
	}
	if mode&othersMayRead != 0 {
		l.warn(fmt.Sprintf("the credential file %s (%s) can be read by others than its owner (mode %04o): chmod 600 it",
			path, said.source, mode))
	}
	return secret
}

// looksLikePath reports whether a file is named in a way that no credential is, so that a message may show it. One in
// base64 may well hold a slash.
func looksLikePath(text string) bool {
	return filepath.IsAbs(text) || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../")
}

// parseCredentialFile reads what is in a credential file, which must be one credential.
func parseCredentialFile(content []byte) (rules.Secret, error) {
	secret, err := rules.ParseCredential(string(content))
	switch {
	case err != nil:
		return secret, fmt.Errorf("%w: is this the right file?", err)
	case secret.IsZero():
		return secret, errNoCredential
	}
	return secret, nil
}
