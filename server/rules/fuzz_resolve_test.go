package rules_test

import (
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"dialpoint/server/rules"
)

// FuzzResolve reads a configuration from text, as the service does, and holds the URLs that come out to what went in.
func FuzzResolve(f *testing.F) {
	f.Add("0.0.0.0", "", "", "", "", "t", "chat-1", "10.0.0.9", uint16(9119), uint8(0))
	f.Add("::", "", "", "/hermes", "/rpc", "a+b/c=d&e%f g#h", "", "", uint16(9119), uint8(7))
	f.Add("fe80::1%eth0", "ws://edge.example", "[::1]:80", "/a", "", "", "c", "2001:db8::9", uint16(1), uint8(31))
	f.Add("[::]", "", "", "", "", "t", "chat-1", "", uint16(9119), uint8(96))
	f.Add("", "10.0.0.7", "https://edge.example/", "é", "%20", "\xff", "..", "::1", uint16(0), uint8(32))
	f.Add("bücher.example", "http://[fe80::1%25eth0]:81/x", "", "", "", "token", "a", "::", uint16(80), uint8(15))
	f.Fuzz(func(t *testing.T, bindHost, override, advertise, base, gateway, secret, channel, reached string, port uint16, flags uint8) {
		listener, ok := read(bindHost, override, advertise, base, gateway, secret, port, flags)
		if !ok {
			return
		}
		caller := rules.Caller{Channel: channel, Audience: rules.Audience(flags >> 5 & 1)}
		caller.Reached, _ = rules.ParseHost(reached)
		got, err := rules.Resolve(listener, caller)
		if err != nil {
			checkNoAnswer(t, got, err, channel)
			return
		}
		if again, err := rules.Resolve(listener, caller); err != nil || !reflect.DeepEqual(got, again) {
			t.Errorf("the answer is %+v, then %+v and error %v", got, again, err)
		}
		checkAnswer(t, listener, caller, got)
	})
}

// read is a listener from what an operator wrote, or not ok where any of it is refused.
func read(bindHost, override, advertise, base, gateway, secret string, port uint16, flags uint8) (listener rules.Listener, ok bool) {
	var failed [5]error
	listener.Bind = rules.Bind{Text: bindHost, Source: "flag", Port: rules.Port(port), TLS: flags&1 != 0, OnlyIPv6Answers: flags&64 != 0}
	listener.Bind.Host, failed[0] = rules.ParseBindHost(bindHost)
	listener.Override, failed[1] = rules.ParseTarget(override)
	listener.Advertise, failed[2] = rules.ParseTarget(advertise)
	listener.BasePath, failed[3] = rules.ParsePath(base)
	listener.GatewayPath, failed[4] = rules.ParsePath(gateway)
	if only := flags&2 != 0; flags&4 != 0 {
		listener.Bind.IPv6Only = &only
	}
	listener.Auth = rules.Auth{
		Mode:       []rules.AuthMode{rules.AuthToken, rules.AuthInternal, rules.AuthNone, ""}[flags>>3&3],
		Credential: rules.NewSecret(secret),
	}
	return listener, failed == [5]error{}
}

func checkNoAnswer(t *testing.T, got rules.Endpoints, err error, channel string) {
	t.Helper()
	if !reflect.DeepEqual(got, rules.Endpoints{}) {
		t.Errorf("the answer is %+v beside error %v", got, err)
	}
	if why, ok := err.(*rules.Unavailable); ok == (rules.CheckChannel(channel) != nil) { //nolint:errorlint // The very error is promised.
		t.Errorf("channel %q gives %v", channel, why)
	}
}

func checkAnswer(t *testing.T, listener rules.Listener, caller rules.Caller, got rules.Endpoints) {
	t.Helper()
	why := got.Explanation
	if why.DialHost.IsWildcard() || why.DialHost.IsZero() || why.DialPort == 0 || why.Rule == 0 {
		t.Errorf("explanation is %+v", why)
	}
	checkEndpoint(t, got.Gateway, why, pathOr(listener.GatewayPath, "/api/ws"), "", got.Credential)
	if (got.Sidecar == nil) != (caller.Channel == "") {
		t.Fatalf("channel is %q and sidecar %v", caller.Channel, got.Sidecar)
	}
	if got.Sidecar != nil {
		checkEndpoint(t, *got.Sidecar, why, "/api/pub", caller.Channel, got.Credential)
	}
}

func pathOr(path, otherwise rules.Path) string {
	if path == "" {
		return string(otherwise)
	}
	return string(path)
}

// checkEndpoint takes all three spellings apart with net/url and net/netip.
func checkEndpoint(t *testing.T, got rules.Endpoint, why rules.Explanation, path, channel string, credential rules.Credential) {
	t.Helper()
	secret, parameter := credential.Value.Reveal(), credential.Parameter
	checkURL(t, got.URL.Reveal(), why, path, query(parameter, secret, channel))
	checkURL(t, got.DisplayURL, why, path, query(parameter, rules.Redacted, channel))
	checkURL(t, got.BareURL, why, path, query("", "", channel))
	if parameter != "" && plainDecoded(t, got.URL.Reveal(), parameter) != secret {
		t.Errorf("a decoder of RFC 3986 reads another credential in %s", got.URL.Reveal())
	}
}

// query is the parameters that a URL must have.
func query(parameter, value, channel string) url.Values {
	values := url.Values{}
	if parameter != "" {
		values.Set(parameter, value)
	}
	if channel != "" {
		values.Set("channel", channel)
	}
	return values
}

func checkURL(t *testing.T, text string, why rules.Explanation, path string, parameters url.Values) {
	t.Helper()
	parsed := parse(t, text)
	if parsed.Scheme != "ws" && parsed.Scheme != "wss" {
		t.Errorf("scheme is %s in %s", parsed.Scheme, text)
	}
	if parsed.Hostname() != why.DialHost.String() || holdsWildcard(t, text) {
		t.Errorf("net/url sees host %q in %s, want %q", parsed.Hostname(), text, why.DialHost)
	}
	if addr, err := netip.ParseAddr(parsed.Hostname()); err == nil && rules.AddrHost(addr) != why.DialHost {
		t.Errorf("net/netip sees %s in %s, want %s", addr, text, why.DialHost)
	}
	if port := portOf(parsed); port != why.DialPort.String() {
		t.Errorf("port is %s in %s, want %s", port, text, why.DialPort)
	}
	if !strings.HasSuffix(parsed.EscapedPath(), path) || strings.Contains(parsed.EscapedPath(), "//") {
		t.Errorf("path is %s in %s, want it to end in %s", parsed.EscapedPath(), text, path)
	}
	if values, err := url.ParseQuery(parsed.RawQuery); err != nil || !reflect.DeepEqual(values, parameters) {
		t.Errorf("query is %v and error %v in %s, want %v", values, err, text, parameters)
	}
	if parsed.User != nil || parsed.Fragment != "" {
		t.Errorf("user info or fragment in %s", text)
	}
}

// portOf is the port that a client dials: the scheme's default (RFC 6455, section 3) where none is said.
func portOf(parsed *url.URL) string {
	switch {
	case parsed.Port() != "":
		return parsed.Port()
	case parsed.Scheme == "wss":
		return "443"
	default:
		return "80"
	}
}
