package rules

import (
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

const (
	maxNameLength  = 253 // RFC 1035, section 2.3.4, without the root's dot
	maxLabelLength = 63
)

// punycode maps names as browsers do (UTS #46, non-transitional), but leaves underscores to [badLabel].
var punycode = idna.New(
	idna.MapForLookup(),
	idna.BidiRule(),
	idna.CheckHyphens(false),
	idna.Transitional(false),
	idna.StrictDomainName(false),
)

// canonicalName is the name in lower case and punycode, or what is wrong with it.
func canonicalName(text string) (name, problem string) {
	if problem := badCharacter(text); problem != "" {
		return "", problem
	}
	name, err := punycode.ToASCII(text)
	if err != nil {
		return "", "it is no internationalized name (RFC 5891)"
	}
	return name, badName(name)
}

// badCharacter names the first character that no host can hold. It looks before any mapping, so that the message shows
// what was written.
func badCharacter(text string) string {
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			return "it holds white space"
		case r == ':':
			return "it holds a colon, and is no IPv6 address"
		case r == '"' || r == '\'':
			return "it holds a quote"
		case r == '$':
			return "it holds a $: was a variable not expanded?"
		case r == unicode.ReplacementChar || unicode.IsControl(r):
			return "it holds a character that is not printable"
		case r < unicode.MaxASCII && !isNameByte(r) && r != '.':
			return "it holds " + string(r)
		}
	}
	return ""
}

func badName(name string) string {
	bare := strings.TrimSuffix(name, ".")
	if len(bare) > maxNameLength {
		return "it is longer than 253 bytes"
	}
	labels := strings.Split(bare, ".")
	for _, label := range labels {
		if problem := badLabel(label); problem != "" {
			return problem
		}
	}
	if isNumber(labels[len(labels)-1]) {
		return "it ends in a number, and is no IPv4 address in the form 192.0.2.1"
	}
	return ""
}

func badLabel(label string) string {
	switch {
	case label == "":
		return "it has an empty label"
	case len(label) > maxLabelLength:
		return "it has a label longer than 63 bytes"
	case label[0] == '-' || label[len(label)-1] == '-':
		return "it has a label that begins or ends with a hyphen"
	case strings.ContainsFunc(label, func(r rune) bool { return !isNameByte(r) }):
		return "it holds a character that no host name can"
	}
	return ""
}

// isNumber reports whether resolvers would take a name that ends in this label for an IPv4 address: "127.1", "0x7f.1"
// and "00" reach loopback or every interface on many systems (the WHATWG URL standard, "ends in a number").
func isNumber(label string) bool {
	digits, chars := label, "0123456789"
	if hex, found := strings.CutPrefix(label, "0x"); found {
		digits, chars = hex, "0123456789abcdef"
	}
	return strings.Trim(digits, chars) == ""
}

func isNameByte(r rune) bool {
	return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// notUnreserved reports whether a character must be escaped in a URL (RFC 3986, section 2.3).
func notUnreserved(r rune) bool { return !isNameByte(r) && r != '.' && r != '~' }
