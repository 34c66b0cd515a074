package rules_test

import (
	"iter"
	"net/netip"
	"net/url"
	"reflect"
	"testing"

	"dialpoint/server/rules"
)

// What the situations are made of: wildcards in every spelling, hosts that are none, targets, and addresses on which a
// remote caller reached the service.
var (
	wildcardHosts = []string{"0.0.0.0", "0", "*", "", "::", "[::]", "::0", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0", "::%eth0"}
	dialableHosts = []string{"127.0.0.1", "127.0.0.2", "192.168.1.5", "::1", "2001:db8::5", "fe80::1%eth0", "localhost", "fly-app.example.dev."}
	targets       = []string{"", "10.0.0.7", "10.0.0.7:9443", "2001:db8::7", "[2001:db8::7]:9443", "fe80::7%eth1", "edge.example", "https://edge.example/hermes", "ws://10.0.0.7"}
	reachedHosts  = []string{"", "10.0.0.9", "2001:db8::9", "127.0.0.1", "::1", "fe80::9%eth0", "0.0.0.0", "::"}
)

// situations is every combination of what the rules look at, some 52,000.
func situations(t *testing.T) iter.Seq2[rules.Listener, rules.Caller] {
	t.Helper()
	return func(yield func(rules.Listener, rules.Caller) bool) {
		for listener := range listeners(t) {
			for _, reached := range reachedHosts {
				if !yield(listener, remote(t, reached)) {
					return
				}
			}
			if !yield(listener, local()) {
				return
			}
		}
	}
}

func listeners(t *testing.T) iter.Seq[rules.Listener] {
	t.Helper()
	bools := []func(*rules.Listener){func(*rules.Listener) {}, ipv6Only(false), ipv6Only(true), onlyIPv6Answers}
	return func(yield func(rules.Listener) bool) {
		for _, bindHost := range append(append([]string{}, wildcardHosts...), dialableHosts...) {
			for _, override := range targets {
				for _, advertise := range targets {
					for _, only := range bools {
						if !yield(with(dashboard(t, bindHost), overridden(t, override), advertised(t, advertise), only)) {
							return
						}
					}
				}
			}
		}
	}
}

// Promise 1 of the project: a resolved URL never holds a wildcard.
func TestPromise1ResolvedURLNeverHoldsWildcard(t *testing.T) {
	t.Parallel()
	resolved := 0
	for listener, caller := range situations(t) {
		got, err := rules.Resolve(listener, caller)
		if err != nil {
			continue
		}
		resolved++
		for _, text := range spellings(got) {
			if holdsWildcard(t, text) {
				t.Fatalf("%s: bind %q, override %q, advertise %q, reached %q",
					text, listener.Bind.Text, listener.Override.Text, listener.Advertise.Text, caller.Reached)
			}
		}
		if got.Explanation.DialHost.IsWildcard() || got.Explanation.DialHost.IsZero() {
			t.Fatalf("dial host is %q for bind %q", got.Explanation.DialHost, listener.Bind.Text)
		}
	}
	if resolved < 40_000 {
		t.Errorf("only %d situations had an answer: the test looks at too little", resolved)
	}
}

func spellings(endpoints rules.Endpoints) []string {
	texts := []string{}
	for _, endpoint := range []*rules.Endpoint{&endpoints.Gateway, endpoints.Sidecar} {
		if endpoint != nil {
			texts = append(texts, endpoint.URL.Reveal(), endpoint.DisplayURL, endpoint.BareURL)
		}
	}
	return texts
}

// holdsWildcard asks package netip, not the package that is tested.
func holdsWildcard(t testing.TB, text string) bool {
	t.Helper()
	parsed, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	switch parsed.Hostname() {
	case "", "*", "0":
		return true
	}
	addr, err := netip.ParseAddr(parsed.Hostname())
	return err == nil && addr.Unmap().WithZone("").IsUnspecified()
}

// Promise 2 of the project: resolving never changes a bind, nor anything else that it is given.
func TestPromise2ResolvingNeverChangesBind(t *testing.T) {
	t.Parallel()
	full := func() rules.Listener {
		return with(dashboard(t, "fe80::1%eth0"), overridden(t, "ws://my_service/a"), advertised(t, "edge.example:81"), based(t, "/b"), ipv6Only(true),
			func(l *rules.Listener) {
				l.Warnings = append(make([]string, 0, 8), "one", "two")
			})
	}
	tests := map[string]func() rules.Listener{
		"everything said": full,
		"no override":     func() rules.Listener { return with(full(), overridden(t, "")) },
		"no target":       func() rules.Listener { return with(full(), overridden(t, ""), advertised(t, "")) },
		"wildcard":        func() rules.Listener { return with(dashboard(t, "[::0]"), ipv6Only(true)) },
		"text untouched":  func() rules.Listener { return dashboard(t, " 0:0:0:0:0:0:0:0 ") },
		"unbound":         unbound,
	}
	for name, build := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener, before := build(), build()
			for _, caller := range []rules.Caller{local(), remote(t, ""), remote(t, "10.0.0.9")} {
				for range 3 {
					got, _ := rules.Resolve(listener, caller)
					scribble(got.Explanation.Warnings)
					scribble(got.Explanation.NoProxy)
				}
			}
			if !reflect.DeepEqual(listener, before) {
				t.Errorf("the listener is now %+v, was %+v", listener, before)
			}
			for _, text := range listener.Warnings[len(listener.Warnings):cap(listener.Warnings)] {
				if text != "" {
					t.Errorf("resolving wrote %q behind the listener's warnings", text)
				}
			}
		})
	}
}

// scribble overwrites an answer, which must not reach back into what it was made of.
func scribble(answer []string) {
	for i := range answer {
		answer[i] = "overwritten"
	}
}

// Promise 3 of the project: the override wins, and what is no wildcard stays as it is.
func TestPromise3OverrideWinsAndNonWildcardStays(t *testing.T) {
	t.Parallel()
	for listener := range listeners(t) {
		got := resolve(t, listener, local()).Explanation
		want, rule := listener.Bind.Host, rules.RuleBindHost
		switch {
		case !listener.Override.IsZero():
			want, rule = listener.Override.Host, rules.RuleOverride
		case listener.Bind.Host.IsWildcard():
			want, rule = got.DialHost, rules.RuleWildcardToLoopback
		}
		if got.DialHost != want || got.Rule != rule {
			t.Fatalf("bind %q, override %q: dial host is %s by rule %d, want %s by rule %d",
				listener.Bind.Text, listener.Override.Text, got.DialHost, got.Rule, want, rule)
		}
		if rule == rules.RuleWildcardToLoopback && !got.DialHost.IsLoopback() {
			t.Fatalf("bind %q became %s", listener.Bind.Text, got.DialHost)
		}
	}
}

// Both URLs come from one place and agree on all but path and channel.
func TestGatewayAndSidecarAgree(t *testing.T) {
	t.Parallel()
	for listener := range listeners(t) {
		got := resolve(t, listener, local())
		gateway, sidecar := parse(t, got.Gateway.URL.Reveal()), parse(t, got.Sidecar.URL.Reveal())
		if gateway.Scheme != sidecar.Scheme || gateway.Host != sidecar.Host || gateway.Query().Get("token") != sidecar.Query().Get("token") {
			t.Fatalf("%s and %s", gateway, sidecar)
		}
	}
}

func parse(t testing.TB, text string) *url.URL {
	t.Helper()
	parsed, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
