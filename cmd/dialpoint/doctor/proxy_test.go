package doctor_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"dialpoint/client"
	"dialpoint/cmd/dialpoint/doctor"
	"dialpoint/server"
)

const proxyURL = "http://user:" + marker + "@proxy.example:3128"

// proxied is an environment in which some variables name a proxy, and others are as they are said.
func proxied(exceptions map[string]string, variables ...string) map[string]string {
	env := make(map[string]string)
	for _, name := range variables {
		env[name] = proxyURL
	}
	maps.Copy(env, exceptions)
	return env
}

// children are environments, with the variable that catches a child of each manner; empty is direct.
var children = map[string]struct {
	override             string
	env                  map[string]string
	golang, curl, python string
}{
	"no proxy":                    {"10.0.0.7:9119", nil, "", "", ""},
	"lower case":                  {"10.0.0.7:9119", proxied(nil, "http_proxy"), "http_proxy", "http_proxy", "http_proxy"},
	"upper case":                  {"10.0.0.7:9119", proxied(nil, "HTTP_PROXY"), "HTTP_PROXY", "", "HTTP_PROXY"},
	"both cases":                  {"10.0.0.7:9119", proxied(nil, "HTTP_PROXY", "http_proxy"), "http_proxy", "http_proxy", "http_proxy"},
	"lower case is empty":         {"10.0.0.7:9119", proxied(map[string]string{"http_proxy": ""}, "HTTP_PROXY"), "HTTP_PROXY", "", ""},
	"of https, for ws":            {"10.0.0.7:9119", proxied(nil, "HTTPS_PROXY"), "", "", "HTTPS_PROXY"},
	"of https, for wss":           {"https://10.0.0.7:9119", proxied(nil, "HTTPS_PROXY"), "HTTPS_PROXY", "HTTPS_PROXY", "HTTPS_PROXY"},
	"of http, for wss":            {"https://10.0.0.7:9119", proxied(nil, "http_proxy"), "", "", ""},
	"of all":                      {"10.0.0.7:9119", proxied(nil, "ALL_PROXY"), "", "ALL_PROXY", ""},
	"of all, in both cases":       {"10.0.0.7:9119", proxied(nil, "ALL_PROXY", "all_proxy"), "", "all_proxy", ""},
	"of sockets":                  {"10.0.0.7:9119", proxied(nil, "WS_PROXY", "http_proxy"), "http_proxy", "WS_PROXY", "WS_PROXY"},
	"of sockets with TLS":         {"https://10.0.0.7", proxied(nil, "wss_proxy", "https_proxy"), "https_proxy", "wss_proxy", "wss_proxy"},
	"SOCKS":                       {"10.0.0.7:9119", proxied(nil, "SOCKS_PROXY", "https_proxy"), "", "", "SOCKS_PROXY"},
	"a value that is no URL":      {"10.0.0.7:9119", map[string]string{"http_proxy": "%zz"}, "", "http_proxy", "http_proxy"},
	"loopback":                    {"127.0.0.1:9119", proxied(nil, "http_proxy"), "", "http_proxy", "http_proxy"},
	"IPv6 loopback":               {"[::1]:9119", proxied(nil, "http_proxy"), "", "http_proxy", "http_proxy"},
	"localhost":                   {"localhost:9119", proxied(nil, "http_proxy"), "", "http_proxy", "http_proxy"},
	"localhost with a dot":        {"localhost.:9119", proxied(nil, "http_proxy"), "http_proxy", "http_proxy", "http_proxy"},
	"excepted":                    {"10.0.0.7:9119", proxied(map[string]string{"no_proxy": "10.0.0.7"}, "http_proxy"), "", "", ""},
	"excepted in upper case":      {"10.0.0.7:9119", proxied(map[string]string{"NO_PROXY": "a, 10.0.0.7"}, "http_proxy"), "", "", ""},
	"excepted where nobody looks": {"10.0.0.7:9119", proxied(map[string]string{"no_proxy": "a", "NO_PROXY": "10.0.0.7"}, "http_proxy"), "http_proxy", "http_proxy", "http_proxy"},
	"excepted, lower is empty":    {"10.0.0.7:9119", proxied(map[string]string{"no_proxy": "", "NO_PROXY": "10.0.0.7"}, "http_proxy"), "", "", "http_proxy"},
	"excepted with its port":      {"10.0.0.7:9119", proxied(map[string]string{"no_proxy": "10.0.0.7:9119"}, "http_proxy"), "", "http_proxy", ""},
	"excepted with another port":  {"10.0.0.7:9119", proxied(map[string]string{"no_proxy": "10.0.0.7:1"}, "http_proxy"), "http_proxy", "http_proxy", "http_proxy"},
	"port of the scheme":          {"http://edge.example", proxied(map[string]string{"no_proxy": "edge.example:80"}, "http_proxy"), "", "http_proxy", ""},
	"network":                     {"10.0.0.7:9119", proxied(map[string]string{"no_proxy": "10.0.0.0/8"}, "http_proxy"), "", "", "http_proxy"},
	"odd network":                 {"10.0.0.7:9119", proxied(map[string]string{"no_proxy": "10.0.0.0/29"}, "http_proxy"), "", "", "http_proxy"},
	"other network":               {"10.0.0.9:9119", proxied(map[string]string{"no_proxy": "10.0.0.0/29"}, "http_proxy"), "http_proxy", "http_proxy", "http_proxy"},
	"network of all":              {"10.0.0.7:9119", proxied(map[string]string{"no_proxy": "0.0.0.0/0"}, "http_proxy"), "", "http_proxy", "http_proxy"},
	"network that is none":        {"10.0.0.7:9119", proxied(map[string]string{"no_proxy": "10.0.0.0/,10.0.0.0/x,10.0.0.0/33"}, "http_proxy"), "http_proxy", "http_proxy", "http_proxy"},
	"IPv6 network":                {"[fd00::7]:9119", proxied(map[string]string{"no_proxy": "fd00::/8"}, "http_proxy"), "", "http_proxy", "http_proxy"},
	"IPv6, written otherwise":     {"[fd00::7]:9119", proxied(map[string]string{"no_proxy": "FD00:0:0::7"}, "http_proxy"), "", "http_proxy", "http_proxy"},
	"IPv6 in upper case":          {"[fd00::7]:9119", proxied(map[string]string{"no_proxy": "FD00::7"}, "http_proxy"), "", "", ""},
	"IPv6 in brackets":            {"[fd00::7]:9119", proxied(map[string]string{"no_proxy": "[fd00::7]"}, "http_proxy"), "http_proxy", "http_proxy", "http_proxy"},
	"IPv6 with a zone":            {"[fe80::1%eth0]:9119", proxied(map[string]string{"no_proxy": "fe80::1"}, "http_proxy"), "", "", "http_proxy"},
	"IPv6 with an escaped zone":   {"[fe80::1%eth0]:9119", proxied(map[string]string{"no_proxy": "fe80::1%25eth0"}, "http_proxy"), "http_proxy", "http_proxy", ""},
	"port of the scheme with TLS": {"https://edge.example", proxied(map[string]string{"no_proxy": "edge.example:443"}, "https_proxy"), "", "https_proxy", ""},
	"domain":                      {"a.edge.example:9119", proxied(map[string]string{"no_proxy": "edge.example"}, "http_proxy"), "", "", ""},
	"domain with a dot":           {"a.edge.example:9119", proxied(map[string]string{"no_proxy": ".EDGE.example"}, "http_proxy"), "", "", ""},
	"domain itself with a dot":    {"edge.example:9119", proxied(map[string]string{"no_proxy": ".edge.example"}, "http_proxy"), "http_proxy", "", ""},
	"domain with an asterisk":     {"a.edge.example:9119", proxied(map[string]string{"no_proxy": "*.edge.example"}, "http_proxy"), "", "http_proxy", "http_proxy"},
	"not quite the domain":        {"wedge.example:9119", proxied(map[string]string{"no_proxy": "edge.example"}, "http_proxy"), "http_proxy", "http_proxy", "http_proxy"},
	"name with a final dot":       {"edge.example.:9119", proxied(map[string]string{"no_proxy": "edge.example"}, "http_proxy"), "http_proxy", "", "http_proxy"},
	"entry with a final dot":      {"edge.example:9119", proxied(map[string]string{"no_proxy": "edge.example."}, "http_proxy"), "http_proxy", "", "http_proxy"},
	"everything":                  {"10.0.0.7:9119", proxied(map[string]string{"no_proxy": "*"}, "http_proxy"), "", "", ""},
	"everything, in a list":       {"10.0.0.7:9119", proxied(map[string]string{"no_proxy": "a,*"}, "http_proxy"), "", "http_proxy", "http_proxy"},
	"separated by blanks":         {"10.0.0.7:9119", proxied(map[string]string{"no_proxy": "a 10.0.0.7"}, "http_proxy"), "http_proxy", "http_proxy", "http_proxy"},
	"blanks around commas":        {"10.0.0.7:9119", proxied(map[string]string{"no_proxy": "\ta\t,, 10.0.0.7 "}, "http_proxy"), "", "", ""},
	"request of a web server":     {"10.0.0.7:9119", proxied(map[string]string{"REQUEST_METHOD": "GET"}, "HTTP_PROXY"), "HTTP_PROXY", "", ""},
	"the same with https":         {"https://10.0.0.7", proxied(map[string]string{"REQUEST_METHOD": "GET"}, "HTTPS_PROXY"), "HTTPS_PROXY", "HTTPS_PROXY", "HTTPS_PROXY"},
}

// TestProxy: which variable catches a child. What it says holds no value of a variable, since those hold passwords.
func TestProxy(t *testing.T) {
	t.Parallel()
	for name, test := range children {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := map[string]string{"go": test.golang, "curl": test.curl, "python": test.python}
			for _, check := range proxyChecks(t, test.override, test.env) {
				variable := want[check.Client]
				switch {
				case variable == "" && (check.Status != doctor.StatusOK || check.Advice != ""):
					t.Errorf("got %+v, want it direct", check)
				case variable != "" && (check.Status != doctor.StatusWarning || !strings.Contains(check.Finding, variable)):
					t.Errorf("got %+v, want it caught by %s", check, variable)
				case strings.Contains(check.Finding+check.Advice, marker):
					t.Errorf("got %+v, which shows the proxy's password", check)
				}
			}
		})
	}
}

// proxyChecks are those of a child that dials an override. Nothing else of the doctor's is looked at.
func proxyChecks(t *testing.T, override string, env map[string]string) []doctor.Check {
	t.Helper()
	answer, err := connectTo(t, server.Listener{Override: override}).Resolve(t.Context(), client.Request{})
	must(t, err)
	return doctor.Proxies(answer, lookupIn(env))
}

// TestProxyAdvice: who follows it goes direct, unless it says that it does not help.
func TestProxyAdvice(t *testing.T) {
	t.Parallel()
	for name, test := range children {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, check := range proxyChecks(t, test.override, test.env) {
				if check.Status == doctor.StatusOK {
					continue
				}
				after := proxyChecks(t, test.override, followed(t, test.env, check.Advice))
				if i := slices.IndexFunc(after, func(c doctor.Check) bool { return c.Client == check.Client }); after[i].Status != doctor.StatusOK {
					t.Errorf("%s: advice %q led to %+v", check.Client, check.Advice, after[i])
				}
			}
		})
	}
}

// followed is an environment after the advice.
func followed(t *testing.T, env map[string]string, advice string) map[string]string {
	t.Helper()
	after := maps.Clone(env)
	if variable, found := strings.CutPrefix(advice, "start the child without "); found {
		variable, _, _ = strings.Cut(variable, ":")
		maps.DeleteFunc(after, func(name, _ string) bool { return strings.EqualFold(name, variable) })
		return after
	}
	entries, found := strings.CutPrefix(advice, "add ")
	entries, _, cut := strings.Cut(entries, " to NO_PROXY and no_proxy, or start the child with 'dialpoint exec'")
	if !found || !cut {
		t.Fatalf("nobody can follow %q", advice)
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		list := env[name]
		for _, other := range []string{"NO_PROXY", "no_proxy"} {
			if list == "" {
				list = env[other]
			}
		}
		after[name] = strings.TrimRight(list, ", ") + "," + entries
	}
	return after
}

// TestProxyAdviceWording for those whom an entry helps and those whom it does not.
func TestProxyAdviceWording(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		override, client string
		env              map[string]string
		finding, advice  string
	}{
		"address": {
			"127.0.0.1:9119", "curl", proxied(nil, "http_proxy"),
			"http_proxy sends clients like curl to a proxy",
			"add 127.0.0.1 to NO_PROXY and no_proxy, or start the child with 'dialpoint exec', which does",
		},
		"IPv6": {
			"[::1]:9119", "python", proxied(nil, "HTTPS_PROXY"),
			"HTTPS_PROXY sends clients like Python's to a proxy",
			"add ::1,[::1] to NO_PROXY and no_proxy, or start the child with 'dialpoint exec', which does",
		},
		"list with blanks": {
			"127.0.0.1:9119", "curl", proxied(map[string]string{"no_proxy": "a b"}, "ALL_PROXY"),
			"ALL_PROXY sends clients like curl to a proxy",
			"start the child without ALL_PROXY: adding 127.0.0.1 to NO_PROXY and no_proxy would not help",
		},
		"request of a web server": {
			"127.0.0.1:9119", "go", proxied(map[string]string{"REQUEST_METHOD": "GET"}, "HTTP_PROXY"),
			"clients like Go's refuse to connect while both HTTP_PROXY and REQUEST_METHOD are set",
			"start the child without HTTP_PROXY: adding 127.0.0.1 to NO_PROXY and no_proxy would not help",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, check := range proxyChecks(t, test.override, test.env) {
				if check.Client == test.client && (check.Finding != test.finding || check.Advice != test.advice) {
					t.Errorf("got %+v, want %+v", check, test)
				}
			}
		})
	}
}
