package rules_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"dialpoint/server/rules"
)

// sameHosts lets package cmp compare hosts, which hide their fields and are comparable.
var sameHosts = cmpopts.EquateComparable(rules.Host{})

func host(t testing.TB, text string) rules.Host {
	t.Helper()
	parsed, err := rules.ParseBindHost(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// target is a parsed target whose source is "override" or whatever the test says.
func target(t testing.TB, text, source string) rules.Target {
	t.Helper()
	parsed, err := rules.ParseTarget(text)
	if err != nil {
		t.Fatal(err)
	}
	if !parsed.IsZero() {
		parsed.Source = source
	}
	return parsed
}

func path(t testing.TB, text string) rules.Path {
	t.Helper()
	parsed, err := rules.ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func bindTo(t testing.TB, text string, port rules.Port) rules.Bind {
	t.Helper()
	return rules.Bind{Text: text, Host: host(t, text), Source: "flag --bind-host", Port: port}
}

// dashboard is a listener on port 9119 with the token "t", as in the tables of issue 2.
func dashboard(t testing.TB, bindHost string) rules.Listener {
	t.Helper()
	return rules.Listener{Bind: bindTo(t, bindHost, 9119), Auth: token("t")}
}

// unbound is a listener of whose bind nothing is known.
func unbound() rules.Listener { return rules.Listener{Auth: token("t")} }

func token(value string) rules.Auth {
	return rules.Auth{Mode: rules.AuthToken, Credential: rules.NewSecret(value)}
}

// with is the listener after changes, for tables.
func with(listener rules.Listener, changes ...func(*rules.Listener)) rules.Listener {
	for _, change := range changes {
		change(&listener)
	}
	return listener
}

func overridden(t testing.TB, text string) func(*rules.Listener) {
	t.Helper()
	parsed := target(t, text, "env HERMES_DASHBOARD_WS_HOST")
	return func(listener *rules.Listener) { listener.Override = parsed }
}

func advertised(t testing.TB, text string) func(*rules.Listener) {
	t.Helper()
	parsed := target(t, text, "env DIALPOINT_ADVERTISE")
	return func(listener *rules.Listener) { listener.Advertise = parsed }
}

func based(t testing.TB, text string) func(*rules.Listener) {
	t.Helper()
	parsed := path(t, text)
	return func(listener *rules.Listener) { listener.BasePath = parsed }
}

func ipv6Only(only bool) func(*rules.Listener) {
	return func(listener *rules.Listener) { listener.Bind.IPv6Only = &only }
}

func onlyIPv6Answers(listener *rules.Listener) { listener.Bind.OnlyIPv6Answers = true }

func overTLS(listener *rules.Listener) { listener.Bind.TLS = true }

// bound says the port and leaves the host unknown.
func bound(port rules.Port) func(*rules.Listener) {
	return func(listener *rules.Listener) { listener.Bind.Port = port }
}

func withoutPort(listener *rules.Listener) { listener.Bind.Port = 0 }

func withoutAuth(listener *rules.Listener) { listener.Auth = rules.Auth{} }

// local is a caller that shares loopback and has a chat, so that both URLs are made.
func local() rules.Caller { return rules.Caller{Audience: rules.Local, Channel: "chat-1"} }

// remote is a caller from outside that reached the service on an address, or over a unix socket when it is empty.
func remote(t testing.TB, reached string) rules.Caller {
	t.Helper()
	caller := rules.Caller{Audience: rules.Remote, Channel: "chat-1"}
	if reached != "" {
		caller.Reached = host(t, reached)
	}
	return caller
}

func resolve(t testing.TB, listener rules.Listener, caller rules.Caller) rules.Endpoints {
	t.Helper()
	endpoints, err := rules.Resolve(listener, caller)
	if err != nil {
		t.Fatal(err)
	}
	return endpoints
}

func unavailable(t testing.TB, listener rules.Listener, caller rules.Caller) *rules.Unavailable {
	t.Helper()
	_, err := rules.Resolve(listener, caller)
	var why *rules.Unavailable
	if !errors.As(err, &why) {
		t.Fatalf("error is %v, want an Unavailable", err)
	}
	return why
}

// wantError checks a refusal: the whole sentence, since it is what an operator reads.
func wantError(t testing.TB, err error, want string) {
	t.Helper()
	switch {
	case err == nil:
		t.Fatalf("no error, want %q", want)
	case err.Error() != want:
		t.Errorf("error\n got %s\nwant %s", err, want)
	}
}

func label(length int) string { return strings.Repeat("a", length) }

// longName is a name of that many bytes, in labels of at most 63.
func longName(length int) string {
	return strings.Repeat(label(49)+".", length/50) + label(length%50)
}
