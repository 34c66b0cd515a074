package config

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
)

// The types of values in a file. Each takes its own type alone, so that nothing is converted in silence, and becomes
// the text that a flag or the environment would hold: from there on all sources are read alike.
type (
	// text is a string.
	text string
	// hostText is a string, or a whole number: YAML reads an unquoted 0 as one.
	hostText string
	// portNumber and number are whole numbers. JSON has them as floating point.
	portNumber string
	number     string
	// truth is a boolean.
	truth string
)

// UnmarshalMapstructure implements [mapstructure.Unmarshaler], as do those below. A list or a section gets here as well,
// and is then no value of any of these types.
func (t *text) UnmarshalMapstructure(input any) error {
	written, isText := input.(string)
	*t = text(written)
	return unless(isText, input, "must be text: put it in quotes")
}

// UnmarshalMapstructure implements [mapstructure.Unmarshaler].
func (h *hostText) UnmarshalMapstructure(input any) error {
	written, isText := input.(string)
	if digits, isNumber := digits(input); isNumber {
		written, isText = digits, true
	}
	*h = hostText(written)
	return unless(isText, input, "must be text: put it in quotes")
}

// UnmarshalMapstructure implements [mapstructure.Unmarshaler].
func (p *portNumber) UnmarshalMapstructure(input any) error {
	digits, isNumber := digits(input)
	*p = portNumber(digits)
	return unless(isNumber, input, "must be a port, a number from 0 to 65535, without quotes")
}

// UnmarshalMapstructure implements [mapstructure.Unmarshaler].
func (n *number) UnmarshalMapstructure(input any) error {
	digits, isNumber := digits(input)
	*n = number(digits)
	return unless(isNumber, input, "must be a whole number, without quotes")
}

// UnmarshalMapstructure implements [mapstructure.Unmarshaler].
func (t *truth) UnmarshalMapstructure(input any) error {
	said, isTruth := input.(bool)
	*t = truth(strconv.FormatBool(said))
	return unless(isTruth, input, "must be true or false, without quotes")
}

// digits is a whole number in decimal, and says so of a number that has no fraction: JSON and YAML give 9119.0, or 9119
// itself, as floating point. Whether it is in range is left to who reads it.
func digits(input any) (written string, isNumber bool) {
	value := reflect.ValueOf(input)
	switch {
	case value.CanInt():
		return strconv.FormatInt(value.Int(), 10), true
	case value.CanUint():
		return strconv.FormatUint(value.Uint(), 10), true
	case value.CanFloat() && value.Float() == math.Trunc(value.Float()):
		return strconv.FormatFloat(value.Float(), 'f', -1, 64), true
	}
	return "", false
}

// typeError is a value that is not of its key's type, and what it must be.
//
// It is an error of its own so that it can be found in those of mapstructure, which add the key.
type typeError struct {
	value any
	must  string
}

// unless is no error where the value fits.
func unless(fits bool, value any, must string) error {
	if fits {
		return nil
	}
	return &typeError{value, must}
}

// Error implements error. It quotes text and nothing else: the quotes are what is wrong, or what is missing.
func (e *typeError) Error() string {
	if written, isText := e.value.(string); isText {
		return badValue(written, e.must).Error()
	}
	return fmt.Sprint(e.value) + ": " + e.must
}

// isNested reports whether the value is a list or a section, which [shape] has told of.
func (e *typeError) isNested() bool {
	kind := reflect.ValueOf(e.value).Kind()
	return kind == reflect.Map || kind == reflect.Slice
}
