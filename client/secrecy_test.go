package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"dialpoint/client"
)

// troubles are services that have a token and do not answer as they should.
var troubles = map[string]func(*testing.T) (address string){
	"refuses": func(t *testing.T) string { t.Helper(); return at(t, newGate(t, "another")) },
	"redirects": func(t *testing.T) string {
		t.Helper()
		return at(t, http.RedirectHandler("/elsewhere", http.StatusFound))
	},
	"is another": func(t *testing.T) string {
		t.Helper()
		return at(t, answer(http.StatusUnauthorized, "text/html", "<html>"))
	},
	"hangs up": func(t *testing.T) string {
		t.Helper()
		return at(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hangUp() }))
	},
	"is away": func(t *testing.T) string { t.Helper(); return tcpPlace(t).address },
	"is not TLS": func(t *testing.T) string {
		t.Helper()
		return strings.Replace(at(t, complete().handler()), "http", "https", 1)
	},
	"not trusted":      func(t *testing.T) string { t.Helper(); return serveFor(t, newAuthority(t), unchanged) },
	"none, it answers": func(t *testing.T) string { t.Helper(); return at(t, newGate(t, "Bearer "+marked)) },
}

// at is where a handler answers.
func at(t *testing.T, handler http.Handler) string {
	t.Helper()
	address, _ := serve(t, listenTCP(t), handler)
	return address
}

// TestTokenIsNowhere but in the header: neither in what a client says nor in the client, however it is printed (promise 6).
func TestTokenIsNowhere(t *testing.T) {
	file := write(t, t.TempDir(), "token", marked)
	source := func(context.Context) (string, error) { return marked, nil }
	for name, test := range map[string]struct {
		file, env string
		source    func(context.Context) (string, error)
	}{
		"file":     {file: file},
		"source":   {source: source},
		"variable": {env: marked},
	} {
		for trouble, open := range troubles {
			t.Run(name+"/"+trouble, func(t *testing.T) {
				t.Setenv(client.TokenEnv, test.env)
				address := open(t)
				for method, call := range calls {
					caller := connectOnce(t, address)
					caller.TokenFile, caller.Token = test.file, test.source
					if method == "Watch" {
						call = impatientUpdate
					}
					err := call(t.Context(), caller)
					if (err == nil) != (trouble == "none, it answers") {
						t.Fatalf("%s: got %v", method, err)
					}
					// What a caller may log: the client itself, its error, and all that is behind that.
					seen := printed(caller)
					for ; err != nil; err = errors.Unwrap(err) {
						seen += printed(err)
					}
					if strings.Contains(seen, marked) {
						t.Errorf("%s: the token shows in\n%s", method, seen)
					}
				}
			})
		}
	}
}

// printed is a value in all the ways in which programs print one.
func printed(value any) string {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%v\n%+v\n%#v\n%s\n", value, value, value, value)
	slog.New(slog.NewTextHandler(&text, nil)).Info("", "value", value)
	slog.New(slog.NewJSONHandler(&text, nil)).Info("", "value", value)
	return text.String()
}
