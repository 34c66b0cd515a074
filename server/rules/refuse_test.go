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
