package rules

import (
	"fmt"
	"strings"
)

// refuse is an error that quotes a value and says what is wrong with it. Who reads the value from somewhere adds
// where.
func refuse(kind, text, problem string) error {
	return fmt.Errorf("%s is no %s: %s", quote(text), kind, problem)
}

// quote shows a refused value without what may be a secret in it: user info and query.
func quote(text string) string {
	const enough = 120
	if at := strings.LastIndex(text, "@"); at >= 0 {
		scheme, _, found := strings.Cut(text, "://")
		if !found || len(scheme) > at {
			scheme = ""
		} else {
			scheme += "://"
		}
		text = scheme + Redacted + text[at:]
	}
	if path, _, found := strings.Cut(text, "?"); found {
		text = path + "?" + Redacted
	}
	if len(text) > enough {
		text = text[:enough] + "…"
	}
	return fmt.Sprintf("%q", text)
}
