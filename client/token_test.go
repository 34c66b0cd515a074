package client_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"dialpoint/client"
)

// marked is a token that is in no text by chance.
const marked = "mArKeD-t0ken"

// longest is the longest token that there may be.
var longest = strings.Repeat("t", client.MaxTokenBytes)

// tokenTexts are what may stand in a file: the token that is in it, or the error. No error but of an empty file passes.
var tokenTexts = map[string]struct{ text, token, problem string }{
	"token":                 {"abc", "abc", ""},
	"every character":       {"AZaz09-._~+/==", "AZaz09-._~+/==", ""},
	"line break":            {"abc\n", "abc", ""},
	"line break of Windows": {"abc\r\n", "abc", ""},
	"white space around":    {" \t\n\v\f\rabc \t\n", "abc", ""},
	"much white space":      {strings.Repeat("\n", client.MaxTokenBytes) + "abc", "abc", ""},
	"longest":               {longest + "\n", longest, ""},
	"too long":              {longest + "t", "", "holds more than the 4096 bytes that a token may have"},
	"far too long":          {longest + longest + "t", "", "has more than 8192 bytes"},
	"too much space":        {"abc" + strings.Repeat(" ", 2*client.MaxTokenBytes), "", "has more than 8192 bytes"},
	"two words":             {marked + " " + marked, "", "must hold one token"},
	"two lines":             {marked + "\n" + marked + "\n", "", "must hold one token"},
	"tab inside":            {marked + "\t" + marked, "", "must hold one token"},
	"zero byte":             {marked + "\x00", "", "must hold one token"},
	"control character":     {"\x1b" + marked, "", "must hold one token"},
	"delete":                {marked + "\x7f", "", "must hold one token"},
	"not ASCII":             {marked + "ä", "", "must hold one token"},
	"byte order mark":       {"\ufeff" + marked, "", "must hold one token"},
	"no UTF-8":              {marked + "\xff", "", "must hold one token"},
	"quotes":                {`"` + marked + `"`, "", "must hold one token"},
	"scheme and token":      {"Bearer " + marked, "", "must hold one token"},
	"padding inside":        {marked + "=" + marked, "", "must hold one token"},
	"nothing but padding":   {"==", "", "must hold one token"},
	"JSON":                  {`{"token":"` + marked + `"}`, "", "must hold one token"},
	"key":                   {"-----BEGIN PRIVATE KEY-----\n" + marked + "\n-----END PRIVATE KEY-----\n", "", "must hold one token"},
}

func TestTokenFile(t *testing.T) {
	t.Parallel()
	for name, test := range tokenTexts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate := newGate(t, "Bearer "+test.token)
			address, _ := serve(t, listenTCP(t), gate)
			caller := connectTo(t, address)
			caller.TokenFile = write(t, t.TempDir(), "token", test.text)
			for name, call := range patientCalls {
				err := call(t.Context(), caller)
				if test.problem == "" {
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					continue
				}
				wantMisconfigured(t, err, fmt.Sprintf("the given token file %q ", caller.TokenFile)+test.problem,
					"; put that right, or name another with --token-file or DIALPOINT_TOKEN_FILE")
				if strings.Contains(err.Error(), marked) {
					t.Errorf("%s: the error shows the token: %v", name, err)
				}
			}
			if got := len(gate.headers()); test.problem != "" && got > 0 {
				t.Errorf("%d calls without a token that can be shown", got)
			}
		})
	}
}

// wantMisconfigured fails the test unless only who configured the caller can mend what is wrong, at once, and is told so.
func wantMisconfigured(t *testing.T, err error, parts ...string) {
	t.Helper()
	if failure := asError(t, err); failure.Code != connect.CodeFailedPrecondition || failure.Reason != "" || !errors.Is(err, client.ErrConfiguration) {
		t.Errorf("got %v, want failed_precondition and ErrConfiguration", err)
	}
	wantMessage(t, err.Error(), parts...)
}

// TestWhereTheTokenComesFrom is the order of precedence.
func TestWhereTheTokenComesFrom(t *testing.T) {
	dir := t.TempDir()
	given, named, missing := write(t, dir, "given", "of-given\n"), write(t, dir, "named", "of-named\n"), dir+"/missing"
	source := func(context.Context) (string, error) { return " of-source\n", nil }
	none := func(context.Context) (string, error) { return "", nil }
	for name, test := range map[string]struct {
		source                        func(context.Context) (string, error)
		file, env, envFile, want, bad string
	}{
		"nothing":               {want: ""},
		"variable":              {env: "of-env", want: "Bearer of-env"},
		"variable and space":    {env: " of-env\r\n", want: "Bearer of-env"},
		"blank variable":        {env: " ", want: ""},
		"bad variable":          {env: marked + " " + marked, bad: "env DIALPOINT_TOKEN must hold one token"},
		"variable that is long": {env: longest + "t", bad: "env DIALPOINT_TOKEN holds more than the 4096 bytes"},
		"named file":            {envFile: named, env: "of-env", want: "Bearer of-named"},
		"named file and space":  {envFile: " " + named + "\r\n", want: "Bearer of-named"},
		"blank name":            {envFile: " ", env: "of-env", want: "Bearer of-env"},
		"missing named file":    {envFile: missing, env: "of-env", bad: fmt.Sprintf("the token file %q of env DIALPOINT_TOKEN_FILE cannot be read: no such file", missing)},
		"given file":            {file: given, envFile: named, env: "of-env", want: "Bearer of-given"},
		"given file wins":       {file: given, envFile: missing, env: "of-env", want: "Bearer of-given"},
		"missing given file":    {file: missing, envFile: named, env: "of-env", bad: fmt.Sprintf("the given token file %q cannot be read: no such file", missing)},
		"blank given file":      {file: " ", envFile: named, env: "of-env", want: "Bearer of-named"},
		"source":                {source: source, file: given, envFile: named, env: "of-env", want: "Bearer of-source"},
		"source of none":        {source: none, file: given, envFile: named, env: "of-env", want: ""},
	} {
		for kind, open := range listen {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Setenv(client.TokenEnv, test.env)
				t.Setenv(client.TokenFileEnv, test.envFile)
				gate := newGate(t, test.want)
				if kind == "unix" {
					gate.admit("")
				}
				address, _ := serve(t, open(t), gate)
				for name, call := range calls {
					caller := connectOnce(t, address)
					caller.Token, caller.TokenFile = test.source, test.file
					if name == "Watch" {
						call = impatientUpdate
					}
					err := call(t.Context(), caller)
					if kind == "unix" || test.bad == "" {
						if err != nil {
							t.Errorf("%s: %v", name, err)
						}
						continue
					}
					wantMessage(t, asError(t, err).Message, test.bad, "name ", "--token-file or DIALPOINT_TOKEN_FILE")
					if strings.Contains(err.Error(), marked) {
						t.Errorf("%s: the error shows the token: %v", name, err)
					}
				}
			})
		}
	}
}

// impatientUpdate leaves a watch with the first that it brings or would wait for.
func impatientUpdate(ctx context.Context, caller *client.Client) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	caller.Waiting = func(wrong error) {
		err = wrong
		cancel()
	}
	for _, end := range caller.Watch(ctx, client.Request{}) {
		return cmp.Or(err, end)
	}
	return err
}

// TestTokenOverTLS: https is TCP as well.
func TestTokenOverTLS(t *testing.T) {
	t.Parallel()
	authority := newAuthority(t)
	gate := newGate(t, "Bearer abc")
	address := serveTLS(t, listenTCP(t), &tls.Config{Certificates: []tls.Certificate{authority.issue(unchanged)}}, gate)
	for name, call := range patientCalls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			caller := connectTo(t, address)
			caller.TokenFile, caller.CAFile = write(t, dir, "token", "abc"), write(t, dir, "ca.pem", authority.pem())
			if err := call(t.Context(), caller); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTokenGoesToTCPAlone: also where both kinds of address are asked in turn.
func TestTokenGoesToTCPAlone(t *testing.T) {
	t.Parallel()
	gates := map[string]*gate{"unix": newGate(t, "not this"), "tcp": newGate(t, "Bearer abc")}
	gates["unix"].next = http.NotFoundHandler()
	gates["unix"].right = ""
	var addresses []string
	for _, kind := range []string{"unix", "tcp"} {
		address, _ := serve(t, listen[kind](t), gates[kind])
		addresses = append(addresses, address)
	}
	caller := connectTo(t, strings.Join(addresses, ","))
	caller.TokenFile = write(t, t.TempDir(), "token", "abc")
	if _, err := caller.Resolve(t.Context(), client.Request{}); err != nil {
		t.Error(err)
	}
	for kind, want := range map[string]string{"unix": "", "tcp": "Bearer abc"} {
		wantEqual(t, gates[kind].headers(), []string{want})
	}
}

// TestTokenFollowsNoRedirect: it goes to the service that was named, once, and nowhere else.
func TestTokenFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	gate := newGate(t, "Bearer abc")
	gate.next = http.RedirectHandler("http://"+failOnContact(t), http.StatusTemporaryRedirect)
	address, _ := serve(t, listenTCP(t), gate)
	for name, call := range calls {
		caller := connectOnce(t, address)
		caller.TokenFile = write(t, t.TempDir(), "token", "abc")
		if failure := asError(t, call(t.Context(), caller)); failure.Code != connect.CodeFailedPrecondition || errors.Is(failure, client.ErrConfiguration) {
			t.Errorf("%s: got %v, want failed_precondition for the redirect", name, failure)
		}
	}
	if got := len(gate.headers()); got != len(calls) {
		t.Errorf("%d requests of %d calls", got, len(calls))
	}
}

// TestTokenSource is what a program's own source may do.
func TestTokenSource(t *testing.T) {
	t.Parallel()
	const origin = "the program's token source"
	address, _ := serve(t, listenTCP(t), newGate(t, "Bearer abc"))
	for name, test := range map[string]struct {
		answers []any
		want    string
	}{
		"token":         {[]any{"abc"}, ""},
		"not there yet": {[]any{fmt.Errorf("vault: %w", fs.ErrNotExist), "abc"}, ""},
		"changes":       {[]any{"old", "abc"}, ""},
		"fails":         {[]any{errors.New("vault is sealed")}, origin + " failed: vault is sealed"},
		"bad token":     {[]any{marked + " " + marked}, origin + " must hold one token"},
	} {
		for method, call := range patientCalls {
			t.Run(name+"/"+method, func(t *testing.T) {
				t.Parallel()
				answers := test.answers
				caller := connectTo(t, address)
				caller.Token = func(context.Context) (string, error) {
					next := answers[0]
					if len(answers) > 1 {
						answers = answers[1:]
					}
					if err, failed := next.(error); failed {
						return "", err
					}
					return fmt.Sprint(next), nil
				}
				err := call(t.Context(), caller)
				if test.want == "" {
					if err != nil {
						t.Error(err)
					}
					return
				}
				wantMisconfigured(t, err, test.want)
				if strings.Contains(err.Error(), marked) {
					t.Errorf("the error shows the token: %v", err)
				}
			})
		}
	}
}

// FuzzParseToken: what is read fits into a header as it stands, and what is refused is not shown.
func FuzzParseToken(f *testing.F) {
	for _, test := range tokenTexts {
		f.Add(test.text)
	}
	b64token := regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`)
	var refusals []string
	for _, text := range []string{"", longest + "t", "a b"} {
		_, err := client.ParseToken(text)
		refusals = append(refusals, err.Error())
	}
	f.Fuzz(func(t *testing.T, text string) {
		token, err := client.ParseToken(text)
		if err != nil {
			if token != "" || !slices.Contains(refusals, err.Error()) {
				t.Errorf("%q: got %q and the error %q", text, token, err)
			}
			return
		}
		if token != strings.TrimSpace(text) || len(token) > client.MaxTokenBytes || !b64token.MatchString(token) {
			t.Errorf("%q was read as %q", text, token)
		}
		if again, err := client.ParseToken(token); again != token || err != nil {
			t.Errorf("%q was read as %q, and that as %q, %v", text, token, again, err)
		}
	})
}
