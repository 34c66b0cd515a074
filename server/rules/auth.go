package rules

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxCredentialLength bounds a credential, in bytes: it has to fit into a URL.
const maxCredentialLength = 4096

// Auth is how children show to a dashboard that they may connect.
type Auth struct {
	Mode       AuthMode
	Credential Secret
}

// AuthMode names the query parameter that carries the credential.
type AuthMode string

// The modes. The zero AuthMode is one that nobody has said: it counts as AuthNone, until a credential comes to be known.
const (
	// AuthToken puts the credential into the parameter "token".
	AuthToken AuthMode = "token"
	// AuthInternal puts the credential into the parameter "internal".
	AuthInternal AuthMode = "internal"
	// AuthNone adds no credential.
	AuthNone AuthMode = "none"
)

// DefaultAuthMode is the mode where none is said: [AuthToken] if a credential is known, else the zero AuthMode.
func DefaultAuthMode(credential Secret) AuthMode {
	if credential.IsZero() {
		return ""
	}
	return AuthToken
}

// ParseAuthMode reads a mode: "token", "internal" or "none", exactly so apart from white space around it. Blank text is
// [DefaultAuthMode] of the credential. Anything else is an error.
func ParseAuthMode(text string, credential Secret) (AuthMode, error) {
	switch mode := AuthMode(strings.TrimSpace(text)); mode {
	case "":
		return DefaultAuthMode(credential), nil
	case AuthToken, AuthInternal, AuthNone:
		return mode, nil
	}
	return "", refuse("auth mode", text, "it must be token, internal or none")
}

// ParseCredential reads a credential of at most 4096 bytes of UTF-8. White space around it, such as the line break at
// the end of a file, is dropped. Blank text is no credential and no error. A control character is refused: no terminal,
// header or URL carries one as it is. The error never shows the text.
func ParseCredential(text string) (Secret, error) {
	text = strings.TrimSpace(text)
	switch {
	case len(text) > maxCredentialLength:
		return Secret{}, fmt.Errorf("the credential is longer than %d bytes", maxCredentialLength)
	case !utf8.ValidString(text):
		return Secret{}, errors.New("the credential is not in UTF-8")
	case strings.ContainsFunc(text, unicode.IsControl):
		return Secret{}, errors.New("the credential holds a line break or another control character")
	}
	return NewSecret(text), nil
}
