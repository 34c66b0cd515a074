package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"dialpoint/server/rules"
)

// maxCredentialLength bounds a credential, in bytes: it has to fit into a URL.
const maxCredentialLength = 4096

// othersMayRead are the permissions of anybody but a file's owner.
const othersMayRead = 0o077

// auth reads how children show that they may connect.
func (l *listenerReading) auth() rules.Auth {
	credential := l.credential()
	known := !credential.IsZero()
	mode := l.authMode(known)
	if mode == rules.AuthNone && known {
		l.warn("auth.mode is none, so the credential that is configured is not used")
	}
	return rules.Auth{Mode: mode, Credential: credential}
}

// authMode is what is said, else token where a credential is known. That there is neither is worth a warning: children
// are then sent to a dashboard that may refuse them.
func (l *listenerReading) authMode(known bool) rules.AuthMode {
	q := l.question(atAuthMode, written(l.section.Auth.Mode))
	otherwise := rules.AuthNone
	if known {
		otherwise = rules.AuthToken
	}
	if mode := l.ask(q, ""); !mode.isSaid() && !known {
		l.warn("no credential is known, so auth.mode is none and the URLs carry none: set auth.credential_file or " +
			"DIALPOINT_CREDENTIAL_FILE, or auth.mode to none if the dashboard wants no credential")
	}
	parser := oneOf(string(rules.AuthToken), string(rules.AuthInternal), string(rules.AuthNone))
	return rules.AuthMode(parse(l.reading, q, string(otherwise), parser))
}

// credential is the first that is said, outright or in a file. Only that one is looked at: a file that is overruled need
// not exist.
func (l *listenerReading) credential() rules.Secret {
	value := answer{source: fromDefault}
	path := answer{source: fromDefault}
	var secret rules.Secret
	switch said, outright := l.credentialAnswer(); {
	case !said.isSaid():
	case outright:
		value, secret = said, l.readCredential(said, said.text)
	default:
		value, path, secret = said, said, l.readCredentialFile(said)
	}
	l.set(l.question(atCredential, nil).show, secret.String(), value.source)
	l.set(l.question(atCredentialFile, nil).show, path.text, path.source)
	return secret
}

// credentialAnswer is the first place that says something, and whether it says the credential itself.
func (l *listenerReading) credentialAnswer() (said answer, outright bool) {
	inFile := written(l.section.Auth.CredentialFile)
	for _, at := range []place{atCredential, atCredentialFile, atSessionToken} {
		if said := l.ask(l.question(at, nil), ""); said.isSaid() {
			return said, at.key == atCredential.key
		}
	}
	return l.fromConfigDir(l.ask(l.question(atCredentialInFile, inFile), "")), false
}

// fromConfigDir reads a relative path in a configuration file as relative to that file.
func (l *listenerReading) fromConfigDir(said answer) answer {
	if said.isSaid() && !filepath.IsAbs(said.text) {
		said.text = filepath.Join(filepath.Dir(l.file), said.text)
	}
	return said
}

// readCredential checks a credential. The error never shows it.
func (l *listenerReading) readCredential(said answer, text string) rules.Secret {
	if err := checkCredential(text); err != nil {
		l.refuse(said, err)
		return rules.Secret{}
	}
	return rules.NewSecret(text)
}

// readCredentialFile reads a credential without the line break that editors and shells end a file with. The error names
// the file and who named it, and never shows what is in it.
func (l *listenerReading) readCredentialFile(said answer) rules.Secret {
	said.where += ": " + quote(said.text)
	content, mode, err := l.files.read(said.text)
	if err != nil {
		l.refuse(said, err)
		return rules.Secret{}
	}
	if mode&othersMayRead != 0 {
		l.warn(fmt.Sprintf("the credential file %s (%s) can be read by others than its owner (mode %04o): chmod 600 it",
			said.text, said.source, mode))
	}
	return l.readCredential(said, strings.TrimSpace(string(content)))
}

// checkCredential says what is wrong with a credential, without showing it.
func checkCredential(text string) error {
	switch {
	case text == "":
		return errors.New("the credential is empty: write it there, or leave it out")
	case len(text) > maxCredentialLength:
		return fmt.Errorf("the credential is longer than %d bytes: is this the right file?", maxCredentialLength)
	case !utf8.ValidString(text):
		return errors.New("the credential is not in UTF-8: is this the right file?")
	case strings.ContainsFunc(text, unicode.IsControl):
		return errors.New("the credential holds a line break or another control character: is this the right file?")
	}
	return nil
}
