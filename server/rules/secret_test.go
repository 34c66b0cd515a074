package rules_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"dialpoint/server/rules"
)

// hunter2 is what must never be seen.
const hunter2 = "hunter2"

var verbs = []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%p", "%T"}

// holders are values that hold a secret somewhere.
func holders(t testing.TB) map[string]any {
	t.Helper()
	secret := rules.NewSecret(hunter2)
	listener := with(dashboard(t, "0.0.0.0"), func(l *rules.Listener) { l.Auth = token(hunter2) })
	endpoints := resolve(t, listener, local())
	return map[string]any{
		"secret":            secret,
		"pointer":           &secret,
		"slice":             []rules.Secret{secret},
		"map":               map[string]rules.Secret{"a": secret},
		"auth":              listener.Auth,
		"listener":          listener,
		"listener pointer":  &listener,
		"credential":        endpoints.Credential,
		"endpoint":          endpoints.Gateway,
		"sidecar":           endpoints.Sidecar,
		"endpoints":         endpoints,
		"endpoints pointer": &endpoints,
		"exported field":    struct{ Secret rules.Secret }{secret},
		"unexported field":  struct{ secret rules.Secret }{secret},
		"unexported deep":   struct{ a struct{ auth rules.Auth } }{struct{ auth rules.Auth }{listener.Auth}},
		"error":             fmt.Errorf("wrong credential %v", secret),
	}
}

func TestSecretIsNeverPrinted(t *testing.T) {
	t.Parallel()
	for name, holder := range holders(t) {
		for _, verb := range verbs {
			t.Run(name+" by "+verb, func(t *testing.T) {
				t.Parallel()
				hides(t, fmt.Sprintf(verb, holder))
			})
		}
	}
}

func TestSecretIsNeverLogged(t *testing.T) {
	t.Parallel()
	handlers := map[string]func(*bytes.Buffer) slog.Handler{
		"text": func(out *bytes.Buffer) slog.Handler { return slog.NewTextHandler(out, nil) },
		"JSON": func(out *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(out, nil) },
	}
	for name, holder := range holders(t) {
		for format, handler := range handlers {
			t.Run(name+" as "+format, func(t *testing.T) {
				t.Parallel()
				var out bytes.Buffer
				logger := slog.New(handler(&out)).With("with", holder)
				logger.Info("message", "value", holder, slog.Group("group", "value", holder))
				hides(t, out.String())
			})
		}
	}
}

func TestSecretIsNeverMarshalled(t *testing.T) {
	t.Parallel()
	for name, holder := range holders(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := json.Marshal(holder)
			if err != nil {
				t.Fatal(err)
			}
			hides(t, string(out))
		})
	}
}

// hides fails when the secret is in the text, as it is or in hexadecimal.
func hides(t *testing.T, text string) {
	t.Helper()
	for _, spelling := range []string{hunter2, fmt.Sprintf("%x", hunter2), fmt.Sprintf("%X", hunter2)} {
		if strings.Contains(text, spelling) {
			t.Errorf("the secret shows in %s", text)
		}
	}
}

func TestSecretSpellings(t *testing.T) {
	t.Parallel()
	secret, none := rules.NewSecret(hunter2), rules.Secret{}
	tests := map[string]struct{ got, want string }{
		"%v":          {fmt.Sprintf("%v", secret), "REDACTED"},
		"%+v":         {fmt.Sprintf("%+v", secret), "REDACTED"},
		"%s":          {fmt.Sprintf("a %s b", secret), "a REDACTED b"},
		"%q":          {fmt.Sprintf("%q", secret), `"REDACTED"`},
		"%#v":         {fmt.Sprintf("%#v", secret), "rules.Secret(REDACTED)"},
		"none by %v":  {fmt.Sprintf("%v", none), ""},
		"none by %#v": {fmt.Sprintf("%#v", none), "rules.Secret()"},
		"JSON":        {marshalled(t, secret), `"REDACTED"`},
		"none: JSON":  {marshalled(t, none), `""`},
		"auth: %+v":   {fmt.Sprintf("%+v", token(hunter2)), "{Mode:token Credential:REDACTED}"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.got != test.want {
				t.Errorf("got %s, want %s", test.got, test.want)
			}
		})
	}
}

func marshalled(t testing.TB, value any) string {
	t.Helper()
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestSecretValue(t *testing.T) {
	t.Parallel()
	secret := rules.NewSecret(hunter2)
	switch {
	case secret.Reveal() != hunter2:
		t.Error("a secret must reveal its value when told to")
	case secret.IsZero():
		t.Error("a secret with a value is not zero")
	case secret != rules.NewSecret(strings.Clone(hunter2)), !secret.Equal(rules.NewSecret(strings.Clone(hunter2))):
		t.Error("secrets of one value must be equal")
	case secret == rules.NewSecret("other"), secret.Equal(rules.Secret{}):
		t.Error("secrets of two values must differ")
	}
}

func TestNoSecret(t *testing.T) {
	t.Parallel()
	for name, none := range map[string]rules.Secret{"zero value": {}, "empty": rules.NewSecret("")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !none.IsZero() || none.Reveal() != "" || none.String() != "" || !none.Equal(rules.Secret{}) {
				t.Errorf("%#v is no secret at all", none)
			}
		})
	}
}
