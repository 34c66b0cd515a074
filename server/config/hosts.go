package config

import (
	"fmt"
	"slices"

	"dialpoint/server/rules"
)

// allowedHosts are the hosts that a Host header may name, each once. They are compared with that header in canonical
// form, so that a port, a URL or a wildcard would match nothing.
func (r *reading) allowedHosts(tcp tcpAddress) []string {
	var hosts []string
	for _, item := range r.items(keyAllowedHosts, r.document.Serve.AllowedHosts) {
		host, err := parseAllowedHost(item.text)
		if err != nil {
			r.refuse(item, err)
		} else if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	if tcp.text == off && len(hosts) > 0 {
		r.warn(keyAllowedHosts.path + noEffectWithoutTCP)
	}
	return hosts
}

// parseAllowedHost is the canonical form of a host that a client can name.
func parseAllowedHost(text string) (string, error) {
	const todo = ": name a host or an address alone, such as dialpoint.example, without port, scheme or wildcard"
	host, err := rules.ParseHost(text)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w%s", err, todo)
	case host.IsWildcard():
		return "", badValue(text, "is a wildcard, which no client names"+todo)
	}
	return host.String(), nil
}
