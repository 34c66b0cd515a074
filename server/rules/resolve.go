package rules

// Endpoints is what a caller must dial, and why.
type Endpoints struct {
	Gateway Endpoint
	// Sidecar is nil for a caller without a channel.
	Sidecar *Endpoint
	// Credential is what the URLs carry. Its zero value is nothing.
	Credential  Credential
	Explanation Explanation
}

// Endpoint is one WebSocket URL in three spellings.
type Endpoint struct {
	// URL is ready to dial.
	URL Secret
	// DisplayURL is URL with [Redacted] for the credential's value.
	DisplayURL string
	// BareURL is URL without the credential.
	BareURL string
}

// Explanation says what decided.
type Explanation struct {
	Rule Rule
	// Source says where the deciding value came from. It is "probe" where trying it out has decided.
	Source   string
	DialHost Host
	DialPort Port
	Audience Audience
	// NoProxy is what a child behind a proxy needs in NO_PROXY.
	NoProxy  []string
	Warnings []string
}

// Rule is what chose the dial host.
type Rule uint8

// The rules, in the order of precedence that the package comment gives.
const (
	// RuleOverride is an operator's word to children.
	RuleOverride Rule = iota + 1
	// RuleAdvertised is an operator's word to callers outside this machine.
	RuleAdvertised
	// RuleWildcardToLoopback sends a local caller to loopback, since the listener binds every interface.
	RuleWildcardToLoopback
	// RuleWildcardToReachedAddress sends a remote caller to where it reached the service.
	RuleWildcardToReachedAddress
	// RuleBindHost leaves a bind host that is no wildcard as it stands.
	RuleBindHost
)

// Resolve applies the rules. The error is an [*Unavailable], or an error about the caller's channel.
func Resolve(listener Listener, caller Caller) (Endpoints, error) {
	if err := CheckChannel(caller.Channel); err != nil {
		return Endpoints{}, err
	}
	found, err := choose(listener, caller)
	if err != nil {
		return Endpoints{}, err
	}
	if found.port == 0 {
		return Endpoints{}, notBound("what is configured to be dialled has no port, and the bind port is not known")
	}
	return found.endpoints(listener, caller), nil
}

// choose finds the dial host by the rules for the caller's audience, the first that applies.
func choose(listener Listener, caller Caller) (choice, error) {
	switch {
	case caller.Audience == Remote && !listener.Advertise.IsZero():
		return chooseTarget(listener, listener.Advertise, RuleAdvertised), nil
	case !listener.Override.IsZero():
		return chooseTarget(listener, listener.Override, RuleOverride), nil
	case !listener.Bind.IsBound():
		return choice{}, notBound(unknown(listener.Bind))
	case caller.Audience == Local:
		return chooseLocal(listener), nil
	default:
		return chooseRemote(listener, caller)
	}
}

func chooseTarget(listener Listener, target Target, rule Rule) choice {
	found := choice{
		rule:   rule,
		source: target.Source,
		scheme: listener.Bind.scheme(),
		host:   target.Host,
		port:   target.dialPort(listener.Bind.Port),
		base:   listener.BasePath,

		warnings: target.warnings(),
	}
	if target.Scheme != "" {
		found.scheme = target.Scheme
		found.portUnsaid = target.Port == 0
	}
	if target.HasPrefix {
		found.base = target.Prefix
	}
	return found
}

func chooseLocal(listener Listener) choice {
	if !listener.Bind.Host.IsWildcard() {
		return chooseBind(listener, listener.Bind.Host, RuleBindHost)
	}
	dial, source := loopback(listener.Bind)
	found := chooseBind(listener, dial, RuleWildcardToLoopback)
	found.source = source
	return found
}

func chooseRemote(listener Listener, caller Caller) (choice, error) {
	bind := listener.Bind
	switch {
	case bind.Host.IsLoopback():
		return choice{}, notReachable("it listens on loopback only, so that others need another bind.host, or something that forwards to it")
	case !bind.Host.IsWildcard():
		return chooseBind(listener, bind.Host, RuleBindHost), nil
	}
	if problem := badReached(bind, caller.Reached); problem != "" {
		return choice{}, notReachable(problem)
	}
	return chooseBind(listener, caller.Reached, RuleWildcardToReachedAddress), nil
}

// chooseBind dials a host on the bind's own scheme, port and path.
func chooseBind(listener Listener, host Host, rule Rule) choice {
	return choice{
		rule:   rule,
		source: listener.Bind.Source,
		scheme: listener.Bind.scheme(),
		host:   host,
		port:   listener.Bind.Port,
		base:   listener.BasePath,
	}
}
