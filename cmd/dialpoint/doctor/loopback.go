package doctor

import (
	"context"
	"net"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

const (
	loopbackIPv4 = "127.0.0.1"
	loopbackIPv6 = "::1"
)

// loopback says which loopback addresses answer for a listener that binds a wildcard. One on "::" may take IPv6 only,
// as those of Python's asyncio do, and nobody can see that in its configuration.
func (d *Doctor) loopback(ctx context.Context, s subject) Check {
	check := Check{Name: CheckLoopback, Status: StatusSkipped}
	if s.why().GetRule() != dialpointv1.Rule_RULE_WILDCARD_TO_LOOPBACK {
		check.Finding = "no wildcard became a loopback address"
		return check
	}
	own, other := loopbackIPv4, loopbackIPv6
	if s.target.Hostname() == loopbackIPv6 {
		own, other = other, own
	}
	own, other = s.withPort(own), s.withPort(other)
	check.Status, check.Finding = StatusOK, own+" answers"
	switch ownAnswers, otherAnswers := d.answers(ctx, own), d.answers(ctx, other); {
	case ownAnswers && otherAnswers:
		check.Finding += ", and " + other + ", too"
	case ownAnswers:
		check.Finding += ", and " + other + ", which is not dialled, does not"
	case otherAnswers:
		check.Status = StatusFailed
		check.Finding = other + " answers, and " + own + ", which is dialled, does not"
		check.Advice = otherFamily(other)
	default:
		check.Status = StatusFailed
		check.Finding = "neither " + own + " nor " + other + " answers"
	}
	return check
}

// otherFamily says how to have children dial the address that answers.
func otherFamily(address string) string {
	host, _, _ := net.SplitHostPort(address)
	only := "false"
	if host == loopbackIPv6 {
		host, only = "["+host+"]", "true"
	}
	return "set bind.ipv6_only to " + only + ", or the override (for the default listener DIALPOINT_OVERRIDE) to " + host
}
