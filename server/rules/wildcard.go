package rules

import "net/netip"

var (
	loopbackIPv4 = AddrHost(netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	loopbackIPv6 = AddrHost(netip.IPv6Loopback())
)

// fromProbe is the source of what no person and no program has said.
const fromProbe = "probe"

// loopback is what a local caller dials in place of a wildcard, and who said so. An IPv6 wildcard accepts IPv4 as well
// unless it says otherwise or was seen to refuse it, so that 127.0.0.1 serves callers which have no IPv6 at all.
func loopback(bind Bind) (dial Host, source string) {
	switch {
	case bind.MayBeIPv6Only() && bind.OnlyIPv6Answers:
		return loopbackIPv6, fromProbe
	case bind.Host.wildcard == wildcardIPv6 && bind.isIPv6Only():
		return loopbackIPv6, bind.Source
	default:
		return loopbackIPv4, bind.Source
	}
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
