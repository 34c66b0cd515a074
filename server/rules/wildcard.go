package rules

import "net/netip"

var (
	loopbackIPv4 = AddrHost(netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	loopbackIPv6 = AddrHost(netip.IPv6Loopback())
)

// loopback is what a local caller dials in place of a wildcard. An IPv6 wildcard accepts IPv4 as well unless it says
// otherwise, so that 127.0.0.1 serves callers which have no IPv6 at all.
func loopback(bind Bind) Host {
	if bind.Host.wildcard == wildcardIPv6 && bind.isIPv6Only() {
		return loopbackIPv6
	}
	return loopbackIPv4
}

// badReached says why the address on which a caller reached the service does not lead it to a wildcard listener, or
// is empty when it does.
func badReached(bind Bind, reached Host) string {
	switch {
	case reached.IsZero():
		return "it listens on every interface, and the caller did not come over TCP, which would show the address it can reach"
	case reached.IsLoopback(), reached.IsWildcard():
		return "it listens on every interface, and the caller came over loopback, which shows no address that others can reach"
	case reached.addr.Is6() && reached.addr.IsLinkLocalUnicast():
		return "the caller came over a link-local address, whose zone means nothing on its own machine"
	case reached.addr.Is6() && bind.Host.wildcard == wildcardIPv4:
		return "it listens on IPv4 only, and the caller came over IPv6"
	case reached.addr.Is4() && bind.Host.wildcard == wildcardIPv6 && bind.isIPv6Only():
		return "it listens on IPv6 only, and the caller came over IPv4"
	}
	return ""
}
