package rules_test

import (
	"strings"
	"testing"

	"dialpoint/server/rules"
)

const (
	badTokenLength = "a token must be 16 to 4096 characters long"
	badTokenBytes  = "a token may hold only the characters A-Z a-z 0-9 - . _ ~ + / with = at its end (RFC 6750, section 2.1)"
)

func TestParseToken(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ said, want string }{
		"hexadecimal":        {"0123456789abcdef", "0123456789abcdef"},
		"base64":             {"aGVsbG8gd29ybGQhIQ+/", "aGVsbG8gd29ybGQhIQ+/"},
		"base64, padded":     {"aGVsbG8gd29ybGQhIQ==", "aGVsbG8gd29ybGQhIQ=="},
		"base64url":          {"aGVsbG8gd29ybGQ_-", "aGVsbG8gd29ybGQ_-"},
		"JWT":                {"eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJub25lIn0.e30."},
		"every sign":         {"-._~+/-._~+/-._~", "-._~+/-._~+/-._~"},
		"one and padding":    {"a" + strings.Repeat("=", 15), "a" + strings.Repeat("=", 15)},
		"line break":         {"0123456789abcdef\n", "0123456789abcdef"},
		"Windows":            {" \t0123456789abcdef\r\n\r\n", "0123456789abcdef"},
		"as short as can be": {label(16), label(16)},
		"as long as can be":  {label(4096) + "\n", label(4096)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secret, err := rules.ParseToken(test.said)
			if err != nil || secret.Reveal() != test.want {
				t.Errorf("got %q and error %v, want %q", secret.Reveal(), err, test.want)
			}
		})
	}
}

func TestParseTokenRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ said, want string }{
		"empty":             {"", badTokenLength},
		"blank":             {" \r\n", badTokenLength},
		"too short":         {label(15), badTokenLength},
		"short but for =":   {label(14) + "=", badTokenLength},
		"white space":       {strings.Repeat(" ", 9) + label(8), badTokenLength},
		"too long":          {label(4097), badTokenLength},
		"padding alone":     {strings.Repeat("=", 16), badTokenBytes},
		"padding inside":    {label(8) + "=" + label(8), badTokenBytes},
		"space inside":      {label(8) + " " + label(8), badTokenBytes},
		"line break inside": {label(8) + "\n" + label(8), badTokenBytes},
		"zero byte":         {label(16) + "\x00", badTokenBytes},
		"quotes":            {`"` + label(16) + `"`, badTokenBytes},
		"comma":             {label(16) + ",b", badTokenBytes},
		"percent":           {label(16) + "%20", badTokenBytes},
		"with the scheme":   {"Bearer " + label(16), badTokenBytes},
		"letter of Unicode": {label(16) + "é", badTokenBytes},
		"wide digit":        {label(16) + "０", badTokenBytes},
		"not UTF-8":         {label(16) + "\xff", badTokenBytes},
		"byte order mark":   {"\ufeff" + label(16), badTokenBytes},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secret, err := rules.ParseToken(test.said)
			wantError(t, err, test.want)
			if !secret.IsZero() {
				t.Error("there is a token beside the error")
			}
		})
	}
}
