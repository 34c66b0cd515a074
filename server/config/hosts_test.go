package config_test

import (
	"strings"
	"testing"
)

func TestAllowedHosts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		said string
		want []string
	}{
		"not said":          {"", nil},
		"none":              {"[]", nil},
		"name":              {"[edge.example]", []string{"edge.example"}},
		"in order":          {"[b, a, c]", []string{"b", "a", "c"}},
		"capitals":          {"[Edge.EXAMPLE]", []string{"edge.example"}},
		"white space":       {"[' edge.example ']", []string{"edge.example"}},
		"trailing dot":      {"[edge.example.]", []string{"edge.example."}},
		"internationalized": {"[bücher.example]", []string{"xn--bcher-kva.example"}},
		"underscore":        {"[dial_point]", []string{"dial_point"}},
		"IPv4":              {"[192.0.2.1]", []string{"192.0.2.1"}},
		"IPv4, mapped":      {"['::ffff:192.0.2.1']", []string{"192.0.2.1"}},
		"IPv6":              {"['2001:DB8::0:5', '[::1]']", []string{"2001:db8::5", "::1"}},
		"each once":         {"[a, A, '::1', '[0:0:0:0:0:0:0:1]', b, a]", []string{"a", "::1", "b"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loaded := loadYAML(t, "serve: {allowed_hosts: "+test.said+"}\nlisteners: [{auth: {mode: none}}]")
			wantList(t, "hosts", loaded.Serve.AllowedHosts, test.want)
			wantList(t, "warnings", loaded.Warnings, nil)
		})
	}
}

func TestBadAllowedHosts(t *testing.T) {
	t.Parallel()
	const todo = ": name a host or an address alone, such as dialpoint.example, without port, scheme or wildcard"
	tests := map[string]struct{ said, want string }{
		"empty":             {"", `"" is no host: it is empty`},
		"blank":             {" ", `" " is no host: it is empty`},
		"port":              {"edge.example:9118", `"edge.example:9118" is no host: it holds a colon, and is no IPv6 address`},
		"IPv6 with port":    {"[::1]:9118", `"[::1]:9118" is no host: it holds [`},
		"URL":               {"https://edge.example", `"https://edge.example" is no host: it holds a colon, and is no IPv6 address`},
		"user info":         {"https://u:s3cr3t@edge.example", `"https://REDACTED@edge.example" is no host: it holds a colon, and is no IPv6 address`},
		"path":              {"edge.example/x", `"edge.example/x" is no host: it holds /`},
		"network":           {"10.0.0.0/8", `"10.0.0.0/8" is no host: it holds /`},
		"any name below":    {"*.example", `"*.example" is no host: it holds *`},
		"all names below":   {".example", `".example" is no host: it has an empty label`},
		"star":              {"*", `"*": is a wildcard, which no client names`},
		"IPv4 wildcard":     {"0.0.0.0", `"0.0.0.0": is a wildcard, which no client names`},
		"IPv4 wildcard, 0":  {"0", `"0": is a wildcard, which no client names`},
		"IPv6 wildcard":     {"[::]", `"[::]": is a wildcard, which no client names`},
		"variable":          {"${HOST}", `"${HOST}" is no host: it holds a $: was a variable not expanded?`},
		"two in one":        {"a, b", `"a, b" is no host: it holds ,`},
		"half an address":   {"127.1", `"127.1" is no host: it ends in a number, and is no IPv4 address in the form 192.0.2.1`},
		"control character": {"a\tb", `"a\tb" is no host: it holds white space`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content := document{"serve": document{"allowed_hosts": []any{"good.example", test.said}}}
			encoded, err := formats["dialpoint.json"](content)
			must(t, err)
			wantText(t, loadError(t, fileSources(t, "a.json", string(encoded))), "file FILE: serve.allowed_hosts[1]: "+test.want+todo)
		})
	}
}

// TestEveryBadHost checks that one does not hide another, and that what is no text is told of once.
func TestEveryBadHost(t *testing.T) {
	t.Parallel()
	got := loadErrorYAML(t, "serve: {allowed_hosts: ['a b', good, 1, '*']}")
	want := []string{"file FILE: serve.allowed_hosts[2]: 1: ", "file FILE: serve.allowed_hosts[0]: ", "file FILE: serve.allowed_hosts[3]: "}
	lines := strings.Split(got, "\n")
	if len(lines) != len(want) {
		t.Fatalf("there are %d lines, want %d:\n%s", len(lines), len(want), got)
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, want[i]) {
			t.Errorf("line %d is %s, want %s", i, line, want[i])
		}
	}
}

func TestAllowedHostsWithoutTCP(t *testing.T) {
	t.Parallel()
	loaded := loadYAML(t, "serve: {tcp: none, allowed_hosts: [a]}\nlisteners: [{auth: {mode: none}}]")
	wantList(t, "warnings", loaded.Warnings, []string{"serve.allowed_hosts has no effect, since serve.tcp is none"})
}
