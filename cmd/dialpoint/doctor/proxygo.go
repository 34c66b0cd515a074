package doctor

import (
	"net/url"

	"golang.org/x/net/http/httpproxy"
)

// requestMethod marks a process that a web server started for a request (RFC 3875, section 4.1.12). HTTP_PROXY may then
// be that request's header "Proxy", so that nobody trusts it.
const requestMethod = "REQUEST_METHOD"

// goRoute is the manner of [net/http.ProxyFromEnvironment]. Go's WebSocket clients, coder/websocket and
// gorilla/websocket among them, ask it about the URL with ws for http and wss for https. It goes direct for localhost and
// loopback addresses, and knows no ALL_PROXY.
func goRoute(target *url.URL, env lookup) route {
	plain, plainProxy := env.first("http_proxy", "HTTP_PROXY")
	secure, secureProxy := env.first("https_proxy", "HTTPS_PROXY")
	_, exceptions := env.first(noProxyLower, noProxyUpper)
	config := httpproxy.Config{
		HTTPProxy:  plainProxy,
		HTTPSProxy: secureProxy,
		NoProxy:    exceptions,
		CGI:        env.value(requestMethod) != "",
	}
	asked := *target
	asked.Scheme = schemeHTTP
	variable := plain
	if target.Scheme == schemeWSS {
		asked.Scheme, variable = schemeHTTPS, secure
	}
	proxy, err := config.ProxyFunc()(&asked)
	switch {
	case err != nil:
		return route{variable: variable, refused: true}
	case proxy == nil:
		return route{}
	}
	return route{variable: variable}
}
