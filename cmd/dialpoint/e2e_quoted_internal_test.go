//go:build e2e

package main

import (
	"os/exec"
	"testing"
)

// TestE2EQuoted: a shell reads back what went in.
func TestE2EQuoted(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"", "plain", "two words", "it's", `$HOME "x" \`, "a\nb", "*"} {
		got, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+quoted(word)).Output()
		if err != nil || string(got) != word {
			t.Errorf("%q came back as %q, %v", word, got, err)
		}
	}
}
