package rules

// Reason is why there is nothing to dial, in the words of the API's ErrorInfo.
type Reason string

// The reasons.
const (
	// NotBound means that the bind's host or port is not known yet.
	NotBound Reason = "LISTENER_NOT_BOUND"
	// NotReachable means that no address is known on which this caller could reach the listener.
	NotReachable Reason = "LISTENER_NOT_REACHABLE"
)

// Unavailable says why there is nothing to dial, and what to do about it.
type Unavailable struct {
	Reason  Reason
	Message string
}

// Error implements error.
func (u *Unavailable) Error() string { return u.Message }

// unknown says what is missing of a bind that is not whole.
func unknown(bind Bind) string {
	switch {
	case bind.Port != 0:
		return "its bind host is not known"
	case !bind.Host.IsZero():
		return "its bind port is not known"
	default:
		return "its bind host and port are not known"
	}
}

func notBound(problem string) *Unavailable {
	return &Unavailable{NotBound, "the listener is not bound yet: " + problem +
		"; set bind.host and bind.port (for the default listener DIALPOINT_BIND_HOST and DIALPOINT_BIND_PORT), or have the " +
		"dashboard report them"}
}

func notReachable(problem string) *Unavailable {
	return &Unavailable{NotReachable, "the listener cannot be reached from outside its machine or network namespace: " + problem +
		"; set advertise (for the default listener DIALPOINT_ADVERTISE) to the host, host:port or URL that such callers " +
		"must dial, or ask with audience LOCAL if the caller shares the listener's loopback"}
}
