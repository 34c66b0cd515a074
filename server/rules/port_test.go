package rules_test

import (
	"testing"

	"dialpoint/server/rules"
)

func TestParsePort(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]rules.Port{"1": 1, "80": 80, "9119": 9119, "65535": 65535, "0080": 80} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, err := rules.ParsePort(text)
			if err != nil || got != want {
				t.Errorf("got %d and error %v, want %d", got, err, want)
			}
		})
	}
}

func TestParsePortRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "0", "00", "65536", "99999999999999999999", "-1", "+80", " 80", "80 ", "0x50", "8_0", "8e1", "http", "８０"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			_, err := rules.ParsePort(text)
			wantError(t, err, `"`+text+`" is no port: it must be a number from 1 to 65535`)
		})
	}
}

func TestPortString(t *testing.T) {
	t.Parallel()
	if got := rules.Port(65535).String(); got != "65535" {
		t.Errorf("got %s", got)
	}
}
