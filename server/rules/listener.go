package rules

// Listener is what decides how one dashboard is dialled.
type Listener struct {
	Bind Bind
	// Override is what the operator says children must dial. It wins always.
	Override Target
	// Advertise is what the operator says callers outside this machine must dial.
	Advertise Target
	// BasePath is the path under which the dashboard serves. Empty is the root.
	BasePath Path
	// GatewayPath and SidecarPath are the endpoints' paths below it. Empty is the default: "/api/ws" and "/api/pub".
	GatewayPath, SidecarPath Path
	Auth                     Auth
	// Warnings are said with every answer, after what the rules themselves have to say.
	Warnings []string
}

// Bind is what a listener listens on. Resolving never changes it.
type Bind struct {
	// Text is the host as it was said, untouched.
	Text string
	// Host is the host read from it. The zero Host means that it is not known.
	Host Host
	// Source says where the host came from, such as "flag --bind-host".
	Source string
	// Port is the port. Zero means that it is not known yet.
	Port Port
	// IPv6Only says whether an IPv6 wildcard refuses IPv4. Nil means that it is not known.
	IPv6Only *bool
	// TLS says whether the listener speaks TLS.
	TLS bool
	// OnlyIPv6Answers says that a probe found 127.0.0.1 to refuse and ::1 to accept on the port. It counts where
	// [Bind.MayBeIPv6Only] says so, and is nothing that anybody has said of the bind.
	OnlyIPv6Answers bool
}

// IsBound reports whether host and port are known.
func (b Bind) IsBound() bool { return !b.Host.IsZero() && b.Port != 0 }

// MayBeIPv6Only reports whether this is an IPv6 wildcard of which nobody has said if it refuses IPv4. Programs differ: a
// socket of Go's takes both, one of Python's asyncio does not (IPV6_V6ONLY, RFC 3493, section 5.3).
func (b Bind) MayBeIPv6Only() bool { return b.Host.wildcard == wildcardIPv6 && b.IPv6Only == nil }

// SaysSame reports whether two binds are alike in all that was said of them, whatever a probe has found. Each renewal of a
// lease asks, so that it is quick.
func (b Bind) SaysSame(other Bind) bool {
	only, otherOnly := b.IPv6Only, other.IPv6Only
	b.IPv6Only, b.OnlyIPv6Answers = nil, false
	other.IPv6Only, other.OnlyIPv6Answers = nil, false
	if only == nil || otherOnly == nil {
		return b == other && only == otherOnly
	}
	return b == other && *only == *otherOnly
}

func (b Bind) isIPv6Only() bool { return b.IPv6Only != nil && *b.IPv6Only }

func (b Bind) scheme() string {
	if b.TLS {
		return schemeWSS
	}
	return schemeWS
}

// Caller is who asks, and for what.
type Caller struct {
	Audience Audience
	// Reached is the host on which a caller over TCP reached the service. Zero when it came another way.
	Reached Host
	// Channel is the chat that the sidecar publishes for. Empty means no sidecar.
	Channel string
}

// Audience is where a caller stands.
type Audience uint8

// The audiences. The zero Audience is Remote: what is not known to share loopback must not be sent there.
const (
	// Remote callers do not share the listener's loopback.
	Remote Audience = iota
	// Local callers share the listener's loopback.
	Local
)
