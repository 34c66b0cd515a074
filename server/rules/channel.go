package rules

import (
	"errors"
	"strings"
)

const maxChannelLength = 128

var errChannel = errors.New("a channel must be 1 to 128 of the characters A-Z a-z 0-9 . _ -")

// CheckChannel reports whether a channel has the form ^[A-Za-z0-9._-]{1,128}$. Empty is no channel and no error.
func CheckChannel(channel string) error {
	if len(channel) > maxChannelLength || strings.ContainsFunc(channel, notChannelByte) {
		return errChannel
	}
	return nil
}

func notChannelByte(r rune) bool { return r != '.' && !isNameByte(r) }
