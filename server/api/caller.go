package api

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"

	"connectrpc.com/connect"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/server/rules"
)

// question is what both RPCs of the endpoint service ask.
type question interface {
	GetListener() string
	GetChannel() string
	GetAudience() dialpointv1.Audience
}

type audienceKey struct{}

// WithAudience says where the callers on a connection stand, unless a request says so itself. It is for
// [http.Server.ConnContext]. Without it the peer's address decides: one on loopback, and one that is no IP address, is
// [rules.Local], any other [rules.Remote].
func WithAudience(ctx context.Context, audience rules.Audience) context.Context {
	return context.WithValue(ctx, audienceKey{}, audience)
}

// callerOf says who asks. What the request leaves open, the connection decides; never a header, which anyone can
// write.
func callerOf(ctx context.Context, request question) (rules.Caller, error) {
	caller := rules.Caller{Channel: request.GetChannel(), Reached: reached(ctx)}
	if err := rules.CheckChannel(caller.Channel); err != nil {
		return caller, invalidField("channel", err.Error())
	}
	switch audience := request.GetAudience(); audience {
	case dialpointv1.Audience_AUDIENCE_LOCAL:
		caller.Audience = rules.Local
	case dialpointv1.Audience_AUDIENCE_REMOTE:
		caller.Audience = rules.Remote
	case dialpointv1.Audience_AUDIENCE_UNSPECIFIED:
		caller.Audience = audienceOf(ctx)
	default:
		return caller, invalidField("audience", fmt.Sprintf("%d is neither AUDIENCE_LOCAL nor AUDIENCE_REMOTE", audience))
	}
	return caller, nil
}

// reached is the host on which a caller over TCP reached this service.
func reached(ctx context.Context) rules.Host {
	if addr, ok := ctx.Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		return rules.AddrHost(addr.AddrPort().Addr())
	}
	return rules.Host{}
}

func peer(ctx context.Context) string {
	if info, ok := connect.CallInfoForHandlerContext(ctx); ok {
		return info.Peer().Addr
	}
	return ""
}

// audienceOf is where a caller stands. One without an IP address came over a unix socket or from within the process.
func audienceOf(ctx context.Context) rules.Audience {
	if said, isSaid := ctx.Value(audienceKey{}).(rules.Audience); isSaid {
		return said
	}
	addr, err := netip.ParseAddrPort(peer(ctx))
	if err != nil || addr.Addr().Unmap().IsLoopback() {
		return rules.Local
	}
	return rules.Remote
}
