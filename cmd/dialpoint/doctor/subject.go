package doctor

import (
	"errors"
	"net"
	"net/url"
	"strings"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

const (
	schemeWS    = "ws"
	schemeWSS   = "wss"
	schemeHTTP  = "http"
	schemeHTTPS = "https"
)

// errNoURL is of a service that keeps to another contract. What it sent is not shown: nobody knows what is in it.
var errNoURL = errors.New("the service answered without a URL that can be read: see whether it is as new as this command")

// subject is what is examined: an answer of the service, and what its URLs agree in.
type subject struct {
	answer *dialpointv1.Endpoints
	// target is the gateway's URL without the credential.
	target *url.URL
}

func newSubject(answer *dialpointv1.Endpoints) (subject, error) {
	target, err := url.Parse(answer.GetGateway().GetBareUrl())
	if err != nil || target.Hostname() == "" || target.Scheme != schemeWS && target.Scheme != schemeWSS {
		return subject{}, errNoURL
	}
	return subject{answer: answer, target: target}, nil
}

func (s subject) why() *dialpointv1.Explanation { return s.answer.GetExplanation() }

func (s subject) isTLS() bool { return s.target.Scheme == schemeWSS }

// address is where to connect to.
func (s subject) address() string { return s.withPort(s.target.Hostname()) }

// withPort is another host at the port to dial.
func (s subject) withPort(host string) string { return net.JoinHostPort(host, portOf(s.target)) }

// portOf is the port to dial, the scheme's own where the URL has none.
func portOf(target *url.URL) string {
	switch port := target.Port(); {
	case port != "":
		return port
	case target.Scheme == schemeWSS:
		return "443"
	}
	return "80"
}

// named is an endpoint and what it is called.
type named struct {
	*dialpointv1.Endpoint

	name string
}

func (s subject) endpoints() []named { return endpointsOf(s.answer) }

func endpointsOf(answer *dialpointv1.Endpoints) []named {
	found := []named{{answer.GetGateway(), Gateway}}
	if answer.GetSidecar() != nil {
		found = append(found, named{answer.GetSidecar(), Sidecar})
	}
	return found
}

// resolved says what was handed out, and passes the service's warnings on.
func resolved(answer *dialpointv1.Endpoints) []Check {
	why := answer.GetExplanation()
	var checks []Check
	for _, endpoint := range endpointsOf(answer) {
		checks = append(checks, Check{
			Name: CheckResolve, Endpoint: endpoint.name, Status: StatusOK,
			Finding: endpoint.GetDisplayUrl() + " by the rule " + ruleName(why.GetRule()) + ", decided by " + why.GetSource(),
		})
	}
	for _, warning := range why.GetWarnings() {
		checks = append(checks, Check{Name: CheckExplanation, Status: StatusWarning, Finding: warning})
	}
	return checks
}

func ruleName(rule dialpointv1.Rule) string {
	return strings.ToLower(strings.TrimPrefix(rule.String(), "RULE_"))
}

// correction says which setting to correct when the address is wrong.
func (s subject) correction() string {
	switch s.why().GetRule() {
	case dialpointv1.Rule_RULE_OVERRIDE:
		return "correct the override, which comes from " + s.why().GetSource()
	case dialpointv1.Rule_RULE_ADVERTISED:
		return "correct the advertised address, which comes from " + s.why().GetSource()
	default:
		return "let the dashboard report what it binds, or correct bind.host and bind.port (for the default listener " +
			"DIALPOINT_BIND_HOST and DIALPOINT_BIND_PORT)"
	}
}
