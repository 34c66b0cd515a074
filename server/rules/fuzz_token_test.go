package rules_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"dialpoint/server/rules"
)

// b64token is the grammar as RFC 6750, section 2.1, writes it.
var b64token = regexp.MustCompile(`^[A-Za-z0-9\-._~+/]+=*$`)

func FuzzParseToken(f *testing.F) {
	for _, text := range []string{
		"0123456789abcdef\n", "aGVsbG8gd29ybGQhIQ==", "Bearer 0123456789abcdef", "a===============", "================", "a=a=a=a=a=a=a=a=a",
		"0123456789abcde\u0085", "0123456789abcdef\x00", "０123456789abcdef", "\xff123456789abcdef", hunter2 + hunter2 + hunter2 + ",",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		secret, err := rules.ParseToken(text)
		token := strings.TrimSpace(text)
		isGood := len(token) >= 16 && len(token) <= 4096 && b64token.MatchString(token)
		switch {
		case isGood != (err == nil):
			t.Fatalf("%q: error %v, and the grammar says %v", text, err, isGood)
		case !isGood && (!secret.IsZero() || err.Error() != badTokenLength && err.Error() != badTokenBytes):
			t.Errorf("%q: got %q beside error %v", text, secret.Reveal(), err)
		case isGood:
			checkToken(t, token, secret)
		}
	})
}

// checkToken sends the token through what a header goes through, and reads what comes out again.
func checkToken(t *testing.T, token string, secret rules.Secret) {
	t.Helper()
	header := http.Header{}
	header.Set("Authorization", "Bearer "+secret.Reveal())
	_, sent, _ := strings.Cut(header.Get("Authorization"), " ")
	if again, err := rules.ParseToken(sent); err != nil || again != secret || sent != token {
		t.Errorf("%q becomes %q, error %v", token, again.Reveal(), err)
	}
}
