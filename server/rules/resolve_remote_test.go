package rules_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dialpoint/server/rules"
)

func toAdvertised(root, dialHost string, dialPort rules.Port) answer {
	return answer{root, rules.RuleAdvertised, "env DIALPOINT_ADVERTISE", dialHost, dialPort}
}

func toReached(root, dialHost string) answer {
	return answer{root, rules.RuleWildcardToReachedAddress, "flag --bind-host", dialHost, 9119}
}

func TestRemote(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		listener rules.Listener
		reached  string
		want     answer
	}{
		"advertise over a wildcard":     {with(dashboard(t, "0.0.0.0"), advertised(t, "edge.example")), "10.0.0.9", toAdvertised("ws://edge.example:9119", "edge.example", 9119)},
		"advertise over loopback":       {with(dashboard(t, "127.0.0.1"), advertised(t, "edge.example")), "10.0.0.9", toAdvertised("ws://edge.example:9119", "edge.example", 9119)},
		"advertise over a bind host":    {with(dashboard(t, "192.168.1.5"), advertised(t, "edge.example")), "", toAdvertised("ws://edge.example:9119", "edge.example", 9119)},
		"advertise over override":       {with(dashboard(t, "0.0.0.0"), advertised(t, "edge.example"), overridden(t, "10.0.0.7")), "10.0.0.9", toAdvertised("ws://edge.example:9119", "edge.example", 9119)},
		"advertise with a port":         {with(unbound(), advertised(t, "edge.example:9443")), "", toAdvertised("ws://edge.example:9443", "edge.example", 9443)},
		"advertise a URL":               {with(unbound(), advertised(t, "https://edge.example/hermes")), "", toAdvertised("wss://edge.example/hermes", "edge.example", 443)},
		"advertise keeps the base path": {with(dashboard(t, "0.0.0.0"), based(t, "/hermes"), advertised(t, "https://edge.example")), "", toAdvertised("wss://edge.example/hermes", "edge.example", 443)},
		"advertise the root":            {with(dashboard(t, "0.0.0.0"), based(t, "/hermes"), advertised(t, "https://edge.example/")), "", toAdvertised("wss://edge.example", "edge.example", 443)},
		"override over a wildcard":      {with(dashboard(t, "0.0.0.0"), overridden(t, "10.0.0.7")), "10.0.0.9", toOverride("ws://10.0.0.7:9119", "10.0.0.7", 9119)},
		"override over loopback":        {with(dashboard(t, "127.0.0.1"), overridden(t, "10.0.0.7:9443")), "", toOverride("ws://10.0.0.7:9443", "10.0.0.7", 9443)},
		"override over a bind host":     {with(dashboard(t, "192.168.1.5"), overridden(t, "10.0.0.7")), "", toOverride("ws://10.0.0.7:9119", "10.0.0.7", 9119)},
		"wildcard reached on IPv4":      {dashboard(t, "0.0.0.0"), "10.0.0.9", toReached("ws://10.0.0.9:9119", "10.0.0.9")},
		"wildcard reached on a name":    {dashboard(t, "0.0.0.0"), "edge.example", toReached("ws://edge.example:9119", "edge.example")},
		"wildcard reached on mapped":    {dashboard(t, "0.0.0.0"), "::ffff:10.0.0.9", toReached("ws://10.0.0.9:9119", "10.0.0.9")},
		"star reached on IPv4":          {dashboard(t, "*"), "10.0.0.9", toReached("ws://10.0.0.9:9119", "10.0.0.9")},
		"star reached on IPv6":          {dashboard(t, "*"), "2001:db8::5", toReached("ws://[2001:db8::5]:9119", "2001:db8::5")},
		"empty reached on IPv6":         {dashboard(t, ""), "2001:db8::5", toReached("ws://[2001:db8::5]:9119", "2001:db8::5")},
		"IPv6 wildcard on IPv6":         {dashboard(t, "::"), "2001:db8::5", toReached("ws://[2001:db8::5]:9119", "2001:db8::5")},
		"IPv6 wildcard on IPv4":         {dashboard(t, "::"), "10.0.0.9", toReached("ws://10.0.0.9:9119", "10.0.0.9")},
		"both families on IPv4":         {with(dashboard(t, "::"), ipv6Only(false)), "10.0.0.9", toReached("ws://10.0.0.9:9119", "10.0.0.9")},
		"IPv6 only on IPv6":             {with(dashboard(t, "::"), ipv6Only(true)), "2001:db8::5", toReached("ws://[2001:db8::5]:9119", "2001:db8::5")},
		"a probe is of loopback alone":  {with(dashboard(t, "::"), onlyIPv6Answers), "10.0.0.9", toReached("ws://10.0.0.9:9119", "10.0.0.9")},
		"IPv4 wildcard, IPv6 only":      {with(dashboard(t, "0.0.0.0"), ipv6Only(true)), "10.0.0.9", toReached("ws://10.0.0.9:9119", "10.0.0.9")},
		"link-local IPv4":               {dashboard(t, "0.0.0.0"), "169.254.1.1", toReached("ws://169.254.1.1:9119", "169.254.1.1")},
		"wildcard with TLS and base":    {with(dashboard(t, "0.0.0.0"), overTLS, based(t, "/a")), "10.0.0.9", toReached("wss://10.0.0.9:9119/a", "10.0.0.9")},
		"bind host":                     {dashboard(t, "192.168.1.5"), "10.0.0.9", toBind("ws://192.168.1.5:9119", "192.168.1.5")},
		"bind host over a unix socket":  {dashboard(t, "192.168.1.5"), "", toBind("ws://192.168.1.5:9119", "192.168.1.5")},
		"bind host reached on loopback": {dashboard(t, "edge.example"), "127.0.0.1", toBind("ws://edge.example:9119", "edge.example")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.want.check(t, test.listener, remote(t, test.reached))
		})
	}
}

func TestRemoteNotReachable(t *testing.T) {
	t.Parallel()
	const (
		loopback  = "it listens on loopback only, so that others need another bind.host, or something that forwards to it"
		notTCP    = "it listens on every interface, and the caller did not come over TCP, which would show the address it can reach"
		byLoop    = "it listens on every interface, and the caller came over loopback, which shows no address that others can reach"
		linkLocal = "the caller came over a link-local address, whose zone means nothing on its own machine"
		ipv4      = "it listens on IPv4 only, and the caller came over IPv6"
		ipv6      = "it listens on IPv6 only, and the caller came over IPv4"
	)
	tests := map[string]struct {
		listener rules.Listener
		reached  string
		problem  string
	}{
		"loopback bind":              {dashboard(t, "127.0.0.1"), "10.0.0.9", loopback},
		"another loopback bind":      {dashboard(t, "127.0.0.2"), "10.0.0.9", loopback},
		"IPv6 loopback bind":         {dashboard(t, "::1"), "2001:db8::5", loopback},
		"loopback by name":           {dashboard(t, "localhost"), "10.0.0.9", loopback},
		"name below localhost":       {dashboard(t, "api.localhost."), "10.0.0.9", loopback},
		"loopback over a socket":     {dashboard(t, "127.0.0.1"), "", loopback},
		"wildcard over a socket":     {dashboard(t, "0.0.0.0"), "", notTCP},
		"wildcard over loopback":     {dashboard(t, "0.0.0.0"), "127.0.0.1", byLoop},
		"wildcard over ::1":          {dashboard(t, "::"), "::1", byLoop},
		"wildcard over a wildcard":   {dashboard(t, "::"), "::", byLoop},
		"wildcard over localhost":    {dashboard(t, "*"), "localhost", byLoop},
		"link-local with a zone":     {dashboard(t, "::"), "fe80::1%eth0", linkLocal},
		"link-local without a zone":  {dashboard(t, "::"), "fe80::1", linkLocal},
		"IPv4 wildcard over IPv6":    {dashboard(t, "0.0.0.0"), "2001:db8::5", ipv4},
		"zero over IPv6":             {dashboard(t, "0"), "2001:db8::5", ipv4},
		"IPv6 only over IPv4":        {with(dashboard(t, "::"), ipv6Only(true)), "10.0.0.9", ipv6},
		"IPv6 only over mapped IPv4": {with(dashboard(t, "::"), ipv6Only(true)), "::ffff:10.0.0.9", ipv6},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			why := unavailable(t, test.listener, remote(t, test.reached))
			if why.Reason != rules.NotReachable {
				t.Errorf("reason is %s", why.Reason)
			}
			wantError(t, why, "the listener cannot be reached from outside its machine or network namespace: "+test.problem+
				"; set advertise (for the default listener DIALPOINT_ADVERTISE) to the host, host:port or URL that such callers "+
				"must dial, or ask with audience LOCAL if the caller shares the listener's loopback")
		})
	}
}

// The override wins always, and a loopback one leads a remote caller to itself.
func TestWarningOfLoopbackOverride(t *testing.T) {
	t.Parallel()
	warning := func(host string) []string {
		return []string{"the override " + host + " is loopback, where a REMOTE caller finds itself and not the listener; " +
			"set advertise (for the default listener DIALPOINT_ADVERTISE) to what such callers must dial"}
	}
	tests := map[string]struct {
		listener rules.Listener
		caller   rules.Caller
		want     []string
	}{
		"loopback":             {with(dashboard(t, "0.0.0.0"), overridden(t, "127.0.0.1")), remote(t, "10.0.0.9"), warning("127.0.0.1")},
		"over a unix socket":   {with(dashboard(t, "0.0.0.0"), overridden(t, "ws://[::1]:9443")), remote(t, ""), warning("::1")},
		"by name":              {with(unbound(), overridden(t, "localhost:9443")), remote(t, ""), warning("localhost")},
		"local caller":         {with(dashboard(t, "0.0.0.0"), overridden(t, "127.0.0.1")), local(), nil},
		"another host":         {with(dashboard(t, "127.0.0.1"), overridden(t, "10.0.0.7")), remote(t, ""), nil},
		"published there":      {with(dashboard(t, "0.0.0.0"), advertised(t, "127.0.0.1:9443")), remote(t, ""), nil},
		"advertised elsewhere": {with(dashboard(t, "0.0.0.0"), overridden(t, "127.0.0.1"), advertised(t, "10.0.0.7")), remote(t, ""), nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := resolve(t, test.listener, test.caller).Explanation.Warnings
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// A caller of whom nothing is known must not be sent to its own loopback.
func TestZeroCallerIsRemote(t *testing.T) {
	t.Parallel()
	if why := unavailable(t, dashboard(t, "0.0.0.0"), rules.Caller{}); why.Reason != rules.NotReachable {
		t.Errorf("reason is %s", why.Reason)
	}
}

func TestNotBound(t *testing.T) {
	t.Parallel()
	const (
		nothing = "its bind host and port are not known"
		noHost  = "its bind host is not known"
		noPort  = "its bind port is not known"
		target  = "what is configured to be dialled has no port, and the bind port is not known"
	)
	portless := with(dashboard(t, "0.0.0.0"), withoutPort)
	tests := map[string]struct {
		listener rules.Listener
		problem  string
	}{
		"nothing known":            {unbound(), nothing},
		"zero listener":            {rules.Listener{}, nothing},
		"no host":                  {with(unbound(), bound(9119)), noHost},
		"no port":                  {portless, noPort},
		"no port of a bind host":   {with(dashboard(t, "192.168.1.5"), withoutPort), noPort},
		"no port of loopback":      {with(dashboard(t, "127.0.0.1"), withoutPort), noPort},
		"blank override":           {with(portless, overridden(t, " ")), noPort},
		"override without a port":  {with(portless, overridden(t, "10.0.0.7")), target},
		"override without a bind":  {with(unbound(), overridden(t, "10.0.0.7")), target},
		"IPv6 override, no port":   {with(unbound(), overridden(t, "::1")), target},
		"TLS says nothing of port": {with(unbound(), overTLS), nothing},
	}
	for name, test := range tests {
		for audience, caller := range map[string]rules.Caller{"local": local(), "remote": remote(t, "10.0.0.9")} {
			t.Run(name+", "+audience, func(t *testing.T) {
				t.Parallel()
				why := unavailable(t, test.listener, caller)
				if why.Reason != rules.NotBound {
					t.Errorf("reason is %s", why.Reason)
				}
				wantError(t, why, "the listener is not bound yet: "+test.problem+
					"; set bind.host and bind.port (for the default listener DIALPOINT_BIND_HOST and DIALPOINT_BIND_PORT), or "+
					"have the dashboard report them")
			})
		}
	}
}

// What is advertised is for others: to a local caller it neither helps nor hides what is missing.
func TestNotBoundForLocalCallerDespiteAdvertise(t *testing.T) {
	t.Parallel()
	why := unavailable(t, with(unbound(), advertised(t, "https://edge.example")), local())
	if why.Reason != rules.NotBound || !strings.Contains(why.Message, "its bind host and port are not known") {
		t.Errorf("%s: %s", why.Reason, why.Message)
	}
}
