package rules_test

import (
	"net/netip"
	"strings"
	"testing"

	"dialpoint/server/rules"
)

func FuzzParseHost(f *testing.F) {
	for _, text := range []string{
		"0.0.0.0", "::", "[::0]", "::ffff:0.0.0.0", "*", "0", "127.0.0.1", "2001:db8::5", "fe80::1%eth0", "::%eth0", "localhost.",
		"bücher.example", "İ.example", "xn--bcher-kva", "a_b", "０.0.0.0", "0x7f.1", "[[::1]]", "u:p@x", "${HOST}", "a b", "\xff", "faß.de", "a。b",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := rules.ParseHost(text)
		checkNoUserInfo(t, text, func(text string) error { _, err := rules.ParseHost(text); return err })
		if err != nil {
			return
		}
		checkCanonical(t, parsed)
		if again, err := rules.ParseHost(text); err != nil || again != parsed {
			t.Errorf("%q is %v, then %v and error %v", text, parsed, again, err)
		}
	})
}

// checkCanonical holds a host to its promises: its plain form and its place in a URL read back to the same host, and it
// is a wildcard when package netip says so.
func checkCanonical(t *testing.T, parsed rules.Host) {
	t.Helper()
	plain := parsed.String()
	if again, err := rules.ParseHost(plain); err != nil || again != parsed {
		t.Errorf("%q reads back as %q and error %v", plain, again, err)
	}
	addr, err := netip.ParseAddr(plain)
	unspecified := err == nil && addr.Unmap().WithZone("").IsUnspecified() || plain == "*"
	if parsed.IsWildcard() != unspecified {
		t.Errorf("%q: wildcard is %v", plain, parsed.IsWildcard())
	}
	if unspecified {
		return
	}
	checkAuthority(t, parsed)
}

// checkAuthority checks that net/url, which most Go children dial with, sees the host that we mean.
func checkAuthority(t *testing.T, parsed rules.Host) {
	t.Helper()
	text := "ws://" + parsed.Authority()
	if seen := parse(t, text).Hostname(); seen != parsed.String() {
		t.Errorf("net/url sees host %q in %s, want %q", seen, text, parsed)
	}
	if again, err := rules.ParseTarget(text + ":80/"); err != nil || again.Host != parsed {
		t.Errorf("%q reads back as %q and error %v", text, again.Host, err)
	}
}

// checkNoUserInfo puts a secret into the user info, where there is any, and looks for it in the error.
func checkNoUserInfo(t *testing.T, text string, read func(string) error) {
	t.Helper()
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return
	}
	if err := read(text[:at] + hunter2 + text[at:]); err != nil && strings.Contains(err.Error(), hunter2) {
		t.Errorf("the user info shows in %v", err)
	}
}
