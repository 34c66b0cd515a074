package rules_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"dialpoint/server/rules"
)

// What is refused may be a whole file by mistake: the message stays readable.
func TestErrorsCutLongValues(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"ASCII":            strings.Repeat("a b", 1000),
		"in mid-character": "a" + strings.Repeat("é", 1000) + " b",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := rules.ParseHost(text)
			if err == nil {
				t.Fatal("no error")
			}
			if message := err.Error(); len(message) > 200 || !strings.Contains(message, "…") || strings.Contains(message, `\x`) || !utf8.ValidString(message) {
				t.Errorf("message is %s", message)
			}
		})
	}
}

// Whatever a value was meant for, it may hold a secret by mistake.
func TestQuote(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"plain":                  {"10.0.0.7", `"10.0.0.7"`},
		"empty":                  {"", `""`},
		"line break":             {"a\nb", `"a\nb"`},
		"quotes":                 {`"a"`, `"\"a\""`},
		"user info":              {"u:hunter2@x", `"REDACTED@x"`},
		"user info, tcp":         {"tcp://u:hunter2@x:1", `"REDACTED@x:1"`},
		"user info, ws":          {"ws://u:hunter2@x:1", `"ws://REDACTED@x:1"`},
		"query":                  {"x?hunter2", `"x?REDACTED"`},
		"fragment":               {"x#hunter2", `"x#REDACTED"`},
		"120 bytes":              {strings.Repeat("a", 120), `"` + strings.Repeat("a", 120) + `"`},
		"121 bytes":              {strings.Repeat("a", 121), `"` + strings.Repeat("a", 120) + `…"`},
		"cut between characters": {strings.Repeat("a", 119) + "éé", `"` + strings.Repeat("a", 119) + `…"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := rules.Quote(test.text); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
