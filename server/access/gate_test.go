package access_test

import (
	"context"
	"testing"

	"connectrpc.com/connect"
	"connectrpc.com/grpcreflect"
	"google.golang.org/protobuf/types/known/emptypb"

	"dialpoint/server/access"
)

// protocols are the protocols in which a caller may speak. On HTTP/1.1 there is no gRPC.
var protocols = []struct {
	name    string
	http2   bool
	options []connect.ClientOption
}{
	{"Connect, HTTP1", false, nil},
	{"Connect, HTTP2", true, nil},
	{"Connect JSON, HTTP1", false, []connect.ClientOption{connect.WithProtoJSON()}},
	{"gRPC, HTTP2", true, []connect.ClientOption{connect.WithGRPC()}},
	{"gRPC-Web, HTTP1", false, []connect.ClientOption{connect.WithGRPCWeb()}},
	{"gRPC-Web, HTTP2", true, []connect.ClientOption{connect.WithGRPCWeb()}},
}

func TestRolesInEveryProtocol(t *testing.T) {
	t.Parallel()
	tcp, unix := overTCP(t, withTokens()), overUnix(t, access.Policy{})
	tests := map[string]struct {
		peer                 peer
		resolve, watch, list string
	}{
		"no token":              {tcp, "CREDENTIAL_MISSING", "CREDENTIAL_MISSING", "CREDENTIAL_MISSING"},
		"wrong token":           {tcp.bearer("hunter2-0123456789"), "CREDENTIAL_INVALID", "CREDENTIAL_INVALID", "CREDENTIAL_INVALID"},
		"child":                 {tcp.bearer(childToken), "child", "child", "ROLE_FORBIDDEN"},
		"operator":              {tcp.bearer(operatorToken), "operator", "operator", "operator"},
		"another Host":          {withHost(tcp.bearer(operatorToken), "evil.example"), "HOST_FORBIDDEN", "HOST_FORBIDDEN", "HOST_FORBIDDEN"},
		"a page":                {tcp.bearer(operatorToken).shows("Origin", "http://evil.example"), "ORIGIN_FORBIDDEN", "ORIGIN_FORBIDDEN", "ORIGIN_FORBIDDEN"},
		"unix, same user":       {unix, "operator", "operator", "operator"},
		"unix, another Host":    {withHost(unix, "evil.example"), "operator", "operator", "operator"},
		"unix, header unlooked": {unix.bearer("hunter2"), "operator", "operator", "operator"},
		"unix, a page":          {unix.shows("Origin", "null"), "ORIGIN_FORBIDDEN", "ORIGIN_FORBIDDEN", "ORIGIN_FORBIDDEN"},
	}
	for name, test := range tests {
		for _, protocol := range protocols {
			t.Run(name+"/"+protocol.name, func(t *testing.T) {
				t.Parallel()
				peer := test.peer
				peer.http2 = protocol.http2
				got, err := peer.resolve(t, protocol.options...)
				wantRole(t, got, err, test.resolve)
				got, err = peer.watch(t, protocol.options...)
				wantRole(t, got, err, test.watch)
				got, err = peer.list(t, protocol.options...)
				wantRole(t, got, err, test.list)
			})
		}
	}
}

func withHost(p peer, host string) peer {
	p.host = host
	return p
}

func TestHealthAndReflectionNeedNoToken(t *testing.T) {
	t.Parallel()
	for name, peer := range map[string]peer{
		"no token": overTCP(t, withTokens()), "wrong token": overTCP(t, withTokens()).bearer("x"), "unix": overUnix(t, access.Policy{}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peer.http2 = true
			check := connect.NewClient[emptypb.Empty, emptypb.Empty](peer.web(t), peer.url+"/grpc.health.v1.Health/Check")
			if _, err := check.CallUnary(t.Context(), connect.NewRequest(&emptypb.Empty{})); err != nil {
				t.Errorf("health: %v", err)
			}
			watchHealth(t, peer)
			stream := grpcreflect.NewClient(peer.web(t), peer.url).NewStream(t.Context())
			defer func() { _, _ = stream.Close() }()
			if services, err := stream.ListServices(); err != nil || len(services) != 1 {
				t.Errorf("reflection: %v, %v", services, err)
			}
		})
	}
}

func watchHealth(t *testing.T, peer peer) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	client := connect.NewClient[emptypb.Empty, emptypb.Empty](peer.web(t), peer.url+"/grpc.health.v1.Health/Watch", connect.WithGRPC())
	stream, err := client.CallServerStream(ctx, connect.NewRequest(&emptypb.Empty{}))
	must(t, err)
	if !stream.Receive() {
		t.Errorf("health watch: %v", stream.Err())
	}
	cancel()
	_ = stream.Close()
}
