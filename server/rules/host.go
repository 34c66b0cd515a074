package rules

import (
	"net/netip"
	"strings"
)

// Host is an IP address or a name, in canonical form. The zero Host is no host.
//
// Hosts are comparable: two spellings of one host give equal values.
type Host struct {
	addr     netip.Addr
	name     string
	wildcard wildcard
}

// wildcard is which family of addresses a wildcard host stands for.
type wildcard uint8

const (
	notWildcard wildcard = iota
	wildcardIPv4
	wildcardIPv6
	// wildcardUnsaid is "*" or "": it counts as IPv4, but the operator named no family.
	wildcardUnsaid
)

// ParseBindHost reads the host of a bind. It is [ParseHost], and the empty string is a wildcard, as it is for the
// listening calls of Go, Node and Python.
func ParseBindHost(text string) (Host, error) {
	if text == "" {
		return Host{addr: netip.IPv4Unspecified(), wildcard: wildcardUnsaid}, nil
	}
	return ParseHost(text)
}

// ParseHost reads a host: an IP address, with or without brackets, a DNS name, or one of the wildcards "*" and "0".
//
// White space around it is dropped. IPv4-mapped IPv6 becomes IPv4 (RFC 4291, section 2.5.5.2). A zone stays. A name is
// lower-cased and an internationalized one becomes punycode (RFC 5891); a trailing dot stays. Anything else is an
// error that quotes the text and says what is wrong with it.
func ParseHost(text string) (Host, error) {
	bare := unbracket(strings.TrimSpace(text))
	switch bare {
	case "":
		return Host{}, refuse("host", text, "it is empty")
	case "*":
		return Host{addr: netip.IPv4Unspecified(), wildcard: wildcardUnsaid}, nil
	case "0":
		bare = "0.0.0.0"
	}
	if addr, err := netip.ParseAddr(bare); err == nil {
		return hostOfAddr(addr, text)
	}
	name, problem := canonicalName(bare)
	if problem != "" {
		return Host{}, refuse("host", text, problem)
	}
	return Host{name: name}, nil
}

// AddrHost is the host of an address.
func AddrHost(addr netip.Addr) Host {
	addr = addr.Unmap()
	switch addr.WithZone("") {
	case netip.IPv4Unspecified():
		return Host{addr: netip.IPv4Unspecified(), wildcard: wildcardIPv4}
	case netip.IPv6Unspecified():
		return Host{addr: netip.IPv6Unspecified(), wildcard: wildcardIPv6}
	}
	return Host{addr: addr}
}

func hostOfAddr(addr netip.Addr, text string) (Host, error) {
	if strings.ContainsFunc(addr.Zone(), notUnreserved) {
		return Host{}, refuse("host", text, "its zone may hold letters, digits and . _ ~ - only (RFC 6874)")
	}
	return AddrHost(addr), nil
}

func unbracket(s string) string {
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		return s[1 : len(s)-1]
	}
	return s
}

// IsZero reports whether this is no host at all.
func (h Host) IsZero() bool { return h == Host{} }

// IsWildcard reports whether the host means every interface: good to bind, never to dial.
func (h Host) IsWildcard() bool { return h.wildcard != notWildcard }

// IsLoopback reports whether only the same machine, or network namespace, can dial the host. The name "localhost" and
// the names below it count (RFC 6761, section 6.3).
func (h Host) IsLoopback() bool {
	name := strings.TrimSuffix(h.name, ".")
	return h.addr.WithZone("").IsLoopback() || name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// String is the host in plain form, without brackets: what NO_PROXY and a dialling call want. [ParseHost] reads it back
// to the same Host.
func (h Host) String() string {
	switch {
	case h.wildcard == wildcardUnsaid:
		return "*"
	case h.addr.IsValid():
		return h.addr.String()
	default:
		return h.name
	}
}

// Authority is the host as it stands in a URL: IPv6 in brackets, the percent sign before a zone escaped once
// (RFC 6874, section 2).
func (h Host) Authority() string {
	if h.addr.Is6() {
		return "[" + strings.Replace(h.addr.String(), "%", "%25", 1) + "]"
	}
	return h.String()
}

// noProxy lists the spellings under which a child may look the host up in NO_PROXY.
func (h Host) noProxy() []string {
	entries := []string{h.String()}
	switch {
	case h.addr.Zone() != "":
		entries = append(entries, h.addr.WithZone("").String())
	case strings.HasSuffix(h.name, "."):
		entries = append(entries, strings.TrimSuffix(h.name, "."))
	}
	return entries
}

// warnings says what may surprise a person who sees this host in a URL.
func (h Host) warnings() []string {
	var found []string
	if h.addr.Zone() != "" {
		found = append(found, "browsers refuse a URL with a zone such as "+h.Authority()+
			": give the listener an address without one, or an override")
	}
	if strings.Contains(h.name, "_") {
		found = append(found, "the name "+h.name+" holds an underscore, which some clients and certificates refuse")
	}
	return found
}
