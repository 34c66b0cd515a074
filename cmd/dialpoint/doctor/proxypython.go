package doctor

import (
	"net/url"
	"strings"
)

// pythonSchemes are the variables that the library websockets looks for, in this order, by the scheme of the URL. It uses
// proxies from version 15 on (https://websockets.readthedocs.io/en/stable/topics/proxies.html), and prefers that of
// https for ws, too, as RFC 6455 suggests in section 4.1. Neither it nor urllib knows ALL_PROXY.
var pythonSchemes = map[string][]string{
	schemeWS:  {schemeWS, "socks", schemeHTTPS, schemeHTTP},
	schemeWSS: {schemeWSS, "socks", schemeHTTPS},
}

// pythonRoute is the manner of urllib.request.getproxies_environment and proxy_bypass_environment, which websockets asks.
// There is no exception for loopback.
func pythonRoute(target *url.URL, env lookup) route {
	if pythonExcepts(env, target) {
		return route{}
	}
	for _, scheme := range pythonSchemes[target.Scheme] {
		if variable := env.pythonVariable(scheme + "_proxy"); variable != "" {
			return route{variable: variable}
		}
	}
	return route{}
}

// pythonVariable is the spelling of a variable that counts: lower case if it is set at all. Empty is none. HTTP_PROXY does
// not count where it may be the header of a request.
func (env lookup) pythonVariable(lower string) string {
	upper := strings.ToUpper(lower)
	value, set := env.get(lower)
	switch {
	case value != "":
		return lower
	case set, env.value(upper) == "":
		return ""
	}
	if _, isCGI := env.get(requestMethod); isCGI && lower == "http_proxy" {
		return ""
	}
	return upper
}

// pythonExcepts says whether a host is in the list. "*" counts only if it is all of the list, entries are compared as
// text, and those with a port hold for that port.
func pythonExcepts(env lookup, target *url.URL) bool {
	variable := env.pythonVariable(noProxyLower)
	if variable == "" {
		return false
	}
	list := env.value(variable)
	if list == "*" {
		return true
	}
	host, hostPort := pythonHost(target)
	for entry := range strings.SplitSeq(list, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		entry = strings.ToLower(strings.TrimLeft(entry, "."))
		if isOrIsBelow(host, entry) || isOrIsBelow(hostPort, entry) {
			return true
		}
	}
	return false
}

func isOrIsBelow(name, domain string) bool {
	return name == domain || strings.HasSuffix(name, "."+domain)
}

// pythonHost is the host as Python sees it: without brackets, its zone still escaped, and with its port.
func pythonHost(target *url.URL) (host, hostPort string) {
	host = strings.ToLower(strings.ReplaceAll(target.Hostname(), "%", "%25"))
	return host, host + ":" + portOf(target)
}
