package listener_test

import (
	"strings"
	"testing"

	"dialpoint/server/listener"
)

// Names of listeners and ids of instances have one form.
func TestNames(t *testing.T) {
	t.Parallel()
	checks := map[string]struct {
		check func(string) error
		says  string
	}{
		"listener": {listener.CheckName, "a listener's name must be 1 to 128 of the characters A-Z a-z 0-9 . _ -"},
		"instance": {listener.CheckInstanceID, "an instance id must be 1 to 128 of the characters A-Z a-z 0-9 . _ -"},
	}
	tests := map[string]struct {
		name string
		good bool
	}{
		"default":         {"default", true},
		"one character":   {"a", true},
		"every kind":      {"aZ09._-", true},
		"dots":            {"..", true},
		"128 characters":  {strings.Repeat("a", 128), true},
		"129 characters":  {strings.Repeat("a", 129), false},
		"empty":           {"", false},
		"space":           {"a b", false},
		"slash":           {"a/b", false},
		"colon":           {"a:b", false},
		"not ASCII":       {"é", false},
		"wrong UTF-8":     {"a\xff", false},
		"NUL":             {"a\x00", false},
		"newline at end":  {"a\n", false},
		"white space all": {" ", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for kind, of := range checks {
				err := of.check(test.name)
				if (err == nil) != test.good || err != nil && err.Error() != of.says {
					t.Errorf("%s: error is %v", kind, err)
				}
			}
		})
	}
}
