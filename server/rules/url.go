package rules

import (
	"net/url"
	"strings"
)

const (
	defaultGatewayPath Path = "/api/ws"
	defaultSidecarPath Path = "/api/pub"
)

// choice is what the rules came to: all that both URLs share.
type choice struct {
	rule   Rule
	source string
	scheme string
	host   Host
	port   Port
	// portUnsaid leaves the port out of the URL: it is the scheme's default.
	portUnsaid bool
	base       Path
	// warnings are about the target that was chosen, if it was one.
	warnings []string
}

// Credential is a query parameter that lets a child in.
type Credential struct {
	// Parameter is "token", "internal" or empty for none.
	Parameter string
	Value     Secret
}

func (a Auth) credential() Credential {
	if a.Credential.IsZero() || a.Mode != AuthToken && a.Mode != AuthInternal {
		return Credential{}
	}
	return Credential{Parameter: string(a.Mode), Value: a.Credential}
}

func (c choice) endpoints(listener Listener, caller Caller) Endpoints {
	credential := listener.Auth.credential()
	root := c.root()
	found := Endpoints{
		Gateway:     endpoint(root+string(pathOr(listener.GatewayPath, defaultGatewayPath)), credential, ""),
		Credential:  credential,
		Explanation: c.explain(listener, caller),
	}
	if caller.Channel != "" {
		sidecar := endpoint(root+string(pathOr(listener.SidecarPath, defaultSidecarPath)), credential, caller.Channel)
		found.Sidecar = &sidecar
	}
	return found
}

func pathOr(path, otherwise Path) Path {
	if path == "" {
		return otherwise
	}
	return path
}

// root is what all URLs of an answer begin with.
func (c choice) root() string { return c.scheme + "://" + c.authority() + string(c.base) }

func endpoint(bare string, credential Credential, channel string) Endpoint {
	return Endpoint{
		URL:        NewSecret(bare + query(credential.Parameter, credential.Value.Reveal(), channel)),
		DisplayURL: bare + query(credential.Parameter, Redacted, channel),
		BareURL:    bare + query("", "", channel),
	}
}

func (c choice) authority() string {
	if c.portUnsaid {
		return c.host.Authority()
	}
	return c.host.Authority() + ":" + c.port.String()
}

// query is the URL's query, the credential first.
func query(parameter, value, channel string) string {
	switch {
	case parameter != "" && channel != "":
		return "?" + parameter + "=" + escape(value) + "&channel=" + escape(channel)
	case parameter != "":
		return "?" + parameter + "=" + escape(value)
	case channel != "":
		return "?channel=" + escape(channel)
	default:
		return ""
	}
}

// escape percent-encodes so that a form decoder and a decoder of RFC 3986 give the same bytes: they differ in what
// they make of "+".
func escape(value string) string { return strings.ReplaceAll(url.QueryEscape(value), "+", "%20") }

func (c choice) explain(listener Listener, caller Caller) Explanation {
	return Explanation{
		Rule:     c.rule,
		Source:   c.source,
		DialHost: c.host,
		DialPort: c.port,
		Audience: caller.Audience,
		NoProxy:  c.host.noProxy(),
		Warnings: warnings(c, listener, caller.Audience),
	}
}
