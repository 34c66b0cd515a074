package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dialpoint/server/config"
)

func TestTCP(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ said, want string }{
		"loopback":             {"127.0.0.1:9118", "127.0.0.1:9118"},
		"any free port":        {"127.0.0.1:0", "127.0.0.1:0"},
		"another loopback":     {"127.0.0.2:1", "127.0.0.2:1"},
		"IPv6 loopback":        {"[::1]:9118", "[::1]:9118"},
		"IPv6, mapped":         {"[::ffff:127.0.0.1]:1", "127.0.0.1:1"},
		"localhost":            {"localhost:65535", "localhost:65535"},
		"localhost, capitals":  {"LocalHost:1", "localhost:1"},
		"off":                  {"none", ""},
		"white space around":   {" 127.0.0.1:1\t", "127.0.0.1:1"},
		"blank is the default": {" ", "127.0.0.1:9118"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := sources(nil)
			from.Flags = map[string]string{"tcp": test.said}
			loaded := load(t, from)
			wantText(t, loaded.Serve.TCP, test.want)
			if shown, _ := setting(t, loaded, "serve.tcp"); test.want == "" {
				wantText(t, shown, "none")
			}
		})
	}
}

func TestBadTCP(t *testing.T) {
	t.Parallel()
	const form = `: must be host:port, such as 127.0.0.1:9118 or [::1]:9118, or none`
	tests := map[string]struct{ said, want string }{
		"no port":           {"127.0.0.1", `"127.0.0.1"` + form},
		"port alone":        {"9118", `"9118"` + form},
		"IPv6, no brackets": {"::1:9118", `"::1:9118"` + form},
		"URL":               {"http://127.0.0.1:9118", `"http://127.0.0.1:9118"` + form},
		"empty port":        {"127.0.0.1:", `"": must be a port, a number from 0 to 65535`},
		"port too large":    {"127.0.0.1:65536", `"65536": must be a port, a number from 0 to 65535`},
		"port by name":      {"127.0.0.1:http", `"http": must be a port, a number from 0 to 65535`},
		"bad host":          {"a b:1", `"a b" is no host: it holds white space`},
		"off in capitals":   {"None", `"None"` + form},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantText(t, loadError(t, sources(vars{"DIALPOINT_TCP": test.said})), "env DIALPOINT_TCP: "+test.want)
		})
	}
}

// TestTCPWithoutTLS is each kind of address that others can reach: refused, and served when they are trusted.
func TestTCPWithoutTLS(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ said, listen string }{
		"every interface":        {":9118", ":9118"},
		"star":                   {"*:9118", ":9118"},
		"IPv4 wildcard":          {"0.0.0.0:9118", "0.0.0.0:9118"},
		"IPv4 wildcard as 0":     {"0:9118", "0.0.0.0:9118"},
		"IPv6 wildcard":          {"[::]:9118", "[::]:9118"},
		"IPv6 wildcard, in full": {"[0:0:0:0:0:0:0:0]:9118", "[::]:9118"},
		"private address":        {"10.0.0.7:9118", "10.0.0.7:9118"},
		"IPv6 address":           {"[2001:db8::5]:9118", "[2001:db8::5]:9118"},
		"link-local":             {"[fe80::1%eth0]:9118", "[fe80::1%eth0]:9118"},
		"name":                   {"edge.example:9118", "edge.example:9118"},
		"name below localhost":   {"x.localhost:9118", "x.localhost:9118"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := sources(nil)
			from.Flags = map[string]string{"tcp": test.said}
			wantText(t, loadError(t, from), `flag --tcp: "`+test.said+`": needs TLS, since others than this machine can reach it: `+
				`set serve.tls.cert_file and serve.tls.key_file, or listen on loopback, or set serve.tcp_plaintext `+
				`(--tcp-plaintext) if the network is trusted`)

			from.Flags["tcp-plaintext"] = "true"
			loaded := load(t, from)
			wantText(t, loaded.Serve.TCP, test.listen)
			want := "TCP at " + test.listen + " (flag --tcp) has no TLS: whoever can read the network reads tokens and credentials"
			if got := loaded.Warnings[0]; !loaded.Serve.TCPPlaintext || got != want {
				t.Errorf("plaintext is %v, and the warning %q", loaded.Serve.TCPPlaintext, got)
			}
		})
	}
}

// TestPlaintextOnLoopback checks that the flag alone, or TCP turned off, is nothing to warn of.
func TestPlaintextOnLoopback(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1:9118", "none"} {
		from := sources(vars{"DIALPOINT_AUTH_MODE": "none"})
		from.Flags = map[string]string{"tcp": address, "tcp-plaintext": "true"}
		wantList(t, "warnings", load(t, from).Warnings, nil)
	}
}

func TestBadPlaintextFlag(t *testing.T) {
	t.Parallel()
	from := sources(nil)
	from.Flags = map[string]string{"tcp-plaintext": "yes"}
	wantText(t, loadError(t, from), `flag --tcp-plaintext: "yes": must be true or false`)
}

func TestUnix(t *testing.T) {
	t.Parallel()
	dir, err := os.Getwd()
	must(t, err)
	long := "/" + strings.Repeat("x", 106)
	tests := map[string]struct{ said, want string }{
		"absolute":             {"/run/x.sock", "/run/x.sock"},
		"relative":             {"x.sock", filepath.Join(dir, "x.sock")},
		"dots":                 {"/run/../tmp/./x.sock", "/tmp/x.sock"},
		"white space inside":   {"/run/a b.sock", "/run/a b.sock"},
		"as long as can be":    {long, long},
		"off":                  {"none", ""},
		"called none":          {"./none", filepath.Join(dir, "none")},
		"blank is the default": {"", defaultUnix},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := sources(nil)
			from.Flags = map[string]string{"unix": test.said}
			wantText(t, load(t, from).Serve.Unix, test.want)
		})
	}
}

func TestBadUnix(t *testing.T) {
	t.Parallel()
	long := "/" + strings.Repeat("x", 107)
	const tooLong = ": must be at most 107 bytes long, as an absolute path: name a shorter one with serve.unix (--unix, DIALPOINT_UNIX)"
	tests := map[string]struct{ said, want string }{
		"too long": {long, `"` + long + `"` + tooLong},
		"URL":      {"unix:///run/x.sock", `"unix:///run/x.sock": must be a path, without a scheme`},
		"abstract": {"@dialpoint", `"REDACTED@dialpoint": must be the path of a file: no permissions guard an abstract socket`},
		"control":  {"/run/\x01.sock", `"/run/\x01.sock": must be a path of printable characters`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantText(t, loadError(t, sources(vars{"DIALPOINT_UNIX": test.said})), "env DIALPOINT_UNIX: "+test.want)
		})
	}
	from := sources(nil)
	from.DefaultUnix = long
	wantText(t, loadError(t, from), "the default of serve.unix: "+`"`+long+`"`+tooLong)
}

func TestNothingToServe(t *testing.T) {
	t.Parallel()
	const want = "serve.unix and serve.tcp are both none: turn one of them on"
	wantText(t, loadErrorYAML(t, "serve: {unix: none, tcp: none}"), want)
	wantText(t, loadError(t, config.Sources{Flags: map[string]string{"tcp": "none"}}), want)
}

// TestNoSources checks that a loader needs nothing but a place for the tokens.
func TestNoSources(t *testing.T) {
	t.Parallel()
	from := config.Sources{}
	wantText(t, loadError(t, from), noDir)
	from.DefaultUnix = defaultUnix
	loaded := load(t, from)
	wantText(t, loaded.Serve.Unix+" "+loaded.Serve.TCP, defaultUnix+" 127.0.0.1:9118")
	if only(t, loaded).Bind.IsBound() || loaded.File != "" {
		t.Errorf("got %+v, want an unbound listener and no file", loaded)
	}
}

func TestSearchDirs(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", "/not/looked/at")
	wantList(t, "directories", config.SearchDirs("/home/u/.config"), []string{"./", "/home/u/.config/dialpoint", "/etc/dialpoint"})
	wantList(t, "directories without a home", config.SearchDirs(""), []string{"./", "/etc/dialpoint"})
}
