package config

import (
	"cmp"
	"errors"
	"fmt"

	"dialpoint/server/rules"
)

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

// authMode is what is said, else what the credential makes of it. Where there is neither, the settings show what that
// counts as, and the log has the warning that the rules say with every answer.
func (l *listenerReading) authMode(credential rules.Secret) rules.AuthMode {
	q := l.query(keyAuthMode, written(l.section.Auth.Mode))
	unsaid := rules.DefaultAuthMode(credential)
	mode := parse(l.reading, q, string(cmp.Or(unsaid, rules.AuthNone)), func(text string) (rules.AuthMode, error) {
		return rules.ParseAuthMode(text, credential)
	})
	if unsaid == "" && !l.lookup(q, "").isSet() {
		l.log(rules.NoCredential)
		return unsaid
	}
	return mode
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
		direct, path = said, l.fromConfigDir(said)
		secret = readNamed(l.reading, said, credentialFile, l.warn)
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

// readCredential reads a credential that is said outright. The error never shows it.
func (l *listenerReading) readCredential(said value) rules.Secret {
	secret, err := rules.ParseCredential(said.text)
	if err != nil {
		l.refuse(said, err)
	}
	return secret
}

// credentialFile is a file that holds one credential and nothing else.
var credentialFile = fileKind[rules.Secret]{name: "credential", isSecret: true, parse: parseCredentialFile}

// parseCredentialFile reads what is in a credential file, which must be one credential.
func parseCredentialFile(text string) (rules.Secret, error) {
	secret, err := rules.ParseCredential(text)
	switch {
	case err != nil:
		return secret, fmt.Errorf("%w: is this the right file?", err)
	case secret.IsZero():
		return secret, errNoCredential
	}
	return secret, nil
}
