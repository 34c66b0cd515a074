package doctor

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// curlVariables are what curl looks for, in this order, by the scheme of the URL. HTTP_PROXY in upper case is not among
// them, since it may be the header of a request (ENVIRONMENT in curl(1)).
var curlVariables = map[string][]string{
	schemeWS:  {"ws_proxy", "WS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"},
	schemeWSS: {"wss_proxy", "WSS_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"},
}

// curlRoute is the manner of curl and libcurl. Versions differ; one that goes to the proxy counts. There is no exception
// for loopback.
func curlRoute(target *url.URL, env lookup) route {
	variable, _ := env.first(curlVariables[target.Scheme]...)
	if _, list := env.first(noProxyLower, noProxyUpper); curlExcepts(list, target.Hostname()) {
		return route{}
	}
	return route{variable: variable}
}

// curlExcepts says whether a host is in the list. "*" counts only if it is all of the list, and from version 8.9 on a
// blank that no comma follows ends it.
func curlExcepts(list, host string) bool {
	if list == "*" {
		return true
	}
	host, _, _ = strings.Cut(host, "%")
	for entry := range strings.SplitSeq(strings.ReplaceAll(list, "\t", " "), ",") {
		entry, rest, _ := strings.Cut(strings.TrimLeft(entry, " "), " ")
		if curlMatches(entry, host) {
			return true
		}
		if strings.TrimLeft(rest, " ") != "" {
			return false
		}
	}
	return false
}

// curlMatches compares IPv4 addresses by value, names as a domain and what is below it, and IPv6 addresses as text, since
// few versions know more of them. An entry with a port matches nothing.
func curlMatches(entry, host string) bool {
	if address, err := netip.ParseAddr(host); err == nil && address.Is4() {
		return curlMatchesIPv4(entry, address)
	}
	entry = strings.ToLower(strings.TrimPrefix(strings.TrimSuffix(entry, "."), "."))
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return entry != "" && (entry == host || strings.HasSuffix(host, "."+entry))
}

// curlMatchesIPv4 knows a network by its mask, from version 7.86 on. A mask of zero bits is none.
func curlMatchesIPv4(entry string, address netip.Addr) bool {
	text, mask, masked := strings.Cut(entry, "/")
	network, err := netip.ParseAddr(text)
	if err != nil || !network.Is4() {
		return false
	}
	bits := 0
	if masked {
		if bits, err = strconv.Atoi(mask); err != nil {
			return false
		}
	}
	if bits == 0 {
		bits = network.BitLen()
	}
	prefix, err := network.Prefix(bits)
	return err == nil && prefix.Contains(address)
}
