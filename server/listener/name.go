package listener

import (
	"errors"

	"dialpoint/server/rules"
)

var (
	errName     = errors.New("a listener's name must be 1 to 128 of the characters A-Z a-z 0-9 . _ -")
	errInstance = errors.New("an instance id must be 1 to 128 of the characters A-Z a-z 0-9 . _ -")
)

// CheckName reports whether a listener may have this name: it has the form of a channel, and is not empty. Names keep
// their case.
func CheckName(name string) error {
	if !isName(name) {
		return errName
	}
	return nil
}

// CheckInstanceID reports whether a run of a dashboard may call itself so. An id has the form of a name.
func CheckInstanceID(id string) error {
	if !isName(id) {
		return errInstance
	}
	return nil
}

func isName(text string) bool { return text != "" && rules.CheckChannel(text) == nil }

func nameOr(name string) string {
	if name == "" {
		return DefaultName
	}
	return name
}
