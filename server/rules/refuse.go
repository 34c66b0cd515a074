package rules

import (
	"errors"
	"strconv"
	"strings"
)

// refusal is an error that quotes a value and says what is wrong with it. Who reads the value from somewhere adds
// where.
type refusal struct{ kind, text, problem string }

func refuse(kind, text, problem string) error { return &refusal{kind, text, problem} }

// Error implements error.
func (r *refusal) Error() string { return Quote(r.text) + " is no " + r.kind + ": " + r.problem }

// refuseFor refuses a value for what is wrong with a part of it. Where the part is the whole value, it is quoted once.
func refuseFor(kind, text string, err error) error {
	if part, is := errors.AsType[*refusal](err); is && part.text == text {
		return refuse(kind, text, part.problem)
	}
	return refuse(kind, text, err.Error())
}

// Quote shows a refused value in an error: quoted as in Go, on one line, cut after 120 bytes, and with [Redacted] for
// what may be a secret in it, which is the user info, query and fragment of a URL.
func Quote(text string) string {
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
