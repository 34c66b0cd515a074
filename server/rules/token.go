package rules

import (
	"errors"
	"fmt"
	"strings"
)

// What a token's length may be, in bytes. The least is what nobody guesses, the most fits into a header.
const (
	minTokenLength = 16
	maxTokenLength = 4096
)

var (
	errTokenLength = fmt.Errorf("a token must be %d to %d characters long", minTokenLength, maxTokenLength)
	errTokenBytes  = errors.New("a token may hold only the characters A-Z a-z 0-9 - . _ ~ + / with = at its end (RFC 6750, section 2.1)")
)

// ParseToken reads a bearer token of 16 to 4096 of the characters that RFC 6750, section 2.1, calls a b64token. White
// space around it, such as the line break at the end of a file, is dropped. The error never shows the text.
func ParseToken(text string) (Secret, error) {
	text = strings.TrimSpace(text)
	if len(text) < minTokenLength || len(text) > maxTokenLength {
		return Secret{}, errTokenLength
	}
	body := strings.TrimRight(text, "=")
	if body == "" || strings.ContainsFunc(body, notTokenByte) {
		return Secret{}, errTokenBytes
	}
	return NewSecret(text), nil
}

func notTokenByte(r rune) bool { return notUnreserved(r) && r != '+' && r != '/' }
