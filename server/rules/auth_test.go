package rules_test

import (
	"strings"
	"testing"

	"dialpoint/server/rules"
)

func TestParseAuthMode(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text, credential string
		want             rules.AuthMode
	}{
		"token":                      {"token", "", rules.AuthToken},
		"internal":                   {"internal", "t", rules.AuthInternal},
		"none beside a credential":   {"none", "t", rules.AuthNone},
		"white space around":         {" internal\r\n", "t", rules.AuthInternal},
		"not said, with credential":  {"", "t", rules.AuthToken},
		"not said, and none":         {"", "", ""},
		"blank, with credential":     {" \t", "t", rules.AuthToken},
		"blank, and no credential":   {"\r\n", "", ""},
		"token without a credential": {"token", "", rules.AuthToken},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := rules.ParseAuthMode(test.text, rules.NewSecret(test.credential))
			if err != nil || got != test.want {
				t.Errorf("got %q and error %v, want %q", got, err, test.want)
			}
		})
	}
}

func TestParseAuthModeRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Token", "cookie", "token internal", "none."} {
		got, err := rules.ParseAuthMode(text, rules.NewSecret("t"))
		wantError(t, err, `"`+text+`" is no auth mode: it must be token, internal or none`)
		if got != "" {
			t.Errorf("got %q beside the error", got)
		}
	}
}

func TestParseCredential(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("x", 4096)
	tests := map[string]struct{ text, want string }{
		"plain":              {"t", "t"},
		"white space inside": {"a b", "a b"},
		"white space around": {" \tt\r\n", "t"},
		"signs":              {"a+b/c=&%#", "a+b/c=&%#"},
		"quotes are kept":    {`"t"`, `"t"`},
		"beyond ASCII":       {"pässwörd", "pässwörd"},
		"as long as can be":  {longest + "\n", longest},
		"empty is none":      {"", ""},
		"blank is none":      {" \r\n", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := rules.ParseCredential(test.text)
			if err != nil || got.Reveal() != test.want {
				t.Errorf("got %q and error %v, want %q", got.Reveal(), err, test.want)
			}
		})
	}
}

// No error shows the text, nor speaks of a file: it may come from anywhere.
func TestParseCredentialRefuses(t *testing.T) {
	t.Parallel()
	const control = "the credential holds a line break or another control character"
	tests := map[string]struct{ text, want string }{
		"line break": {"hunter2\nhunter2", control},
		"return":     {"hunter2\rhunter2", control},
		"tab":        {"hunter2\thunter2", control},
		"NUL":        {"hunter2\x00", control},
		"DEL":        {"hunter2\x7f", control},
		"C1":         {"hunter2\u0085hunter2", control},
		"not UTF-8":  {"hunter2\xff", "the credential is not in UTF-8"},
		"too long":   {strings.Repeat("x", 4097), "the credential is longer than 4096 bytes"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := rules.ParseCredential(test.text)
			wantError(t, err, test.want)
			if !got.IsZero() {
				t.Error("there is a credential beside the error")
			}
		})
	}
}
