package config

import "strings"

// value is one value as somebody said it.
type value struct {
	// text is the value, whatever its type. White space and quotes are left to who reads it.
	text string
	// source is who said it, as in [Setting].
	source string
	// where is the same for the beginning of an error.
	where string
	// fromEnv is set for a variable.
	fromEnv bool
}

// fromDefault is the source of what nobody said.
const fromDefault = "default"

// isSet reports whether somebody said it. Nobody said a default.
func (v value) isSet() bool { return v.source != fromDefault }

// query is for one value.
type query struct {
	key

	// show is the key in [Setting].
	show string
	// fileKey is the key in the file, and file what stands there. Nil is nothing.
	fileKey string
	file    *string
}

// written is what a file says, whatever its type was there: the types of leaf.go have checked it.
func written[T ~string](value *T) *string {
	if value == nil {
		return nil
	}
	said := string(*value)
	return &said
}

// values are all that was said of one, in order of precedence. Blank variables are left out, since a shell or a
// container file cannot unset one. Blank flags and keys are kept: an empty bind host has a meaning, so that it is for
// the reader of a value to pass over what is blank.
func (r *reading) values(q query) []value {
	var said []value
	if text, given := r.sources.Flags[q.flag]; given && q.flag != "" {
		said = append(said, value{text: text, source: "flag --" + q.flag, where: "flag --" + q.flag})
	}
	for _, name := range q.env {
		text := r.sources.env(name)
		if q.verbatim {
			text = r.sources.plainEnv(name)
		}
		if text != "" {
			said = append(said, value{text: text, source: "env " + name, where: "env " + name, fromEnv: true})
		}
	}
	if q.file != nil {
		said = append(said, value{
			text:   *q.file,
			source: "file " + r.file + " " + q.fileKey,
			where:  "file " + r.file + ": " + q.fileKey,
		})
	}
	return said
}

// lookup is the first value that is not blank, without white space around it, or the default.
func (r *reading) lookup(q query, otherwise string) value {
	for _, said := range r.values(q) {
		if said.text = strings.TrimSpace(said.text); said.text != "" {
			return said
		}
	}
	return value{text: otherwise, source: fromDefault, where: "the default of " + q.show}
}

// plainEnv is a variable without white space around it, the carriage returns of files written on Windows included. One
// that is not set is blank, and the other way round.
func (s Sources) plainEnv(name string) string {
	if s.LookupEnv == nil {
		return ""
	}
	text, _ := s.LookupEnv(name)
	return strings.TrimSpace(text)
}

// env is a variable without one pair of quotes, too: container runtimes hand on those of an env file.
func (s Sources) env(name string) string {
	text := s.plainEnv(name)
	if len(text) >= 2 && text[0] == text[len(text)-1] && (text[0] == '"' || text[0] == '\'') {
		text = text[1 : len(text)-1]
	}
	return strings.TrimSpace(text)
}
