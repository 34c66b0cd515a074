package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"dialpoint/server/rules"
)

func TestNoProxy(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		listener rules.Listener
		want     []string
	}{
		"wildcard":               {dashboard(t, "0.0.0.0"), []string{"127.0.0.1"}},
		"IPv6 only wildcard":     {with(dashboard(t, "::"), ipv6Only(true)), []string{"::1"}},
		"IPv6 alone answers":     {with(dashboard(t, "::"), onlyIPv6Answers), []string{"::1"}},
		"address":                {dashboard(t, "192.168.1.5"), []string{"192.168.1.5"}},
		"IPv6":                   {dashboard(t, "[2001:db8::5]"), []string{"2001:db8::5"}},
		"zone, with and without": {dashboard(t, "fe80::1%eth0"), []string{"fe80::1%eth0", "fe80::1"}},
		"name":                   {dashboard(t, "Edge.Example"), []string{"edge.example"}},
		"dot, with and without":  {dashboard(t, "edge.example."), []string{"edge.example.", "edge.example"}},
		"override":               {with(dashboard(t, "0.0.0.0"), overridden(t, "https://bücher.example:81/a")), []string{"xn--bcher-kva.example"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := resolve(t, test.listener, local()).Explanation.NoProxy
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	const (
		zone       = "browsers refuse a URL with a zone such as [fe80::1%25eth0]: give the listener an address without one, or an override"
		underscore = "the name my_service holds an underscore, which some clients and certificates refuse"
		advice     = "set auth.credential_file (for the default listener DIALPOINT_CREDENTIAL_FILE) or have the dashboard " +
			"report its credential"
		noSecret = " but no credential is known, so the URLs carry none and the dashboard will refuse them; " +
			advice
		nothing = "no credential is known, so auth.mode is none and the URLs carry none: " + advice +
			", or set auth.mode to none if the dashboard wants no credential"
		ipv4Only = `ipv6_only has no meaning with bind host "0.0.0.0", which is not the IPv6 wildcard`
		ownWord  = "a port variable was ignored"
	)
	said := func(listener *rules.Listener) { listener.Warnings = []string{ownWord} }
	mode := func(mode rules.AuthMode) func(*rules.Listener) {
		return func(listener *rules.Listener) { listener.Auth = rules.Auth{Mode: mode} }
	}
	tests := map[string]struct {
		listener rules.Listener
		want     []string
	}{
		"none":                        {dashboard(t, "0.0.0.0"), nil},
		"zone":                        {dashboard(t, "fe80::1%eth0"), []string{zone}},
		"zone of an override":         {with(dashboard(t, "0.0.0.0"), overridden(t, "fe80::1%eth0")), []string{zone}},
		"zone that is overridden":     {with(dashboard(t, "fe80::1%eth0"), overridden(t, "::1")), nil},
		"underscore":                  {dashboard(t, "MY_Service"), []string{underscore}},
		"token without credential":    {with(dashboard(t, "0.0.0.0"), mode(rules.AuthToken)), []string{"auth mode is token" + noSecret}},
		"internal without credential": {with(dashboard(t, "0.0.0.0"), mode(rules.AuthInternal)), []string{"auth mode is internal" + noSecret}},
		"none without credential":     {with(dashboard(t, "0.0.0.0"), mode(rules.AuthNone)), nil},
		"nothing said of auth":        {with(dashboard(t, "0.0.0.0"), withoutAuth), []string{nothing}},
		"IPv6 only on IPv4":           {with(dashboard(t, "0.0.0.0"), ipv6Only(true)), []string{ipv4Only}},
		"IPv6 only on IPv6":           {with(dashboard(t, "::"), ipv6Only(true)), nil},
		"both families on IPv4":       {with(dashboard(t, "0.0.0.0"), ipv6Only(false)), nil},
		"the listener's own":          {with(dashboard(t, "0.0.0.0"), said), []string{ownWord}},
		"the listener's own last":     {with(dashboard(t, "fe80::1%eth0"), said), []string{zone, ownWord}},
		"all":                         {with(dashboard(t, "0.0.0.0"), overridden(t, "my_service"), mode(rules.AuthToken), ipv6Only(true), said), []string{underscore, "auth mode is token" + noSecret, ipv4Only, ownWord}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := resolve(t, test.listener, local()).Explanation.Warnings
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// An operator who writes a port after IPv6 without brackets has written another address.
func TestWarningOfPortInIPv6(t *testing.T) {
	t.Parallel()
	const warning = `"::1:9443" is read as an IPv6 address without a port; write [::1]:9443 if 9443 is the port`
	tests := map[string]struct {
		target string
		want   []string
	}{
		"port":                {"::1:9443", []string{warning}},
		"port, white space":   {" ::1:9443 ", []string{warning}},
		"highest port":        {"fe80::5:9999", []string{`"fe80::5:9999" is read as an IPv6 address without a port; write [fe80::5]:9999 if 9999 is the port`}},
		"brackets":            {"[::1]:9443", nil},
		"brackets around all": {"[::1:9443]", nil},
		"loopback":            {"::1", nil},
		"short":               {"2001:db8::5", nil},
		"whole":               {"1:2:3:4:5:6:7:8", nil},
		"hexadecimal":         {"::1:94ab", nil},
		"zero":                {"::1:0", nil},
		"IPv4 and a port":     {"10.0.0.7:9443", nil},
		"name and a port":     {"edge.example:9443", nil},
		"URL":                 {"ws://[::1]:9443", nil},
		"IPv4-mapped":         {"::ffff:10.0.0.7", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for caller, changed := range map[rules.Caller]func(*rules.Listener){
				local():       overridden(t, test.target),
				remote(t, ""): advertised(t, test.target),
			} {
				got := resolve(t, with(dashboard(t, "0.0.0.0"), changed), caller).Explanation.Warnings
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
			}
		})
	}
}

func TestExplanation(t *testing.T) {
	t.Parallel()
	got := resolve(t, with(dashboard(t, "0.0.0.0"), overridden(t, "https://edge.example")), remote(t, "")).Explanation
	want := rules.Explanation{
		Rule:     rules.RuleOverride,
		Source:   "env HERMES_DASHBOARD_WS_HOST",
		DialHost: host(t, "edge.example"),
		DialPort: 443,
		Audience: rules.Remote,
		NoProxy:  []string{"edge.example"},
	}
	if diff := cmp.Diff(want, got, sameHosts); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
