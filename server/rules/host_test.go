package rules_test

import (
	"net/netip"
	"testing"

	"dialpoint/server/rules"
)

func TestParseHost(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text, plain, authority string
	}{
		"IPv4":                        {"192.168.1.5", "192.168.1.5", "192.168.1.5"},
		"IPv4 in brackets":            {"[10.0.0.7]", "10.0.0.7", "10.0.0.7"},
		"IPv4 loopback":               {"127.0.0.1", "127.0.0.1", "127.0.0.1"},
		"another IPv4 loopback":       {"127.0.0.2", "127.0.0.2", "127.0.0.2"},
		"shared address space":        {"100.64.3.7", "100.64.3.7", "100.64.3.7"},
		"broadcast":                   {"255.255.255.255", "255.255.255.255", "255.255.255.255"},
		"IPv4-mapped":                 {"::ffff:10.0.0.7", "10.0.0.7", "10.0.0.7"},
		"IPv4-mapped in hex":          {"::ffff:a00:7", "10.0.0.7", "10.0.0.7"},
		"IPv4-mapped with a zone":     {"::ffff:10.0.0.7%eth0", "10.0.0.7", "10.0.0.7"},
		"IPv6":                        {"2001:db8::5", "2001:db8::5", "[2001:db8::5]"},
		"IPv6 in brackets":            {"[2001:db8::5]", "2001:db8::5", "[2001:db8::5]"},
		"IPv6 in capitals":            {"2001:DB8::A", "2001:db8::a", "[2001:db8::a]"},
		"IPv6 in full":                {"2001:0db8:0000:0000:0000:0000:0000:0005", "2001:db8::5", "[2001:db8::5]"},
		"IPv6 ending in IPv4":         {"64:ff9b::192.0.2.33", "64:ff9b::c000:221", "[64:ff9b::c000:221]"},
		"IPv6 loopback":               {"::1", "::1", "[::1]"},
		"IPv6 loopback in full":       {"0:0:0:0:0:0:0:1", "::1", "[::1]"},
		"zone":                        {"fe80::1%eth0", "fe80::1%eth0", "[fe80::1%25eth0]"},
		"zone in brackets":            {"[fe80::1%eth0]", "fe80::1%eth0", "[fe80::1%25eth0]"},
		"zone keeps its case":         {"fe80::1%Eth0.100", "fe80::1%Eth0.100", "[fe80::1%25Eth0.100]"},
		"zone by number":              {"fe80::1%25", "fe80::1%25", "[fe80::1%2525]"},
		"name":                        {"fly-app.example.dev", "fly-app.example.dev", "fly-app.example.dev"},
		"name in capitals":            {"LOCALHOST", "localhost", "localhost"},
		"name with a trailing dot":    {"Edge.Example.", "edge.example.", "edge.example."},
		"name with an underscore":     {"my_service", "my_service", "my_service"},
		"name that begins in digits":  {"4ever.example", "4ever.example", "4ever.example"},
		"name with digits in between": {"10.0.0.example", "10.0.0.example", "10.0.0.example"},
		"name that looks like hex":    {"0xg", "0xg", "0xg"},
		"two hyphens in a row":        {"r3---sn.example", "r3---sn.example", "r3---sn.example"},
		"name in brackets":            {"[edge.example]", "edge.example", "edge.example"},
		"spaces around":               {"  10.0.0.7 ", "10.0.0.7", "10.0.0.7"},
		"tab and carriage return":     {"\t10.0.0.7\r\n", "10.0.0.7", "10.0.0.7"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parsed, err := rules.ParseHost(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if parsed.String() != test.plain || parsed.Authority() != test.authority {
				t.Errorf("got %s and %s, want %s and %s", parsed, parsed.Authority(), test.plain, test.authority)
			}
			if parsed.IsWildcard() || parsed.IsZero() {
				t.Error("it must be a host that can be dialled")
			}
			if again := host(t, parsed.String()); again != parsed {
				t.Errorf("its canonical form reads back as %v", again)
			}
		})
	}
}

func TestWildcards(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, plain string }{
		"IPv4":                        {"0.0.0.0", "0.0.0.0"},
		"IPv4 in brackets":            {"[0.0.0.0]", "0.0.0.0"},
		"zero":                        {"0", "0.0.0.0"},
		"star":                        {"*", "*"},
		"star in brackets":            {"[*]", "*"},
		"empty":                       {"", "*"},
		"IPv6":                        {"::", "::"},
		"IPv6 in brackets":            {"[::]", "::"},
		"IPv6 and a zero":             {"::0", "::"},
		"IPv6 in full":                {"0:0:0:0:0:0:0:0", "::"},
		"IPv6 in full with zeros":     {"0000:0000:0000:0000:0000:0000:0000:0000", "::"},
		"IPv6 ending in IPv4":         {"::0.0.0.0", "::"},
		"IPv6 with a zone":            {"::%eth0", "::"},
		"IPv4-mapped":                 {"::ffff:0.0.0.0", "0.0.0.0"},
		"IPv4-mapped in hex":          {"::ffff:0:0", "0.0.0.0"},
		"IPv4-mapped with a zone":     {"::ffff:0.0.0.0%eth0", "0.0.0.0"},
		"IPv4-mapped in brackets":     {"[::FFFF:0.0.0.0]", "0.0.0.0"},
		"white space around":          {" 0.0.0.0\r", "0.0.0.0"},
		"IPv6 in brackets and spaces": {"\t[::] ", "::"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parsed := host(t, test.text)
			if !parsed.IsWildcard() {
				t.Error("it must be a wildcard")
			}
			if parsed.IsLoopback() {
				t.Error("a wildcard is no loopback")
			}
			if parsed.String() != test.plain {
				t.Errorf("got %s, want %s", parsed, test.plain)
			}
			if again := host(t, parsed.String()); again != parsed {
				t.Errorf("its canonical form reads back as %v", again)
			}
		})
	}
}

func TestNearWildcardsAreNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"127.0.0.2", "10.0.0.0", "0.0.0.1", "0.0.0.0.example", "::2", "::1", "::ffff:0.0.0.1", "0x0.example"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if host(t, text).IsWildcard() {
				t.Error("it is no wildcard")
			}
		})
	}
}

func TestLoopback(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"127.0.0.1":          true,
		"127.0.0.2":          true,
		"127.255.255.254":    true,
		"::1":                true,
		"::1%lo":             true,
		"::ffff:127.0.0.1":   true,
		"localhost":          true,
		"LocalHost":          true,
		"localhost.":         true,
		"api.localhost":      true,
		"api.localhost.":     true,
		"128.0.0.1":          false,
		"10.0.0.1":           false,
		"::2":                false,
		"::127.0.0.1":        false,
		"notlocalhost":       false,
		"localhost.example":  false,
		"127.0.0.1.example":  false,
		"localhost.example.": false,
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if got := host(t, text).IsLoopback(); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// Spellings of one host are one value, so that == tells whether an answer changed.
func TestHostsAreComparable(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"IPv4":          {"10.0.0.7", "[10.0.0.7]", " ::ffff:10.0.0.7", "::ffff:a00:7"},
		"IPv6":          {"2001:db8::5", "[2001:DB8:0::5]", "2001:db8:0:0:0:0:0:5"},
		"IPv4 wildcard": {"0.0.0.0", "0", "::ffff:0.0.0.0"},
		"IPv6 wildcard": {"::", "::0", "[::]", "::%eth0"},
		"no family":     {"", "*", "[*]"},
		"name":          {"edge.example", "EDGE.example", "ｅｄｇｅ.example", "edge。example"},
		"punycode":      {"bücher.example", "BÜCHER.example", "xn--bcher-kva.example", "XN--BCHER-KVA.example"},
	}
	for name, spellings := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := host(t, spellings[0])
			for _, text := range spellings[1:] {
				if got := host(t, text); got != want {
					t.Errorf("%q is %v, want %v", text, got, want)
				}
			}
		})
	}
}

func TestAddrHost(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"10.0.0.7":            "10.0.0.7",
		"::ffff:10.0.0.7":     "10.0.0.7",
		"0.0.0.0":             "0.0.0.0",
		"::ffff:0.0.0.0":      "0.0.0.0",
		"::":                  "::",
		"::%eth0":             "::",
		"fe80::1%eth0":        "fe80::1%eth0",
		"::ffff:0.0.0.0%eth0": "0.0.0.0",
	}
	for text, spelling := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if got, want := rules.AddrHost(netip.MustParseAddr(text)), host(t, spelling); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestZeroHost(t *testing.T) {
	t.Parallel()
	for name, none := range map[string]rules.Host{"zero value": {}, "of no address": rules.AddrHost(netip.Addr{})} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !none.IsZero() || none.IsWildcard() || none.IsLoopback() || none.String() != "" {
				t.Errorf("%#v is no host at all", none)
			}
		})
	}
}
