package rules

import (
	"log/slog"
	"unique"
)

// Redacted stands where a secret would.
const Redacted = "REDACTED"

// Secret is a credential that shows itself only when told to. Printed, logged or marshalled it reads [Redacted], or
// empty when there is none. The zero Secret is none.
//
// Secrets are comparable: two of the same value are equal.
type Secret struct {
	// handle keeps the value behind a pointer. Package fmt calls no methods of what stands in an unexported field of
	// another type, but it does not follow pointers there either.
	handle unique.Handle[string]
}

// NewSecret keeps a value secret.
func NewSecret(value string) Secret {
	if value == "" {
		return Secret{}
	}
	return Secret{unique.Make(value)}
}

// Reveal is the value itself.
func (s Secret) Reveal() string {
	if s.IsZero() {
		return ""
	}
	return s.handle.Value()
}

// IsZero reports whether there is no secret.
func (s Secret) IsZero() bool { return s == Secret{} }

// Equal reports whether two secrets have the same value, for packages that compare what they cannot look into.
func (s Secret) Equal(other Secret) bool { return s == other }

// String implements [fmt.Stringer].
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return Redacted
}

// GoString implements [fmt.GoStringer].
func (s Secret) GoString() string { return "rules.Secret(" + s.String() + ")" }

// LogValue implements [slog.LogValuer].
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText implements [encoding.TextMarshaler], which JSON and YAML heed.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
