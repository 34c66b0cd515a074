package rules

// warnings gathers what a person should know about an answer. None of them holds a secret.
func warnings(c choice, listener Listener) []string {
	found := append(c.host.warnings(), c.warnings...)
	if auth := listener.Auth; (auth.Mode == AuthToken || auth.Mode == AuthInternal) && auth.Credential.IsZero() {
		found = append(found, "auth mode is "+string(auth.Mode)+" but no credential is known, so the URLs carry none and the "+
			"dashboard will refuse them; set auth.credential_file (for the default listener DIALPOINT_CREDENTIAL_FILE)")
	}
	if bind := listener.Bind; bind.isIPv6Only() && bind.Host.wildcard != wildcardIPv6 {
		found = append(found, "ipv6_only has no meaning with bind host "+Quote(bind.Text)+", which is not the IPv6 wildcard")
	}
	return append(found, listener.Warnings...)
}
