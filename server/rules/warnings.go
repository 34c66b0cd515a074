package rules

// giveCredential is what to do where no credential is known.
const giveCredential = "set auth.credential_file (for the default listener DIALPOINT_CREDENTIAL_FILE) or have the dashboard " +
	"report its credential"

// NoCredential is the warning about a listener of which neither a credential nor an auth mode is said. Its children are
// sent to a dashboard that may refuse them.
const NoCredential = "no credential is known, so auth.mode is none and the URLs carry none: " + giveCredential +
	", or set auth.mode to none if the dashboard wants no credential"

// warnings gathers what a person should know about an answer. None of them holds a secret.
func warnings(c choice, listener Listener, audience Audience) []string {
	found := append(c.host.warnings(), c.warnings...)
	// What is advertised may be loopback for a reason: a port that is published there.
	if c.rule == RuleOverride && audience == Remote && c.host.IsLoopback() {
		found = append(found, "the override "+c.host.String()+" is loopback, where a REMOTE caller finds itself and not the "+
			"listener; set advertise (for the default listener DIALPOINT_ADVERTISE) to what such callers must dial")
	}
	if listener.Auth.Credential.IsZero() {
		found = append(found, withoutCredential(listener.Auth.Mode)...)
	}
	if bind := listener.Bind; bind.isIPv6Only() && bind.Host.wildcard != wildcardIPv6 {
		found = append(found, "ipv6_only has no meaning with bind host "+Quote(bind.Text)+", which is not the IPv6 wildcard")
	}
	return append(found, listener.Warnings...)
}

// withoutCredential is what a mode means where no credential is known. That it is none is fine if somebody has said so.
func withoutCredential(mode AuthMode) []string {
	switch mode {
	case AuthToken, AuthInternal:
		return []string{"auth mode is " + string(mode) + " but no credential is known, so the URLs carry none and the " +
			"dashboard will refuse them; " + giveCredential}
	case "":
		return []string{NoCredential}
	default:
		return nil
	}
}
