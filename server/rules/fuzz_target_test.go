package rules_test

import (
	"net/url"
	"strings"
	"testing"

	"dialpoint/server/rules"
)

func FuzzParseTarget(f *testing.F) {
	for _, text := range []string{
		"", " \t\r", "10.0.0.7", "10.0.0.7:9443", "[2001:db8::5]:9443", "::1", "fe80::1%eth0", "[fe80::1%eth0]:80", "edge.example", "ws://edge.example",
		"https://edge.example/hermes/", "http://[fe80::1%25eth0]:81//a/", "ws://::1:9119/x", "0.0.0.0", "*:80", "ftp://x", "u:p@x", "ws://u:p@x/y",
		"ws://x?token=s", "ws://x#f", "user:pa://ss@x", "ws://h?a=b@c", "${HOST}", "a b", "[", "]:80", "[]:80", "ws://[%32::1]", "ws://x/%2e%2e", "ws://bücher.example/é",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := rules.ParseTarget(text)
		checkNoUserInfo(t, text, func(text string) error { _, err := rules.ParseTarget(text); return err })
		checkNoQuery(t, text)
		if again, _ := rules.ParseTarget(text); again != parsed {
			t.Errorf("%q is %+v, then %+v", text, parsed, again)
		}
		switch {
		case err != nil && parsed != rules.Target{}:
			t.Errorf("%q is %+v beside error %v", text, parsed, err)
		case err == nil && parsed.IsZero() != (strings.TrimSpace(text) == ""):
			t.Errorf("%q: being no target is %v", text, parsed.IsZero())
		case err == nil && !parsed.IsZero():
			checkTarget(t, parsed)
		}
	})
}

// checkNoQuery puts a secret behind the query, where there is any, and looks for it in the error.
func checkNoQuery(t *testing.T, text string) {
	t.Helper()
	if !strings.ContainsAny(text, "?#") {
		return
	}
	if _, err := rules.ParseTarget(text + hunter2); err == nil || strings.Contains(err.Error(), hunter2) {
		t.Errorf("%q is accepted, or its query shows in %v", text, err)
	}
}

func checkTarget(t *testing.T, parsed rules.Target) {
	t.Helper()
	if parsed.Host.IsZero() || parsed.Host.IsWildcard() {
		t.Errorf("%q has the host %q", parsed.Text, parsed.Host)
	}
	if parsed.HasPrefix && parsed.Scheme == "" {
		t.Errorf("%q has a prefix but is no URL", parsed.Text)
	}
	canonical := rebuilt(parsed)
	again, err := rules.ParseTarget(canonical)
	again.Text = parsed.Text
	if err != nil || again != parsed {
		t.Errorf("%q reads back from %q as %+v and error %v, want %+v", parsed.Text, canonical, again, err, parsed)
	}
}

// rebuilt is a target in the grammar of the design, from its parts.
func rebuilt(parsed rules.Target) string {
	text := parsed.Host.String()
	if parsed.Scheme != "" {
		text = parsed.Scheme + "://" + parsed.Host.Authority()
	} else if parsed.Port != 0 && strings.Contains(text, ":") {
		text = "[" + text + "]"
	}
	if parsed.Port != 0 {
		text += ":" + parsed.Port.String()
	}
	if parsed.HasPrefix {
		text += string(parsed.Prefix) + "/"
	}
	return text
}

func FuzzParsePath(f *testing.F) {
	for _, text := range []string{
		"", "/", "a", "/a/", "//a//b", "/..", "/a/../b", "/%2e", "/%2e%2e", "/a%2Fb", "/a%", "/%zz", "/é", "/a b", "/a?b", "/a#b", "/\x00", "/\xff", "/a;b:c@d", "/\u2028", "/%00",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := rules.ParsePath(text)
		if err != nil {
			if parsed != "" {
				t.Errorf("%q is %q beside error %v", text, parsed, err)
			}
			return
		}
		if again, err := rules.ParsePath(string(parsed)); err != nil || again != parsed {
			t.Errorf("%q reads back as %q and error %v", parsed, again, err)
		}
		checkPath(t, parsed)
	})
}

// checkPath checks that net/url sees the path that we mean, and that no client would resolve it to another one.
func checkPath(t *testing.T, parsed rules.Path) {
	t.Helper()
	seen := parse(t, "ws://x"+string(parsed))
	if seen.EscapedPath() != string(parsed) || seen.RawQuery != "" || seen.Fragment != "" {
		t.Errorf("net/url sees %q in %q", seen.EscapedPath(), parsed)
	}
	if parsed != "" && (parsed[0] != '/' || strings.HasSuffix(string(parsed), "/") || strings.Contains(string(parsed), "//")) {
		t.Errorf("%q has a slash too many or too few", parsed)
	}
	if followed := seen.ResolveReference(&url.URL{}); followed.EscapedPath() != string(parsed) && parsed != "" {
		t.Errorf("a client would dial %q in place of %q", followed.EscapedPath(), parsed)
	}
}
