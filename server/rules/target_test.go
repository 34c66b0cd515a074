package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"dialpoint/server/rules"
)

func TestParseTarget(t *testing.T) {
	t.Parallel()
	type target = rules.Target
	edge, v6 := host(t, "edge.example"), host(t, "2001:db8::5")
	zoned := host(t, "fe80::1%eth0")
	tests := map[string]struct {
		text string
		want target
	}{
		"host":                       {"edge.example", target{Host: edge}},
		"host in capitals":           {"EDGE.example", target{Host: edge}},
		"address":                    {"10.0.0.7", target{Host: host(t, "10.0.0.7")}},
		"host and port":              {"10.0.0.7:9443", target{Host: host(t, "10.0.0.7"), Port: 9443}},
		"lowest port":                {"edge.example:1", target{Host: edge, Port: 1}},
		"highest port":               {"edge.example:65535", target{Host: edge, Port: 65535}},
		"IPv6":                       {"2001:db8::5", target{Host: v6}},
		"IPv6 in brackets":           {"[2001:db8::5]", target{Host: v6}},
		"IPv6 and port":              {"[2001:db8::5]:9443", target{Host: v6, Port: 9443}},
		"zone":                       {"fe80::1%eth0", target{Host: zoned}},
		"zone and port":              {"[fe80::1%eth0]:9443", target{Host: zoned, Port: 9443}},
		"name in brackets and port":  {"[edge.example]:9443", target{Host: edge, Port: 9443}},
		"loopback":                   {"127.0.0.1", target{Host: host(t, "127.0.0.1")}},
		"ws":                         {"ws://edge.example", target{Scheme: "ws", Host: edge}},
		"wss":                        {"wss://edge.example", target{Scheme: "wss", Host: edge}},
		"http is ws":                 {"http://edge.example", target{Scheme: "ws", Host: edge}},
		"https is wss":               {"https://edge.example", target{Scheme: "wss", Host: edge}},
		"scheme in capitals":         {"HTTPS://edge.example", target{Scheme: "wss", Host: edge}},
		"URL and port":               {"http://edge.example:8080", target{Scheme: "ws", Host: edge, Port: 8080}},
		"URL and its default port":   {"https://edge.example:443", target{Scheme: "wss", Host: edge, Port: 443}},
		"URL and the root":           {"https://edge.example/", target{Scheme: "wss", Host: edge, HasPrefix: true}},
		"URL and many slashes":       {"https://edge.example///", target{Scheme: "wss", Host: edge, HasPrefix: true}},
		"URL and prefix":             {"https://edge.example/hermes", target{Scheme: "wss", Host: edge, Prefix: "/hermes", HasPrefix: true}},
		"URL and prefix and slash":   {"https://edge.example/hermes/", target{Scheme: "wss", Host: edge, Prefix: "/hermes", HasPrefix: true}},
		"URL and long prefix":        {"ws://edge.example:81//a///b/", target{Scheme: "ws", Host: edge, Port: 81, Prefix: "/a/b", HasPrefix: true}},
		"URL and IPv6":               {"ws://[2001:db8::5]", target{Scheme: "ws", Host: v6}},
		"URL and IPv6 and port":      {"ws://[2001:db8::5]:81/", target{Scheme: "ws", Host: v6, Port: 81, HasPrefix: true}},
		"URL and escaped zone":       {"ws://[fe80::1%25eth0]:81", target{Scheme: "ws", Host: zoned, Port: 81}},
		"URL and plain zone":         {"ws://[fe80::1%eth0]:81", target{Scheme: "ws", Host: zoned, Port: 81}},
		"URL and numbered zone":      {"ws://[fe80::1%2525]", target{Scheme: "ws", Host: host(t, "fe80::1%25")}},
		"URL and international name": {"https://bücher.example/é", target{Scheme: "wss", Host: host(t, "xn--bcher-kva.example"), Prefix: "/%C3%A9", HasPrefix: true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := rules.ParseTarget(test.text)
			if err != nil {
				t.Fatal(err)
			}
			test.want.Text = test.text
			if diff := cmp.Diff(test.want, got, sameHosts); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if got.IsZero() {
				t.Error("it must be a target")
			}
		})
	}
}

func TestParseTargetTrims(t *testing.T) {
	t.Parallel()
	got, err := rules.ParseTarget("\t10.0.0.7:80 \r\n")
	if err != nil {
		t.Fatal(err)
	}
	want := rules.Target{Text: "10.0.0.7:80", Host: host(t, "10.0.0.7"), Port: 80}
	if diff := cmp.Diff(want, got, sameHosts); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestBlankIsNoTarget(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"empty": "", "spaces": "   ", "tab": "\t", "carriage return": "\r", "all": " \t\r\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := rules.ParseTarget(text)
			if err != nil || !got.IsZero() || got != (rules.Target{}) {
				t.Errorf("got %+v and error %v, want nothing", got, err)
			}
		})
	}
}

func TestParseTargetRefuses(t *testing.T) {
	t.Parallel()
	const (
		wildcard = "a wildcard can be bound but not dialled; leave it out to let loopback take its place"
		userInfo = "it may hold no user info"
		query    = "it may hold no query and no fragment"
		scheme   = "its scheme must be ws, wss, http or https"
		brackets = "an IPv6 address in a URL needs brackets (RFC 3986, section 3.2.2)"
		noPort   = " is no port: it must be a number from 1 to 65535"
		noPath   = " is no path: it may hold no \".\", \"..\" or wrongly escaped part, and none of ?#[]\\\"<>^`{|} or white space"
	)
	tests := map[string]struct{ text, quoted, problem string }{
		"wildcard":                   {"0.0.0.0", `"0.0.0.0"`, wildcard},
		"wildcard and port":          {"0.0.0.0:80", `"0.0.0.0:80"`, wildcard},
		"zero":                       {"0", `"0"`, wildcard},
		"star":                       {"*", `"*"`, wildcard},
		"star and port":              {"*:80", `"*:80"`, wildcard},
		"IPv6 wildcard":              {"::", `"::"`, wildcard},
		"IPv6 wildcard and port":     {"[::]:80", `"[::]:80"`, wildcard},
		"IPv6 wildcard with zone":    {"::%eth0", `"::%eth0"`, wildcard},
		"IPv4-mapped wildcard":       {"::ffff:0.0.0.0", `"::ffff:0.0.0.0"`, wildcard},
		"wildcard in URL":            {"ws://0.0.0.0:80/x", `"ws://0.0.0.0:80/x"`, wildcard},
		"IPv6 wildcard in URL":       {"https://[::0]/", `"https://[::0]/"`, wildcard},
		"zero in URL":                {"http://0", `"http://0"`, wildcard},
		"user info":                  {"u:hunter2@x", `"REDACTED@x"`, userInfo},
		"user info in URL":           {"ws://u:hunter2@x/y", `"ws://REDACTED@x/y"`, userInfo},
		"user info of unknown URL":   {"ftp://u:hunter2@x", `"REDACTED@x"`, userInfo},
		"user info with two signs":   {"ws://u:hunter2@hunter2@x", `"ws://REDACTED@x"`, userInfo},
		"user info that is empty":    {"@x", `"REDACTED@x"`, userInfo},
		"user info and query":        {"ws://hunter2@x?t=hunter2", `"ws://REDACTED@x?REDACTED"`, userInfo},
		"query with a sign":          {"ws://x?t=u@hunter2", `"ws://REDACTED"`, userInfo},
		"user info with a mark":      {"ws://u:hun?ter2@x", `"ws://REDACTED"`, userInfo},
		"user info with a slash":     {"u:p://hunter2@x", `"REDACTED@x"`, userInfo},
		"query":                      {"ws://x/y?token=hunter2", `"ws://x/y?REDACTED"`, query},
		"query without URL":          {"x?token=hunter2", `"x?REDACTED"`, query},
		"query that is empty":        {"ws://x?", `"ws://x?REDACTED"`, query},
		"fragment":                   {"ws://x#hunter2", `"ws://x#REDACTED"`, query},
		"fragment with a query":      {"ws://x#a?hunter2", `"ws://x#REDACTED"`, query},
		"another scheme":             {"ftp://x", `"ftp://x"`, scheme},
		"Kubernetes service port":    {"tcp://10.96.0.1:80", `"tcp://10.96.0.1:80"`, scheme},
		"no scheme":                  {"://x", `"://x"`, scheme},
		"URL without a host":         {"ws://", `"ws://"`, `"" is no host: it is empty`},
		"URL with a path alone":      {"ws:///x", `"ws:///x"`, `"" is no host: it is empty`},
		"URL with a port alone":      {"ws://:80", `"ws://:80"`, `"" is no host: it is empty`},
		"port alone":                 {":80", `":80"`, `"" is no host: it is empty`},
		"brackets alone":             {"[]:80", `"[]:80"`, `"[]" is no host: it is empty`},
		"port that is empty":         {"x:", `"x:"`, `""` + noPort},
		"port that is empty in URL":  {"ws://x:/y", `"ws://x:/y"`, `""` + noPort},
		"port zero":                  {"x:0", `"x:0"`, `"0"` + noPort},
		"port too high":              {"x:65536", `"x:65536"`, `"65536"` + noPort},
		"port with a sign":           {"x:+80", `"x:+80"`, `"+80"` + noPort},
		"port by name":               {"x:http", `"x:http"`, `"http"` + noPort},
		"IPv6 without brackets":      {"ws://::1/x", `"ws://::1/x"`, brackets},
		"IPv6 without, and port":     {"ws://::1:9119/x", `"ws://::1:9119/x"`, brackets},
		"text after brackets":        {"[::1]x:80", `"[::1]x:80"`, `it holds [`},
		"port right after brackets":  {"[::1]80", `"[::1]80"`, `it holds [`},
		"bracket that never closes":  {"[::1:80", `"[::1:80"`, `it holds [`},
		"escaped address":            {"ws://[%32::1]", `"ws://[%32::1]"`, `"[%32::1]" is no host: it holds %`},
		"escaped name":               {"ws://[a%62.example]", `"ws://[a%62.example]"`, `"[a%62.example]" is no host: it holds %`},
		"escaped user info":          {"ws://u%40x", `"ws://u%40x"`, `"u%40x" is no host: it holds %`},
		"variable":                   {"${HOST}", `"${HOST}"`, `it holds a $: was a variable not expanded?`},
		"variable in URL":            {"ws://$HOST:80/", `"ws://$HOST:80/"`, `"$HOST" is no host: it holds a $: was a variable not expanded?`},
		"space inside":               {"a b", `"a b"`, `it holds white space`},
		"quotes":                     {`"10.0.0.7"`, `"\"10.0.0.7\""`, `it holds a quote`},
		"path without URL":           {"x/y", `"x/y"`, `it holds /`},
		"host with a backslash":      {`ws://x\y`, `"ws://x\\y"`, `"x\\y" is no host: it holds \`},
		"numeric host":               {"127.1:80", `"127.1:80"`, `"127.1" is no host: it ends in a number, and is no IPv4 address in the form 192.0.2.1`},
		"prefix with dots":           {"ws://x/a/../b", `"ws://x/a/../b"`, `"a/../b"` + noPath},
		"prefix with escaped dots":   {"ws://x/%2E%2e", `"ws://x/%2E%2e"`, `"%2E%2e"` + noPath},
		"prefix wrongly escaped":     {"ws://x/a%2", `"ws://x/a%2"`, `"a%2"` + noPath},
		"prefix with a space inside": {"ws://x/a b", `"ws://x/a b"`, `"a b"` + noPath},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := rules.ParseTarget(test.text)
			wantError(t, err, test.quoted+" is no target: "+test.problem)
			if got != (rules.Target{}) {
				t.Errorf("got %+v beside the error", got)
			}
		})
	}
}
