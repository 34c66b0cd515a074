package rules_test

import (
	"testing"

	"dialpoint/server/rules"
)

//nolint:gosmopolitan // International names are what is tested.
func TestInternationalNames(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"umlaut":                    {"bücher.example", "xn--bcher-kva.example"},
		"umlaut, decomposed":        {"bu\u0308cher.example", "xn--bcher-kva.example"},
		"capitals":                  {"BÜCHER.Example", "xn--bcher-kva.example"},
		"sharp s is not ss":         {"faß.de", "xn--fa-hia.de"},
		"Japanese":                  {"日本語.jp", "xn--wgv71a119e.jp"},
		"ideographic full stop":     {"日本語。jp", "xn--wgv71a119e.jp"},
		"right to left":             {"אתר.example", "xn--4db2cf.example"},
		"punycode stays":            {"xn--bcher-kva.example", "xn--bcher-kva.example"},
		"punycode in capitals":      {"XN--BCHER-KVA.example", "xn--bcher-kva.example"},
		"dotted capital I":          {"İ.example", "xn--i-9bb.example"},
		"full width letters":        {"ｅｄｇｅ.example", "edge.example"},
		"Kelvin sign":               {"\u212a.example", "k.example"},
		"underscore beside umlaut":  {"_ü.example", "xn--_-eha.example"},
		"trailing dot":              {"bücher.example.", "xn--bcher-kva.example."},
		"full stop at the very end": {"bücher.example。", "xn--bcher-kva.example."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := host(t, test.text).String(); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// The limits are those of RFC 1035, section 2.3.4. The root's dot does not count.
func TestNameLengths(t *testing.T) {
	t.Parallel()
	const tooLongLabel, tooLongName = "it has a label longer than 63 bytes", "it is longer than 253 bytes"
	tests := map[string]struct{ text, problem string }{
		"label of 63":                 {label(63) + ".example", ""},
		"label of 64":                 {label(64) + ".example", tooLongLabel},
		"last label of 63":            {"edge." + label(63), ""},
		"last label of 64 and a dot":  {"edge." + label(64) + ".", tooLongLabel},
		"only label of 63 and a dot":  {label(63) + ".", ""},
		"name of 253":                 {longName(253), ""},
		"name of 254":                 {longName(254), tooLongName},
		"name of 253 and a dot":       {longName(253) + ".", ""},
		"name of 254 and a dot":       {longName(254) + ".", tooLongName},
		"punycode counts, not runes":  {"ü" + label(58), "it has a label longer than 63 bytes"},
		"punycode of 63":              {"ü" + label(55), ""},
		"name of 250 with two labels": {label(63) + "." + label(64), tooLongLabel},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := rules.ParseHost(test.text)
			switch {
			case test.problem == "" && err != nil:
				t.Error(err)
			case test.problem != "":
				wantError(t, err, shown(test.text)+" is no host: "+test.problem)
			}
		})
	}
}

// shown is a long plain value as an error quotes it.
func shown(text string) string {
	if len(text) > 120 {
		text = text[:120] + "…"
	}
	return `"` + text + `"`
}

func TestParseHostRefuses(t *testing.T) {
	t.Parallel()
	const (
		empty  = "it is empty"
		space  = "it holds white space"
		quotes = "it holds a quote"
		colon  = "it holds a colon, and is no IPv6 address"
		number = "it ends in a number, and is no IPv4 address in the form 192.0.2.1"
		noName = "it holds a character that no host name can"
		hyphen = "it has a label that begins or ends with a hyphen"
		zone   = "its zone may hold letters, digits and . _ ~ - only (RFC 6874)"
		label  = "it has an empty label"
		hidden = "it holds a character that is not printable"
		idn    = "it is no internationalized name (RFC 5891)"
	)
	tests := map[string]struct{ text, quoted, problem string }{
		"blank":                     {" \t", `" \t"`, empty},
		"brackets around nothing":   {"[]", `"[]"`, empty},
		"space inside":              {"a b", `"a b"`, space},
		"no-break space inside":     {"a\u00a0b", `"a\u00a0b"`, space},
		"spaces inside brackets":    {"[ ::1 ]", `"[ ::1 ]"`, space},
		"newline inside":            {"a\nb", `"a\nb"`, space},
		"double quotes":             {`"10.0.0.7"`, `"\"10.0.0.7\""`, quotes},
		"single quote":              {"'localhost", `"'localhost"`, quotes},
		"variable":                  {"${HOST}", `"${HOST}"`, "it holds a $: was a variable not expanded?"},
		"path":                      {"edge.example/hermes", `"edge.example/hermes"`, "it holds /"},
		"backslash":                 {`edge\x`, `"edge\\x"`, `it holds \`},
		"user info":                 {"hunter2@edge", `"REDACTED@edge"`, "it holds @"},
		"user info with a colon":    {"u:hunter2@edge", `"REDACTED@edge"`, colon},
		"query":                     {"edge?token=hunter2", `"edge?REDACTED"`, "it holds ?"},
		"percent sign":              {"a%62.example", `"a%62.example"`, "it holds %"},
		"star inside":               {"*.example", `"*.example"`, "it holds *"},
		"full width star":           {"＊", `"＊"`, noName},
		"full width colon":          {"edge：80", `"edge：80"`, noName},
		"account sign":              {"℀.example", `"℀.example"`, noName},
		"port":                      {"0.0.0.0:9119", `"0.0.0.0:9119"`, colon},
		"port after IPv6":           {"[::1]:9119", `"[::1]:9119"`, "it holds ["},
		"too many colons":           {"1:2:3:4:5:6:7:8:9", `"1:2:3:4:5:6:7:8:9"`, colon},
		"two bracket pairs":         {"[[::1]]", `"[[::1]]"`, "it holds ["},
		"only an opening bracket":   {"[::1", `"[::1"`, "it holds ["},
		"only a closing bracket":    {"::1]", `"::1]"`, colon},
		"zone with a slash":         {"fe80::1%a/b", `"fe80::1%a/b"`, zone},
		"zone with a bracket":       {"fe80::1%a]", `"fe80::1%a]"`, zone},
		"zone with an umlaut":       {"fe80::1%ü", `"fe80::1%ü"`, zone},
		"zone on a wildcard":        {"::%a b", `"::%a b"`, zone},
		"zone that is empty":        {"fe80::1%", `"fe80::1%"`, colon},
		"zone on IPv4":              {"10.0.0.7%eth0", `"10.0.0.7%eth0"`, "it holds %"},
		"two parts":                 {"127.1", `"127.1"`, number},
		"two parts in hex":          {"0x7f.1", `"0x7f.1"`, number},
		"last part in hex":          {"edge.0X7F", `"edge.0X7F"`, number},
		"hex without digits":        {"0x", `"0x"`, number},
		"one number":                {"2130706433", `"2130706433"`, number},
		"many zeros":                {"00", `"00"`, number},
		"five parts":                {"1.2.3.4.5", `"1.2.3.4.5"`, number},
		"part over 255":             {"10.0.0.256", `"10.0.0.256"`, number},
		"leading zero":              {"127.0.0.01", `"127.0.0.01"`, number},
		"wildcard and a dot":        {"0.0.0.0.", `"0.0.0.0."`, number},
		"loopback and a dot":        {"127.0.0.1.", `"127.0.0.1."`, number},
		"zero and a dot":            {"0.", `"0."`, number},
		"full width wildcard":       {"０.０.０.０", `"０.０.０.０"`, number},
		"full width zero":           {"０", `"０"`, number},
		"full width loopback":       {"１２７.0.0.1", `"１２７.0.0.1"`, number},
		"circled zero":              {"⓪.0.0.0", `"⓪.0.0.0"`, number},
		"ideographic dots":          {"0。0。0。0", `"0。0。0。0"`, number},
		"dot":                       {".", `"."`, label},
		"leading dot":               {".edge", `".edge"`, label},
		"two dots":                  {"edge..example", `"edge..example"`, label},
		"two trailing dots":         {"edge..", `"edge.."`, label},
		"soft hyphen alone":         {"\u00ad", `"\u00ad"`, label},
		"leading hyphen":            {"-edge.example", `"-edge.example"`, hyphen},
		"trailing hyphen":           {"edge-.example", `"edge-.example"`, hyphen},
		"hyphen from full width":    {"－edge", `"－edge"`, hyphen},
		"NUL":                       {"a\x00", `"a\x00"`, hidden},
		"DEL":                       {"a\x7f", `"a\x7f"`, hidden},
		"wrong UTF-8":               {"a\xff", `"a\xff"`, hidden},
		"wrong punycode":            {"xn--a", `"xn--a"`, idn},
		"punycode of what is ASCII": {"xn--edge-.example", `"xn--edge-.example"`, idn},
		"both directions":           {"aא.example", `"aא.example"`, idn},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := rules.ParseHost(test.text)
			wantError(t, err, test.quoted+" is no host: "+test.problem)
			if !got.IsZero() {
				t.Errorf("got %v beside the error", got)
			}
		})
	}
}

// The empty string is a wildcard to listening calls, and nothing at all anywhere else.
func TestParseHostRefusesEmpty(t *testing.T) {
	t.Parallel()
	_, err := rules.ParseHost("")
	wantError(t, err, `"" is no host: it is empty`)
}

func TestParseBindHostRefuses(t *testing.T) {
	t.Parallel()
	_, err := rules.ParseBindHost("a b")
	wantError(t, err, `"a b" is no host: it holds white space`)
}
