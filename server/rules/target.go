package rules

import (
	"errors"
	"net/netip"
	"strings"
)

// Target is what an operator says callers must dial: an override or an advertised address. The zero Target is none.
type Target struct {
	// Text is the target as it was said, without white space around it.
	Text string
	// Source says where it came from, such as "env HERMES_DASHBOARD_WS_HOST".
	Source string

	// Scheme is "ws" or "wss" where the target is a URL, else empty: the bind says.
	Scheme string
	// Host is what to dial. It is never a wildcard.
	Host Host
	// Port is what to dial. Zero means the bind's, or where the target is a URL the scheme's default.
	Port Port
	// Prefix replaces the listener's base path where HasPrefix is set.
	Prefix Path
	// HasPrefix reports whether the target is a URL with a path. "https://edge.example/" has one, and it is the root.
	HasPrefix bool
}

var (
	errScheme   = errors.New("its scheme must be ws, wss, http or https")
	errBrackets = errors.New("an IPv6 address in a URL needs brackets (RFC 3986, section 3.2.2)")
)

// The schemes of WebSocket URLs (RFC 6455, section 3).
const (
	schemeWS  = "ws"
	schemeWSS = "wss"
)

// schemes maps what a target's URL may begin with to what a WebSocket URL does.
var schemes = map[string]string{"ws": schemeWS, "http": schemeWS, "wss": schemeWSS, "https": schemeWSS}

var defaultPorts = map[string]Port{schemeWS: 80, schemeWSS: 443}

// ParseTarget reads an override or an advertised address: "host", "host:port", "[v6]:port", or a URL
// "ws|wss|http|https://host[:port][/prefix]". Blank text is no target and no error. A wildcard host, user info, a
// query or a fragment is refused.
func ParseTarget(text string) (Target, error) {
	text = strings.TrimSpace(text)
	target := Target{Text: text}
	var err error
	switch {
	case text == "":
		return Target{}, nil
	case strings.Contains(text, "@"):
		return Target{}, refuse("target", text, "it may hold no user info")
	case strings.ContainsAny(text, "?#"):
		return Target{}, refuse("target", text, "it may hold no query and no fragment")
	case strings.Contains(text, "://"):
		err = target.readURL(text)
	default:
		err = target.readHostPort(text)
	}
	if err != nil {
		return Target{}, refuseFor("target", text, err)
	}
	if target.Host.IsWildcard() {
		return Target{}, refuse("target", text, "a wildcard can be bound but not dialled; leave it out to let loopback take its place")
	}
	return target, nil
}

func (t *Target) readURL(text string) error {
	scheme, rest, _ := strings.Cut(text, "://")
	if t.Scheme = schemes[strings.ToLower(scheme)]; t.Scheme == "" {
		return errScheme
	}
	authority, prefix, found := strings.Cut(rest, "/")
	if !strings.HasPrefix(authority, "[") && strings.Count(authority, ":") > 1 {
		return errBrackets
	}
	if err := t.readHostPort(unescapeZone(authority)); err != nil {
		return err
	}
	var err error
	t.HasPrefix = found
	t.Prefix, err = ParsePath(prefix)
	return err
}

// unescapeZone undoes the escaping of RFC 6874, which a URL needs and a plain host does not have.
func unescapeZone(authority string) string {
	if !strings.HasPrefix(authority, "[") {
		return authority
	}
	return strings.Replace(authority, "%25", "%", 1)
}

func (t *Target) readHostPort(text string) error {
	host, port, found := splitPort(text)
	if found {
		var err error
		if t.Port, err = ParsePort(port); err != nil {
			return err
		}
	}
	var err error
	t.Host, err = ParseHost(host)
	return err
}

// splitPort cuts a port off. IPv6 without brackets has none.
func splitPort(text string) (host, port string, found bool) {
	colon := strings.LastIndexByte(text, ':')
	bracketed := strings.HasPrefix(text, "[")
	switch {
	case colon < 0,
		bracketed && text[colon-1] != ']',
		!bracketed && strings.Count(text, ":") > 1:
		return text, "", false
	}
	return text[:colon], text[colon+1:], true
}

// IsZero reports whether nothing was said.
func (t Target) IsZero() bool { return t.Text == "" }

// dialPort is the port to dial, given the bind's.
func (t Target) dialPort(bind Port) Port {
	switch {
	case t.Port != 0:
		return t.Port
	case t.Scheme != "":
		return defaultPorts[t.Scheme]
	default:
		return bind
	}
}

// warnings says what an operator may have meant by the target instead. IPv6 without brackets takes no port, so that
// what was meant for one is its last group.
func (t Target) warnings() []string {
	colon := max(strings.LastIndexByte(t.Text, ':'), 0)
	address, rest := t.Text[:colon], strings.TrimPrefix(t.Text[colon:], ":")
	port, badPort := ParsePort(rest)
	if addr, err := netip.ParseAddr(address); err != nil || !addr.Is6() || badPort != nil {
		return nil
	}
	return []string{Quote(t.Text) + " is read as an IPv6 address without a port; write [" + address + "]:" + port.String() +
		" if " + port.String() + " is the port"}
}
