package rules_test

import (
	"testing"

	"dialpoint/server/rules"
)

func TestCheckChannel(t *testing.T) {
	t.Parallel()
	for _, channel := range []string{"", "a", "Z", "0", ".", "_", "-", "..", "chat-1", "a.b_c-D9", label(128)} {
		t.Run("accepts "+channel, func(t *testing.T) {
			t.Parallel()
			if err := rules.CheckChannel(channel); err != nil {
				t.Error(err)
			}
		})
	}
	for _, channel := range []string{" ", "a b", "a\n", "a/b", "a&b", "a=b", "a+b", "a%20b", "a~b", "a:b", "é", "\xff", "\x00", label(129)} {
		t.Run("refuses "+channel, func(t *testing.T) {
			t.Parallel()
			const want = "a channel must be 1 to 128 of the characters A-Z a-z 0-9 . _ -"
			wantError(t, rules.CheckChannel(channel), want)
			_, err := rules.Resolve(dashboard(t, "0.0.0.0"), rules.Caller{Channel: channel})
			wantError(t, err, want)
		})
	}
}
