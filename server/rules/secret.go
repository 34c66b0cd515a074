package rules

import "log/slog"

// Redacted stands where a secret would.
const Redacted = "REDACTED"

// Secret is a credential that shows itself only when told to. Printed, logged or marshalled it reads [Redacted], or
// empty when there is none. The zero Secret is none.
type Secret struct{ value string }

// NewSecret keeps a value secret.
func NewSecret(value string) Secret { return Secret{value: value} }

// Reveal is the value itself.
func (s Secret) Reveal() string { return s.value }

// IsZero reports whether there is no secret.
func (s Secret) IsZero() bool { return s.value == "" }

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
