package rules_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dialpoint/server/rules"
)

func TestEndpointSpellings(t *testing.T) {
	t.Parallel()
	const root = "ws://127.0.0.1:9119"
	secret := rules.NewSecret("s p+c&")
	tests := map[string]struct {
		auth             rules.Auth
		channel          string
		gateway, sidecar rules.Endpoint
	}{
		"token": {
			rules.Auth{Mode: rules.AuthToken, Credential: secret},
			"c",
			rules.Endpoint{URL: rules.NewSecret(root + "/api/ws?token=s%20p%2Bc%26"), DisplayURL: root + "/api/ws?token=REDACTED", BareURL: root + "/api/ws"},
			rules.Endpoint{URL: rules.NewSecret(root + "/api/pub?token=s%20p%2Bc%26&channel=c"), DisplayURL: root + "/api/pub?token=REDACTED&channel=c", BareURL: root + "/api/pub?channel=c"},
		},
		"internal": {
			rules.Auth{Mode: rules.AuthInternal, Credential: secret},
			"c",
			rules.Endpoint{URL: rules.NewSecret(root + "/api/ws?internal=s%20p%2Bc%26"), DisplayURL: root + "/api/ws?internal=REDACTED", BareURL: root + "/api/ws"},
			rules.Endpoint{URL: rules.NewSecret(root + "/api/pub?internal=s%20p%2Bc%26&channel=c"), DisplayURL: root + "/api/pub?internal=REDACTED&channel=c", BareURL: root + "/api/pub?channel=c"},
		},
		"none": {
			rules.Auth{Mode: rules.AuthNone, Credential: secret},
			"c",
			plain(root + "/api/ws"), plain(root + "/api/pub?channel=c"),
		},
		"zero mode":               {rules.Auth{Credential: secret}, "c", plain(root + "/api/ws"), plain(root + "/api/pub?channel=c")},
		"unknown mode":            {rules.Auth{Mode: "basic", Credential: secret}, "c", plain(root + "/api/ws"), plain(root + "/api/pub?channel=c")},
		"token without a value":   {rules.Auth{Mode: rules.AuthToken}, "c", plain(root + "/api/ws"), plain(root + "/api/pub?channel=c")},
		"every kind of character": {rules.Auth{}, "aZ0.-_", plain(root + "/api/ws"), plain(root + "/api/pub?channel=aZ0.-_")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener := with(dashboard(t, "0.0.0.0"), func(l *rules.Listener) { l.Auth = test.auth })
			got := resolve(t, listener, rules.Caller{Audience: rules.Local, Channel: test.channel})
			if diff := cmp.Diff(test.gateway, got.Gateway); diff != "" {
				t.Errorf("gateway: -want +got\n%s", diff)
			}
			if diff := cmp.Diff(&test.sidecar, got.Sidecar); diff != "" {
				t.Errorf("sidecar: -want +got\n%s", diff)
			}
			if got.Gateway.URL.Reveal() != test.gateway.URL.Reveal() {
				t.Errorf("gateway is %s, want %s", got.Gateway.URL.Reveal(), test.gateway.URL.Reveal())
			}
		})
	}
}

// plain is an endpoint without a credential: its three spellings are one.
func plain(text string) rules.Endpoint {
	return rules.Endpoint{URL: rules.NewSecret(text), DisplayURL: text, BareURL: text}
}

func TestNoSidecarWithoutChannel(t *testing.T) {
	t.Parallel()
	if got := resolve(t, dashboard(t, "0.0.0.0"), rules.Caller{Audience: rules.Local}); got.Sidecar != nil {
		t.Errorf("sidecar is %v, want none", got.Sidecar)
	}
}

func TestEndpointPaths(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ base, gateway, sidecar, wantGateway, wantSidecar string }{
		"defaults":      {"", "", "", "/api/ws", "/api/pub"},
		"root is none":  {"/", "/", "/", "/api/ws", "/api/pub"},
		"base":          {"/hermes", "", "", "/hermes/api/ws", "/hermes/api/pub"},
		"gateway":       {"", "/rpc", "", "/rpc", "/api/pub"},
		"sidecar":       {"", "", "/events", "/api/ws", "/events"},
		"all":           {"/hermes/", "rpc/", "//events", "/hermes/rpc", "/hermes/events"},
		"escaped":       {"/a", "/é", "/p%2Fq", "/a/%C3%A9", "/a/p%2Fq"},
		"long and deep": {"/a/b/c", "/d/e", "/f/g", "/a/b/c/d/e", "/a/b/c/f/g"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener := with(dashboard(t, "0.0.0.0"), withoutAuth, based(t, test.base), func(l *rules.Listener) {
				l.GatewayPath, l.SidecarPath = path(t, test.gateway), path(t, test.sidecar)
			})
			got := resolve(t, listener, local())
			if want := "ws://127.0.0.1:9119" + test.wantGateway; got.Gateway.BareURL != want {
				t.Errorf("gateway is %s, want %s", got.Gateway.BareURL, want)
			}
			if want := "ws://127.0.0.1:9119" + test.wantSidecar + "?channel=chat-1"; got.Sidecar.BareURL != want {
				t.Errorf("sidecar is %s, want %s", got.Sidecar.BareURL, want)
			}
		})
	}
}

// Form decoders read "+" as a space and those of RFC 3986 do not: a credential must come through both.
func TestCredentialComesThroughEveryDecoder(t *testing.T) {
	t.Parallel()
	for name, secret := range map[string]string{
		"of issue 2":  "a+b/c=d&e%f g#h",
		"plus":        "+",
		"space":       " ",
		"escape":      "%2B",
		"separators":  "&;=?#/",
		"not ASCII":   "é🙂",
		"wrong UTF-8": "\xff\xfe",
		"controls":    "\x00\n\r\x7f",
		"quotes":      "\"'`\\",
		"base64":      "AAEC+/8=",
		"unreserved":  "aZ09-._~",
		"REDACTED":    rules.Redacted,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := resolve(t, with(dashboard(t, "0.0.0.0"), func(l *rules.Listener) { l.Auth = token(secret) }), local())
			for endpoint, text := range map[string]string{"gateway": got.Gateway.URL.Reveal(), "sidecar": got.Sidecar.URL.Reveal()} {
				if decoded := formDecoded(t, text, "token"); decoded != secret {
					t.Errorf("%s: a form decoder reads %q", endpoint, decoded)
				}
				if decoded := plainDecoded(t, text, "token"); decoded != secret {
					t.Errorf("%s: a decoder of RFC 3986 reads %q", endpoint, decoded)
				}
			}
			if got.Credential.Parameter != "token" || got.Credential.Value.Reveal() != secret {
				t.Errorf("credential is %s and %q", got.Credential.Parameter, got.Credential.Value.Reveal())
			}
		})
	}
}

// formDecoded reads a query parameter as HTML forms do.
func formDecoded(t testing.TB, text, parameter string) string {
	t.Helper()
	parsed, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	values, err := url.ParseQuery(parsed.RawQuery)
	if err != nil {
		t.Fatal(err)
	}
	return values.Get(parameter)
}

// plainDecoded reads a query parameter with nothing but the percent-decoding of RFC 3986, section 2.1.
func plainDecoded(t testing.TB, text, parameter string) string {
	t.Helper()
	_, query, _ := strings.Cut(text, "?")
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name != parameter {
			continue
		}
		decoded, err := url.PathUnescape(value)
		if err != nil {
			t.Fatal(err)
		}
		return decoded
	}
	return ""
}
