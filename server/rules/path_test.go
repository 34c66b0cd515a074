package rules_test

import (
	"testing"

	"dialpoint/server/rules"
)

func TestParsePath(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		want rules.Path
	}{
		"empty":               {"", ""},
		"blank":               {" \t", ""},
		"root":                {"/", ""},
		"many slashes":        {"////", ""},
		"one part":            {"/hermes", "/hermes"},
		"no slash":            {"hermes", "/hermes"},
		"slash at the end":    {"hermes/", "/hermes"},
		"several parts":       {"/a/b/c", "/a/b/c"},
		"slashes in a row":    {"//a///b//", "/a/b"},
		"white space around":  {"\t/a/b\r\n", "/a/b"},
		"case stays":          {"/Hermes", "/Hermes"},
		"sub-delimiters":      {"/a!$&'()*+,;=b", "/a!$&'()*+,;=b"},
		"colon and at":        {"/a:b@c", "/a:b@c"},
		"unreserved":          {"/-._~", "/-._~"},
		"three dots":          {"/...", "/..."},
		"dot in a part":       {"/v1.2", "/v1.2"},
		"escaped stays":       {"/a%20b", "/a%20b"},
		"escaped slash stays": {"/a%2Fb", "/a%2Fb"},
		"escaped mark stays":  {"/a%3Fb", "/a%3Fb"},
		"not ASCII":           {"/é", "/%C3%A9"},
		"four bytes":          {"/🙂", "/%F0%9F%99%82"},
		"both kinds":          {"/é%20é", "/%C3%A9%20%C3%A9"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := path(t, test.text)
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if again := path(t, string(got)); again != got {
				t.Errorf("its canonical form reads back as %q", again)
			}
		})
	}
}

func TestParsePathRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, quoted string }{
		"dot":                    {"/.", `"/."`},
		"two dots":               {"/a/../b", `"/a/../b"`},
		"escaped dot":            {"/%2e", `"/%2e"`},
		"escaped two dots":       {"/.%2E", `"/.%2E"`},
		"percent sign alone":     {"/a%", `"/a%"`},
		"escape of one digit":    {"/a%2", `"/a%2"`},
		"escape that is not hex": {"/%zz", `"/%zz"`},
		"query":                  {"/a?token=hunter2", `"/a?REDACTED"`},
		"fragment":               {"/a#hunter2", `"/a#REDACTED"`},
		"space inside":           {"/a b", `"/a b"`},
		"newline inside":         {"/a\nb", `"/a\nb"`},
		"backslash":              {`/a\b`, `"/a\\b"`},
		"quote":                  {`/a"b`, `"/a\"b"`},
		"brackets":               {"/[a]", `"/[a]"`},
		"braces":                 {"/${PREFIX}", `"/${PREFIX}"`},
		"angle bracket":          {"/<a", `"/<a"`},
		"bar":                    {"/a|b", `"/a|b"`},
		"caret":                  {"/a^b", `"/a^b"`},
		"back quote":             {"/a`b", "\"/a`b\""},
		"NUL":                    {"/a\x00", `"/a\x00"`},
		"DEL":                    {"/a\x7f", `"/a\x7f"`},
		"wrong UTF-8":            {"/a\xff", `"/a\xff"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := rules.ParsePath(test.text)
			wantError(t, err, test.quoted+
				" is no path: it may hold no \".\", \"..\" or wrongly escaped part, and none of ?#[]\\\"<>^`{|} or white space")
			if got != "" {
				t.Errorf("got %q beside the error", got)
			}
		})
	}
}

func TestParseEndpointPath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]rules.Path{"": "", "/ws": "/ws", "//a//b/": "/a/b", "ws": "/ws"} {
		if got, err := rules.ParseEndpointPath(text); err != nil || got != want {
			t.Errorf("%q: got %q and error %v, want %q", text, got, err, want)
		}
	}
}

// The root would silently mean the default.
func TestParseEndpointPathRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"/", "///", " / "} {
		got, err := rules.ParseEndpointPath(text)
		wantError(t, err, `"`+text+`" is no endpoint path: it must name a path below the base path, such as /api/ws`)
		if got != "" {
			t.Errorf("got %q beside the error", got)
		}
	}
	if got, err := rules.ParseEndpointPath(" \t"); err != nil || got != "" {
		t.Errorf("blank text is no path and no error: got %q and error %v", got, err)
	}
	if _, err := rules.ParseEndpointPath("/a?b"); err == nil {
		t.Error("what is no path is no endpoint path")
	}
}
