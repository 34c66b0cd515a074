package listener_test

import (
	"strings"
	"testing"

	"dialpoint/server/listener"
)

func TestCheckName(t *testing.T) {
	t.Parallel()
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
			err := listener.CheckName(test.name)
			if (err == nil) != test.good {
				t.Errorf("error is %v", err)
			}
			if err != nil && err.Error() != "a listener's name must be 1 to 128 of the characters A-Z a-z 0-9 . _ -" {
				t.Errorf("error is %v", err)
			}
		})
	}
}
