package client

import (
	"net/netip"
	"strconv"
	"strings"
)

// parseAuthority reads what follows "http://": a host and a port. It returns them in canonical form, or what is wrong
// with them.
func parseAuthority(rest string) (authority, problem string) {
	// "http://host:1/" and "http://host:1" are the same (RFC 3986, section 6.2.3).
	rest = strings.TrimSuffix(rest, "/")
	if problem = surplus(rest); problem != "" {
		return "", problem
	}
	host, port, problem := splitPort(rest)
	if problem != "" {
		return "", problem
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || number == 0 {
		return "", "its port must be a number from 1 to 65535"
	}
	return host + ":" + strconv.FormatUint(number, 10), ""
}

// surplus names the first part of a URL that an address has no use for.
func surplus(rest string) string {
	switch {
	case strings.Contains(rest, "@"):
		return "it may hold no user info"
	case strings.Contains(rest, "?"):
		return "it may hold no query"
	case strings.Contains(rest, "#"):
		return "it may hold no fragment"
	case strings.Contains(rest, "/"):
		return "it may hold no path: the service answers at the root"
	}
	return ""
}

// splitPort cuts the port off, and puts the host in canonical form.
func splitPort(authority string) (host, port, problem string) {
	var found bool
	inner, bracketed := strings.CutPrefix(authority, "[")
	switch {
	case bracketed:
		var after string
		inner, after, _ = strings.Cut(inner, "]")
		port, found = strings.CutPrefix(after, ":")
		host, problem = parseIPv6(inner)
	case strings.Count(authority, ":") > 1:
		return "", "", "an IPv6 address must stand in brackets, as in http://[::1]:9118"
	default:
		host, port, found = strings.Cut(authority, ":")
		host, problem = parseHost(host)
	}
	if problem == "" && (!found || port == "") {
		problem = "it has no port; write it after the host, as in http://127.0.0.1:9118"
	}
	return host, port, problem
}

// parseIPv6 reads what stands between brackets. A zone is escaped there (RFC 6874, section 2); a bare % is understood
// as well.
func parseIPv6(inner string) (host, problem string) {
	addr, err := netip.ParseAddr(strings.Replace(inner, "%25", "%", 1))
	switch {
	case err != nil || !addr.Is6():
		return "", "only an IPv6 address may stand in brackets"
	case strings.ContainsFunc(addr.Zone(), notUnreserved):
		return "", "the zone of its host may hold letters, digits and . _ ~ - only (RFC 6874)"
	}
	return dialable(addr)
}

// parseHost reads a host that stands without brackets: an IPv4 address or a name. A name beyond ASCII is refused: mapping
// it would take tables (UTS #46) that every child would carry.
func parseHost(text string) (host, problem string) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return dialable(addr)
	}
	switch {
	case text == "":
		return "", "it has no host"
	case text == "*" || text == "0":
		return dialable(netip.IPv4Unspecified())
	case strings.ContainsFunc(text, notNameByte):
		return "", "its host may hold letters, digits and . _ - only; write an internationalized name in punycode (xn--…)"
	case strings.HasPrefix(text, ".") || strings.Contains(text, ".."):
		return "", "its host has an empty label"
	case endsInNumber(text):
		return "", "its host ends in a number, and is no IPv4 address in the form 192.0.2.1"
	}
	return strings.ToLower(text), ""
}

// dialable is an IP address as it stands in a URL, unless it is a wildcard. Dialling a wildcard reaches loopback on some
// systems and nothing on others, and a client behind a proxy sends it to the proxy:
// https://github.com/NousResearch/hermes-agent/issues/58993.
func dialable(addr netip.Addr) (host, problem string) {
	addr = addr.Unmap()
	switch {
	case addr.WithZone("").IsUnspecified():
		return "", "a wildcard can be bound but not dialled; dial 127.0.0.1 on the service's own machine"
	case addr.Is6():
		return "[" + strings.Replace(addr.String(), "%", "%25", 1) + "]", ""
	}
	return addr.String(), ""
}

// endsInNumber reports whether resolvers may take a name for an IPv4 address: "127.1" and "0x7f.1" are loopback to
// many (the WHATWG URL standard, "ends in a number").
func endsInNumber(name string) bool {
	name = strings.TrimSuffix(name, ".")
	_, err := strconv.ParseUint(name[strings.LastIndexByte(name, '.')+1:], 0, 64)
	return err == nil
}

// notNameByte takes in the underscore, which is in no host name by RFC 952 and in many that containers have.
func notNameByte(r rune) bool {
	return r != '.' && r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// notUnreserved reports whether a character of a zone must be escaped in a URL (RFC 3986, section 2.3).
func notUnreserved(r rune) bool { return r != '~' && notNameByte(r) }
