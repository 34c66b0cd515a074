package client_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"dialpoint/client"
)

const longestPath = 107

func TestParseAddress(t *testing.T) {
	t.Parallel()
	longest := "/" + strings.Repeat("x", longestPath-1)
	for name, test := range map[string]struct{ text, want string }{
		"socket":                      {"unix:///run/dialpoint/dialpoint.sock", "unix:///run/dialpoint/dialpoint.sock"},
		"white space around":          {" \thttp://127.0.0.1:9118\r\n", "http://127.0.0.1:9118"},
		"scheme in capitals":          {"UNIX:///run/d.sock", "unix:///run/d.sock"},
		"path of the greatest length": {"unix://" + longest, "unix://" + longest},
		"path is not decoded":         {"unix:///a%20b?c#d", "unix:///a%20b?c#d"},
		"path with a space":           {"unix:///a b/s", "unix:///a b/s"},
		"IPv4":                        {"http://127.0.0.2:9118", "http://127.0.0.2:9118"},
		"TLS":                         {"https://dial.example:443", "https://dial.example:443"},
		"name in capitals":            {"HTTP://LocalHost:9118", "http://localhost:9118"},
		"root's slash":                {"http://localhost:9118/", "http://localhost:9118"},
		"root's dot":                  {"http://localhost.:9118", "http://localhost.:9118"},
		"underscore":                  {"http://my_box:9118", "http://my_box:9118"},
		"punycode":                    {"http://xn--bcher-kva.example:80", "http://xn--bcher-kva.example:80"},
		"number inside a name":        {"http://10.example:80", "http://10.example:80"},
		"IPv6":                        {"http://[::1]:9118", "http://[::1]:9118"},
		"IPv6 at length":              {"http://[2001:DB8:0:0:0:0:0:5]:9118", "http://[2001:db8::5]:9118"},
		"IPv4 in IPv6":                {"http://[::ffff:10.0.0.7]:9118", "http://10.0.0.7:9118"},
		"zone":                        {"http://[fe80::1%25eth0]:9118", "http://[fe80::1%25eth0]:9118"},
		"zone that is not escaped":    {"http://[fe80::1%eth0]:9118", "http://[fe80::1%25eth0]:9118"},
		"port with zeros":             {"http://localhost:09118", "http://localhost:9118"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, err := client.ParseAddress(test.text)
			if err != nil || address.String() != test.want {
				t.Errorf("got %q, %v, want %q", address, err, test.want)
			}
		})
	}
}

func TestParseAddressRefuses(t *testing.T) {
	t.Parallel()
	const (
		forms     = "; write unix:///path, http://host:port or https://host:port"
		relative  = "a socket's path must be absolute, as in unix:///run/dialpoint/dialpoint.sock"
		wildcard  = "a wildcard can be bound but not dialled; dial 127.0.0.1 on the service's own machine"
		noPort    = "it has no port; write it after the host, as in http://127.0.0.1:9118"
		badPort   = "its port must be a number from 1 to 65535"
		badHost   = "its host may hold letters, digits and . _ - only; write an internationalized name in punycode (xn--…)"
		number    = "its host ends in a number, and is no IPv4 address in the form 192.0.2.1"
		brackets  = "only an IPv6 address may stand in brackets"
		noScheme  = `it does not begin with a scheme and "://"` + forms
		comma     = "it holds a comma, which parts several addresses, and a path cannot hold one"
		emptyPart = "its host has an empty label"
	)
	for name, test := range map[string]struct{ text, shown, problem string }{
		"empty":                   {"", "", "it is empty" + forms},
		"blank":                   {" \r\n", "", "it is empty" + forms},
		"several":                 {"http://a:1,http://b:1", "http://a:1,http://b:1", comma},
		"several sockets":         {"unix:///a,unix:///b", "unix:///a,unix:///b", comma},
		"host and port alone":     {"127.0.0.1:9118", "127.0.0.1:9118", noScheme},
		"path alone":              {"/run/d.sock", "/run/d.sock", noScheme},
		"one slash":               {"http:/localhost:9118", "http:/localhost:9118", noScheme},
		"scheme of a WebSocket":   {"ws://localhost:9119", "ws://localhost:9119", "its scheme must be unix, http or https"},
		"no name before slashes":  {"://localhost:1", "://localhost:1", "its scheme must be unix, http or https"},
		"relative path":           {"unix://x/y", "unix://x/y", relative},
		"path without slashes":    {"unix:run/d.sock", "unix:run/d.sock", relative},
		"path after one slash":    {"unix:/run/d.sock", "unix:/run/d.sock", relative},
		"abstract socket":         {"unix:@d", "REDACTED@d", relative},
		"no path":                 {"unix://", "unix://", relative},
		"directory":               {"unix:///run/", "unix:///run/", "it names a directory, not a socket"},
		"zero byte":               {"unix:///a\x00b", `unix:///a\x00b`, "a path cannot hold a zero byte"},
		"path too long":           {"unix:///" + strings.Repeat("x", longestPath), "unix:///" + strings.Repeat("x", longestPath), "its path has 108 bytes, and a socket's path may have 107; use a shorter directory"},
		"user info":               {"http://me:secret@h:1", "http://REDACTED@h:1", "it may hold no user info"},
		"user info with an at":    {"http://me:p@ss@h:1", "http://REDACTED@h:1", "it may hold no user info"},
		"query":                   {"http://h:1?token=secret", "http://h:1?REDACTED", "it may hold no query"},
		"fragment":                {"http://h:1#secret", "http://h:1#REDACTED", "it may hold no fragment"},
		"path":                    {"http://h:1/api", "http://h:1/api", "it may hold no path: the service answers at the root"},
		"two slashes":             {"http://h:1//", "http://h:1//", "it may hold no path: the service answers at the root"},
		"no port":                 {"http://localhost", "http://localhost", noPort},
		"no port after colon":     {"https://localhost:", "https://localhost:", noPort},
		"no port after bracket":   {"http://[::1]", "http://[::1]", noPort},
		"text after bracket":      {"http://[::1]9118", "http://[::1]9118", noPort},
		"port 0":                  {"http://h:0", "http://h:0", badPort},
		"port too great":          {"http://h:65536", "http://h:65536", badPort},
		"port by name":            {"http://h:http", "http://h:http", badPort},
		"port with a sign":        {"http://h:+80", "http://h:+80", badPort},
		"no host":                 {"http://:9118", "http://:9118", "it has no host"},
		"nothing":                 {"http://", "http://", "it has no host"},
		"IPv4 wildcard":           {"http://0.0.0.0:9118", "http://0.0.0.0:9118", wildcard},
		"IPv6 wildcard":           {"http://[::]:9118", "http://[::]:9118", wildcard},
		"IPv6 wildcard at length": {"http://[0:0:0:0:0:0:0:0]:1", "http://[0:0:0:0:0:0:0:0]:1", wildcard},
		"IPv4 wildcard in IPv6":   {"http://[::ffff:0.0.0.0]:1", "http://[::ffff:0.0.0.0]:1", wildcard},
		"wildcard with a zone":    {"http://[::%25eth0]:1", "http://[::%25eth0]:1", wildcard},
		"star":                    {"http://*:9118", "http://*:9118", wildcard},
		"zero":                    {"http://0:9118", "http://0:9118", wildcard},
		"bare IPv6":               {"http://::1:9118", "http://::1:9118", "an IPv6 address must stand in brackets, as in http://[::1]:9118"},
		"IPv4 in brackets":        {"http://[127.0.0.1]:1", "http://[127.0.0.1]:1", brackets},
		"name in brackets":        {"http://[localhost]:1", "http://[localhost]:1", brackets},
		"bracket left open":       {"http://[::1", "http://[::1", noPort},
		"bad zone":                {"http://[fe80::1%25a b]:1", "http://[fe80::1%25a b]:1", "the zone of its host may hold letters, digits and . _ ~ - only (RFC 6874)"},
		"quote":                   {`http://"h":1`, `http://\"h\":1`, badHost},
		"variable":                {"http://${HOST}:1", "http://${HOST}:1", badHost},
		"space inside":            {"http://a b:1", "http://a b:1", badHost},
		"name not in punycode":    {"http://bücher.example:1", "http://bücher.example:1", badHost},
		"empty label":             {"http://a..b:1", "http://a..b:1", emptyPart},
		"dot alone":               {"http://.:1", "http://.:1", emptyPart},
		"short IPv4":              {"http://127.1:1", "http://127.1:1", number},
		"IPv4 in hexadecimal":     {"http://0x7f.0x1:1", "http://0x7f.0x1:1", number},
		"IPv4 and root's dot":     {"http://0.0.0.0.:1", "http://0.0.0.0.:1", number},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, err := client.ParseAddress(test.text)
			want := `"` + test.shown + `" is no address of a Dialpoint service: ` + test.problem
			if err == nil || err.Error() != want {
				t.Errorf("got %q, error %v\nwant error %s", address, err, want)
			}
			if address != (client.Address{}) {
				t.Errorf("got %q beside the error", address)
			}
		})
	}
}

func TestParseAddresses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want []string
		err  string
	}{
		"one":            {"unix:///a", []string{"unix:///a"}, ""},
		"two":            {"unix:///a,http://b:1", []string{"unix:///a", "http://b:1"}, ""},
		"white space":    {" unix:///a ,\n http://B:01\r\n", []string{"unix:///a", "http://b:1"}, ""},
		"one twice":      {"http://a:1,http://a:1", []string{"http://a:1", "http://a:1"}, ""},
		"empty":          {"", nil, `"" is no address of a Dialpoint service: it is empty`},
		"empty at end":   {"http://a:1,", nil, `"" is no address of a Dialpoint service: it is empty`},
		"bad among good": {"http://a:1,http://u:p@b:1,http://c:1", nil, `"http://REDACTED@b:1" is no address of a Dialpoint service: it may hold no user info`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addresses, err := client.ParseAddresses(test.text)
			if test.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), test.err) || addresses != nil {
					t.Errorf("got %v, error %v\nwant an error that begins %s", addresses, err, test.err)
				}
				return
			}
			if err != nil || !slices.EqualFunc(addresses, test.want, func(a client.Address, want string) bool { return a.String() == want }) {
				t.Errorf("got %v, %v, want %v", addresses, err, test.want)
			}
		})
	}
}

func TestAddressIsComparable(t *testing.T) {
	t.Parallel()
	one, oneErr := client.ParseAddress("HTTP://[0:0::1]:09118/")
	two, twoErr := client.ParseAddress("http://[::1]:9118")
	if oneErr != nil || twoErr != nil || one != two {
		t.Errorf("got %v and %v, errors %v and %v, want them equal", one, two, oneErr, twoErr)
	}
}

func TestZeroAddress(t *testing.T) {
	t.Parallel()
	if got := (client.Address{}).String(); got != "" {
		t.Errorf("got %q, want it empty", got)
	}
}

// FuzzParseAddress: an address reads back as what it was, can be put into a request, and never shows a wildcard.
func FuzzParseAddress(f *testing.F) {
	for _, seed := range []string{
		"unix:///run/dialpoint/dialpoint.sock", "http://127.0.0.1:9118", "https://[fe80::1%25eth0]:443/",
		"http://[::ffff:10.0.0.7]:1", "http://0.0.0.0:1", "http://[::]:1", "unix:x", "http://u:p@h:1?q#f", "http://0x0:1",
		"http://[fe80::1%2525x]:1", "a,b", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		address, err := client.ParseAddress(text)
		if err != nil {
			return
		}
		again, err := client.ParseAddress(address.String())
		if err != nil || again != address {
			t.Fatalf("%q reads as %q, and that as %q, %v", text, address, again, err)
		}
		if strings.HasPrefix(address.String(), "unix://") {
			return
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address.String(), nil)
		if err != nil {
			t.Fatalf("%q reads as %q, which is no URL: %v", text, address, err)
		}
		switch request.URL.Hostname() {
		case "", "0.0.0.0", "::", "*", "0":
			t.Fatalf("%q reads as %q, which cannot be dialled", text, address)
		}
	})
}

// FuzzParseAddresses: addresses read back as what they were, and are those that stand between the commas.
func FuzzParseAddresses(f *testing.F) {
	for _, seed := range []string{"unix:///a,http://b:1", "http://[::1]:1, https://c:2 ", ",", "unix:///a,,unix:///b", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		addresses, err := client.ParseAddresses(text)
		if err != nil {
			return
		}
		written := make([]string, len(addresses))
		for i, address := range addresses {
			written[i] = address.String()
		}
		again, err := client.ParseAddresses(strings.Join(written, ","))
		if err != nil || !slices.Equal(again, addresses) || len(addresses) != 1+strings.Count(text, ",") {
			t.Fatalf("%q reads as %q, and that as %q, %v", text, addresses, again, err)
		}
	})
}
