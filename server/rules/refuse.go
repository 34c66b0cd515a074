package rules

import (
	"fmt"
	"strconv"
	"strings"
)

// refuse is an error that quotes a value and says what is wrong with it. Who reads the value from somewhere adds
// where.
func refuse(kind, text, problem string) error {
	return fmt.Errorf("%s is no %s: %s", quote(text), kind, problem)
}

// quote shows a refused value, cut to a readable length.
func quote(text string) string {
	const enough = 120
	text = redact(text)
	if len(text) > enough {
		text = strings.ToValidUTF8(text[:enough], "") + "…"
	}
	return strconv.Quote(text)
}

// redact hides what may be a secret in a refused value: user info, query and fragment. A refused value need not be a
// URL, so where the parts cannot be told apart it hides both.
func redact(text string) string {
	shown, tail := text, ""
	if mark := strings.IndexAny(text, "?#"); mark >= 0 {
		shown, tail = text[:mark], text[mark:mark+1]+Redacted
		if strings.Contains(text[mark:], "@") {
			return knownScheme(text) + Redacted
		}
	}
	if at := strings.LastIndexByte(shown, '@'); at >= 0 {
		shown = knownScheme(text) + Redacted + shown[at:]
	}
	return shown + tail
}

// knownScheme is the scheme of a target with its "://", or empty: what stands there instead could be part of a secret.
func knownScheme(text string) string {
	scheme, _, _ := strings.Cut(text, "://")
	if schemes[strings.ToLower(scheme)] == "" {
		return ""
	}
	return scheme + "://"
}
