package doctor

import (
	"net/url"
	"strings"
)

// lookup reads a variable of the environment, as [os.LookupEnv] does.
type lookup func(name string) (value string, set bool)

// get is the lookup itself. A nil one finds nothing.
func (env lookup) get(name string) (value string, set bool) {
	if env == nil {
		return "", false
	}
	return env(name)
}

// value is a variable's value. Empty is unset.
func (env lookup) value(name string) string {
	value, _ := env.get(name)
	return value
}

// first is the first of some variables that has a value.
func (env lookup) first(names ...string) (name, value string) {
	for _, name := range names {
		if value := env.value(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

const (
	noProxyLower = "no_proxy"
	noProxyUpper = "NO_PROXY"
)

// manner is how a family of clients reads the proxy variables.
type manner struct {
	name string
	// what are the clients, for people.
	what string
	// route says what the variables make of a ws or wss URL.
	route func(target *url.URL, env lookup) route
}

// route is where a client goes. The zero route is direct.
type route struct {
	// variable is what sends it to a proxy.
	variable string
	// refused means that the client does not go at all.
	refused bool
}

// manners are those of clients that children are made with. Each reads other variables, and the list of exceptions in
// another way.
var manners = []manner{
	{"go", "clients like Go's", goRoute},
	{"curl", "clients like curl", curlRoute},
	{"python", "clients like Python's", pythonRoute},
}

// proxies says for each manner whether a variable catches the URLs.
func proxies(s subject, env lookup) []Check {
	checks := make([]Check, len(manners))
	for i, manner := range manners {
		check := Check{Name: CheckProxy, Client: manner.name, Status: StatusOK, Finding: manner.what + " go direct"}
		if found := manner.route(s.target, env); found.variable != "" {
			check.Status = StatusWarning
			check.Finding = found.variable + " sends " + manner.what + " to a proxy"
			if found.refused {
				check.Finding = manner.what + " refuse to connect while both " + found.variable + " and " + requestMethod + " are set"
			}
			check.Advice = proxyAdvice(s, manner, found, env)
		}
		checks[i] = check
	}
	return checks
}

// proxyAdvice says which entries let clients go direct. Where they do not, as after a list that is not separated by
// commas, it does not say that they do.
func proxyAdvice(s subject, manner manner, caught route, env lookup) string {
	entries := strings.Join(bracketed(s.why().GetNoProxy()), ",")
	if manner.route(s.target, env.with(entries)) == (route{}) {
		return "add " + entries + " to NO_PROXY and no_proxy, or start the child with 'dialpoint exec', which does"
	}
	return "start the child without " + caught.variable + ": adding " + entries + " to NO_PROXY and no_proxy would not help"
}

// with is the environment with entries added to both spellings of NO_PROXY. Where only one is set, the other begins as a
// copy, as it does for a child of exec.
func (env lookup) with(entries string) lookup {
	return func(name string) (string, bool) {
		order := []string{noProxyLower, noProxyUpper}
		switch name {
		case noProxyLower:
		case noProxyUpper:
			order = []string{noProxyUpper, noProxyLower}
		default:
			return env.get(name)
		}
		_, list := env.first(order...)
		if list = strings.TrimRight(list, ", \t"); list != "" {
			list += ","
		}
		return list + entries, true
	}
}

// bracketed adds the spelling with brackets to each IPv6 address, for clients that look for the host as it stands in the
// URL.
func bracketed(entries []string) []string {
	var both []string
	for _, entry := range entries {
		both = append(both, entry)
		if strings.Contains(entry, ":") {
			both = append(both, "["+entry+"]")
		}
	}
	return both
}
