package access

import (
	"net/http"
	"net/netip"
	"strings"

	"dialpoint/server/rules"
)

// guard refuses what a browser may send for a page that is not ours.
func (e *enforced) guard(r *http.Request) *refusal {
	// No name leads a browser to a unix socket, so that any Host will do there.
	if unixConnOf(r.Context()) == nil {
		here, isHost := parseAuthority(r.Host)
		if !isHost || !e.isOurs(here, localAddr(r.Context())) {
			return hostForbidden(r.Host)
		}
	}
	if isFromPage(r.Header) {
		return originForbidden()
	}
	return nil
}

// isOurs reports whether callers may call the service by this name or address. Whoever owns another name can have it
// lead here, and a browser then takes their page for one of ours.
func (e *enforced) isOurs(here place, local netip.Addr) bool {
	if here.addr.IsValid() && here.addr == local {
		return true
	}
	return here.name == "localhost" || here.addr.IsLoopback() || e.hosts[here]
}

// isFromPage reports whether a page on the web is behind a request (the Fetch standard, "Origin header"; the Fetch
// Metadata draft, section 2.1). Callers that are no browsers send neither header. An application of its own scheme,
// such as an editor's view, may.
func isFromPage(header http.Header) bool {
	origins := header["Origin"]
	if len(origins) > 1 || len(origins) == 1 && isWebOrigin(origins[0]) {
		return true
	}
	// A page cannot leave this header out, as it can Origin with a GET. "none" is a person who typed the address.
	sites := header["Sec-Fetch-Site"]
	return len(sites) > 1 || len(sites) == 1 && sites[0] != "none"
}

func isWebOrigin(origin string) bool {
	origin = strings.ToLower(origin)
	switch {
	case origin == "", origin == "null":
		return true
	case strings.ContainsAny(origin, " \t,"): // It is a list, of which one may be on the web, or it is blank.
		return true
	}
	scheme, _, _ := strings.Cut(origin, ":")
	return scheme == "http" || scheme == "https"
}

// place is a host as the guard compares it: an address without a zone, or a name without the root's dot.
type place struct {
	addr netip.Addr
	name string
}

func placeOf(host rules.Host) place {
	if addr, err := netip.ParseAddr(host.String()); err == nil {
		return place{addr: addr.WithZone("")}
	}
	return place{name: strings.TrimSuffix(host.String(), ".")}
}

// placesOf leaves out wildcards: 0.0.0.0 leads a browser to loopback, past what it guards there.
func placesOf(hosts []string) map[place]bool {
	places := make(map[place]bool, len(hosts))
	for _, text := range hosts {
		if host, err := rules.ParseHost(text); err == nil && !host.IsWildcard() {
			places[placeOf(host)] = true
		}
	}
	return places
}

// parseAuthority reads the host of a Host header, with or without a port (RFC 9110, section 7.2). The port is not kept:
// one that is published leads to another here.
func parseAuthority(text string) (place, bool) {
	host, isSplit := cutPort(text)
	// Brackets are for IPv6 addresses, and IPv6 addresses are the hosts with colons (RFC 3986, section 3.2.2).
	if !isSplit || strings.HasPrefix(host, "[") != strings.Contains(host, ":") || strings.ContainsFunc(host, notHostByte) {
		return place{}, false
	}
	parsed, err := rules.ParseHost(host)
	if err != nil {
		return place{}, false
	}
	return placeOf(parsed), true
}

// cutPort takes off the port, if there is one. What must be a port and is none is an error.
func cutPort(text string) (host string, ok bool) {
	colon := strings.LastIndexByte(text, ':')
	if colon < 0 || strings.HasSuffix(text, "]") {
		return text, true
	}
	port := text[colon+1:]
	_, err := rules.ParsePort(port)
	return text[:colon], err == nil || port == "" // An empty port is a port (RFC 3986, section 3.2.3).
}

// notHostByte reports whether a character stands in no host as it is sent: a name is in ASCII there, never mapped.
func notHostByte(r rune) bool {
	isLetter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	return !isLetter && (r < '0' || r > '9') && !strings.ContainsRune("-._:[]%~", r)
}
