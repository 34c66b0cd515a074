package rules_test

import (
	"testing"

	"dialpoint/server/rules"
)

// answer is what a table expects of both URLs and of the explanation.
type answer struct {
	// root is the URLs up to the endpoint's path.
	root string
	rule rules.Rule
	// source is where the deciding value came from.
	source   string
	dialHost string
	dialPort rules.Port
}

// check resolves for a caller with the chat chat-1 and compares URLs and explanation. The listener's token is "t".
func (want answer) check(t *testing.T, listener rules.Listener, caller rules.Caller) {
	t.Helper()
	got := resolve(t, listener, caller)
	if url := got.Gateway.URL.Reveal(); url != want.root+"/api/ws?token=t" {
		t.Errorf("gateway is %s, want it under %s", url, want.root)
	}
	if url := got.Sidecar.URL.Reveal(); url != want.root+"/api/pub?token=t&channel=chat-1" {
		t.Errorf("sidecar is %s, want it under %s", url, want.root)
	}
	why := got.Explanation
	if why.Rule != want.rule || why.Source != want.source {
		t.Errorf("rule %s from %q decided, want %s from %q", why.Rule, why.Source, want.rule, want.source)
	}
	if why.DialHost.String() != want.dialHost || why.DialPort != want.dialPort {
		t.Errorf("dial host and port are %s and %d, want %s and %d", why.DialHost, why.DialPort, want.dialHost, want.dialPort)
	}
	if why.Audience != caller.Audience {
		t.Errorf("audience is %d, want %d", why.Audience, caller.Audience)
	}
}

// toLoopback, toBind and toOverride are the answers of each rule.
func toLoopback(root, dialHost string) answer {
	return answer{root, rules.RuleWildcardToLoopback, "flag --bind-host", dialHost, 9119}
}

// toProbed is what a probe has decided.
func toProbed(root, dialHost string) answer {
	return answer{root, rules.RuleWildcardToLoopback, "probe", dialHost, 9119}
}

func toBind(root, dialHost string) answer {
	return answer{root, rules.RuleBindHost, "flag --bind-host", dialHost, 9119}
}

func toOverride(root, dialHost string, dialPort rules.Port) answer {
	return answer{root, rules.RuleOverride, "env HERMES_DASHBOARD_WS_HOST", dialHost, dialPort}
}

func TestLocalWildcard(t *testing.T) {
	t.Parallel()
	ipv4 := toLoopback("ws://127.0.0.1:9119", "127.0.0.1")
	ipv6 := toLoopback("ws://[::1]:9119", "::1")
	tests := map[string]struct {
		listener rules.Listener
		want     answer
	}{
		"IPv4":                         {dashboard(t, "0.0.0.0"), ipv4},
		"zero":                         {dashboard(t, "0"), ipv4},
		"star":                         {dashboard(t, "*"), ipv4},
		"empty":                        {dashboard(t, ""), ipv4},
		"IPv4-mapped":                  {dashboard(t, "::ffff:0.0.0.0"), ipv4},
		"IPv6":                         {dashboard(t, "::"), ipv4},
		"IPv6 in brackets":             {dashboard(t, "[::]"), ipv4},
		"IPv6 and a zero":              {dashboard(t, "::0"), ipv4},
		"IPv6 in full":                 {dashboard(t, "0:0:0:0:0:0:0:0"), ipv4},
		"IPv6 for both families":       {with(dashboard(t, "::"), ipv6Only(false)), ipv4},
		"IPv6 only":                    {with(dashboard(t, "::"), ipv6Only(true)), ipv6},
		"IPv6 only in full":            {with(dashboard(t, "0:0:0:0:0:0:0:0"), ipv6Only(true)), ipv6},
		"IPv6 only with a zone":        {with(dashboard(t, "::%eth0"), ipv6Only(true)), ipv6},
		"IPv6 only means nothing here": {with(dashboard(t, "0.0.0.0"), ipv6Only(true)), ipv4},
		"nor for a star":               {with(dashboard(t, "*"), ipv6Only(true)), ipv4},
		"nor for empty":                {with(dashboard(t, ""), ipv6Only(true)), ipv4},
		"nor for IPv4-mapped":          {with(dashboard(t, "::ffff:0.0.0.0"), ipv6Only(true)), ipv4},
		"TLS":                          {with(dashboard(t, "0.0.0.0"), overTLS), toLoopback("wss://127.0.0.1:9119", "127.0.0.1")},
		"base path":                    {with(dashboard(t, "0.0.0.0"), based(t, "/hermes/")), toLoopback("ws://127.0.0.1:9119/hermes", "127.0.0.1")},
		"IPv6 alone answers":           {with(dashboard(t, "::"), onlyIPv6Answers), toProbed("ws://[::1]:9119", "::1")},
		"IPv6 alone answers, with TLS": {with(dashboard(t, "[::]"), onlyIPv6Answers, overTLS), toProbed("wss://[::1]:9119", "::1")},
		"found, but otherwise said":    {with(dashboard(t, "::"), onlyIPv6Answers, ipv6Only(false)), ipv4},
		"found, and said, too":         {with(dashboard(t, "::"), onlyIPv6Answers, ipv6Only(true)), ipv6},
		"found of an IPv4 wildcard":    {with(dashboard(t, "0.0.0.0"), onlyIPv6Answers), ipv4},
		"found of a star":              {with(dashboard(t, "*"), onlyIPv6Answers), ipv4},
		"advertise is for others":      {with(dashboard(t, "0.0.0.0"), advertised(t, "edge.example")), ipv4},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.want.check(t, test.listener, local())
		})
	}
}

func TestLocalBindHost(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ bindHost, root, dialHost string }{
		"loopback":         {"127.0.0.1", "ws://127.0.0.1:9119", "127.0.0.1"},
		"another loopback": {"127.0.0.2", "ws://127.0.0.2:9119", "127.0.0.2"},
		"private":          {"192.168.1.5", "ws://192.168.1.5:9119", "192.168.1.5"},
		"shared":           {"100.64.3.7", "ws://100.64.3.7:9119", "100.64.3.7"},
		"near a wildcard":  {"0.0.0.1", "ws://0.0.0.1:9119", "0.0.0.1"},
		"name":             {"fly-app.example.dev", "ws://fly-app.example.dev:9119", "fly-app.example.dev"},
		"name with a dot":  {"localhost.", "ws://localhost.:9119", "localhost."},
		"IPv6 loopback":    {"::1", "ws://[::1]:9119", "::1"},
		"IPv6":             {"2001:db8::5", "ws://[2001:db8::5]:9119", "2001:db8::5"},
		"zone":             {"fe80::1%eth0", "ws://[fe80::1%25eth0]:9119", "fe80::1%eth0"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			toBind(test.root, test.dialHost).check(t, dashboard(t, test.bindHost), local())
		})
	}
}

func TestLocalOverride(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		listener rules.Listener
		want     answer
	}{
		"over a wildcard":             {with(dashboard(t, "0.0.0.0"), overridden(t, "10.0.0.7")), toOverride("ws://10.0.0.7:9119", "10.0.0.7", 9119)},
		"over IPv6 only":              {with(dashboard(t, "::"), ipv6Only(true), overridden(t, "10.0.0.7")), toOverride("ws://10.0.0.7:9119", "10.0.0.7", 9119)},
		"over what a probe found":     {with(dashboard(t, "::"), onlyIPv6Answers, overridden(t, "10.0.0.7")), toOverride("ws://10.0.0.7:9119", "10.0.0.7", 9119)},
		"over a bind host":            {with(dashboard(t, "192.168.1.5"), overridden(t, "10.0.0.7")), toOverride("ws://10.0.0.7:9119", "10.0.0.7", 9119)},
		"over advertise":              {with(dashboard(t, "0.0.0.0"), overridden(t, "10.0.0.7"), advertised(t, "edge.example")), toOverride("ws://10.0.0.7:9119", "10.0.0.7", 9119)},
		"blank is none":               {with(dashboard(t, "0.0.0.0"), overridden(t, " \t\r")), toLoopback("ws://127.0.0.1:9119", "127.0.0.1")},
		"port of its own":             {with(dashboard(t, "0.0.0.0"), overridden(t, "10.0.0.7:9443")), toOverride("ws://10.0.0.7:9443", "10.0.0.7", 9443)},
		"no bind host":                {with(unbound(), bound(9119), overridden(t, "10.0.0.7")), toOverride("ws://10.0.0.7:9119", "10.0.0.7", 9119)},
		"no bind, port of its own":    {with(unbound(), overridden(t, "10.0.0.7:9443")), toOverride("ws://10.0.0.7:9443", "10.0.0.7", 9443)},
		"no bind, URL":                {with(unbound(), overridden(t, "https://edge.example")), toOverride("wss://edge.example", "edge.example", 443)},
		"no bind port, URL":           {with(dashboard(t, "0.0.0.0"), withoutPort, overridden(t, "http://edge.example")), toOverride("ws://edge.example", "edge.example", 80)},
		"IPv6":                        {with(dashboard(t, "0.0.0.0"), overridden(t, "2001:db8::5")), toOverride("ws://[2001:db8::5]:9119", "2001:db8::5", 9119)},
		"IPv6 and port":               {with(dashboard(t, "0.0.0.0"), overridden(t, "[2001:db8::5]:9443")), toOverride("ws://[2001:db8::5]:9443", "2001:db8::5", 9443)},
		"zone":                        {with(dashboard(t, "0.0.0.0"), overridden(t, "fe80::1%eth0")), toOverride("ws://[fe80::1%25eth0]:9119", "fe80::1%eth0", 9119)},
		"TLS says the bind":           {with(dashboard(t, "0.0.0.0"), overTLS, overridden(t, "10.0.0.7")), toOverride("wss://10.0.0.7:9119", "10.0.0.7", 9119)},
		"TLS says the URL":            {with(dashboard(t, "0.0.0.0"), overridden(t, "https://edge.example:9119")), toOverride("wss://edge.example:9119", "edge.example", 9119)},
		"no TLS says the URL":         {with(dashboard(t, "0.0.0.0"), overTLS, overridden(t, "ws://edge.example:9119")), toOverride("ws://edge.example:9119", "edge.example", 9119)},
		"URL leaves the port out":     {with(dashboard(t, "0.0.0.0"), overridden(t, "https://edge.example/hermes/")), toOverride("wss://edge.example/hermes", "edge.example", 443)},
		"URL keeps the port it has":   {with(dashboard(t, "0.0.0.0"), overridden(t, "https://edge.example:443")), toOverride("wss://edge.example:443", "edge.example", 443)},
		"host keeps the base path":    {with(dashboard(t, "0.0.0.0"), based(t, "/hermes"), overridden(t, "10.0.0.7")), toOverride("ws://10.0.0.7:9119/hermes", "10.0.0.7", 9119)},
		"bare URL keeps the base":     {with(dashboard(t, "0.0.0.0"), based(t, "/hermes"), overridden(t, "ws://10.0.0.7")), toOverride("ws://10.0.0.7/hermes", "10.0.0.7", 80)},
		"URL with port keeps it":      {with(dashboard(t, "0.0.0.0"), based(t, "/hermes"), overridden(t, "ws://10.0.0.7:81")), toOverride("ws://10.0.0.7:81/hermes", "10.0.0.7", 81)},
		"URL's root replaces it":      {with(dashboard(t, "0.0.0.0"), based(t, "/hermes"), overridden(t, "ws://10.0.0.7/")), toOverride("ws://10.0.0.7", "10.0.0.7", 80)},
		"URL's prefix replaces it":    {with(dashboard(t, "0.0.0.0"), based(t, "/hermes"), overridden(t, "ws://10.0.0.7/a/b")), toOverride("ws://10.0.0.7/a/b", "10.0.0.7", 80)},
		"one slash, however many":     {with(dashboard(t, "0.0.0.0"), overridden(t, "ws://10.0.0.7//a//b//")), toOverride("ws://10.0.0.7/a/b", "10.0.0.7", 80)},
		"loopback may be overridden":  {with(dashboard(t, "::"), overridden(t, "localhost")), toOverride("ws://localhost:9119", "localhost", 9119)},
		"international name":          {with(dashboard(t, "::"), overridden(t, "bücher.example")), toOverride("ws://xn--bcher-kva.example:9119", "xn--bcher-kva.example", 9119)},
		"URL with a zone leaves port": {with(dashboard(t, "::"), overridden(t, "ws://[fe80::1%25eth0]/")), toOverride("ws://[fe80::1%25eth0]", "fe80::1%eth0", 80)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.want.check(t, test.listener, local())
		})
	}
}
