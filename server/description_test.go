package server_test

import (
	"strings"
	"testing"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server"
	"dialpoint/server/rules"
)

func TestDescribedListener(t *testing.T) {
	t.Parallel()
	only := true
	tests := map[string]struct {
		listener server.Listener
		gateway  string
		sidecar  string
	}{
		"wildcard": {
			wildcard(),
			"ws://127.0.0.1:9119/api/ws?token=t", "ws://127.0.0.1:9119/api/pub?token=t&channel=c",
		},
		"the empty host is every interface": {
			server.Listener{Bind: server.Bind{Port: 9119}},
			"ws://127.0.0.1:9119/api/ws", "ws://127.0.0.1:9119/api/pub?channel=c",
		},
		"IPv6 only, TLS, under a path": {
			server.Listener{Bind: server.Bind{Host: "::", Port: 9119, IPv6Only: &only, TLS: true}, BasePath: "hermes/"},
			"wss://[::1]:9119/hermes/api/ws", "wss://[::1]:9119/hermes/api/pub?channel=c",
		},
		"override without a bind": {
			server.Listener{Override: "https://edge.example/x", Credential: "t", AuthMode: rules.AuthInternal},
			"wss://edge.example/x/api/ws?internal=t", "wss://edge.example/x/api/pub?internal=t&channel=c",
		},
		"a credential that is not asked for": {
			server.Listener{Bind: server.Bind{Host: "10.0.0.7", Port: 1}, Credential: "t", AuthMode: rules.AuthNone},
			"ws://10.0.0.7:1/api/ws", "ws://10.0.0.7:1/api/pub?channel=c",
		},
		"paths of its own": {
			server.Listener{Bind: server.Bind{Host: "10.0.0.7", Port: 65535}, GatewayPath: "/g", SidecarPath: "s"},
			"ws://10.0.0.7:65535/g", "ws://10.0.0.7:65535/s?channel=c",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := start(t, server.WithListener(test.listener))
			response, err := service.endpoints(t).ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Channel: "c"})
			must(t, err)
			if got := response.GetEndpoints().GetGateway().GetUrl(); got != test.gateway {
				t.Errorf("gateway = %q, want %q", got, test.gateway)
			}
			if got := response.GetEndpoints().GetSidecar().GetUrl(); got != test.sidecar {
				t.Errorf("sidecar = %q, want %q", got, test.sidecar)
			}
		})
	}
}

func TestBadDescriptionIsRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		listener server.Listener
		says     string
	}{
		"name":          {server.Listener{Name: "a b"}, `listener "a b": a listener's name must be`},
		"host":          {server.Listener{Bind: server.Bind{Host: "a b", Port: 1}}, `bind: "a b" is no host`},
		"port":          {server.Listener{Bind: server.Bind{Port: 65536}}, "port 65536 is not from 0 to 65535"},
		"negative port": {server.Listener{Bind: server.Bind{Port: -1}}, "port -1 is not"},
		"override":      {server.Listener{Override: "0.0.0.0"}, `override: "0.0.0.0" is no target`},
		"advertise":     {server.Listener{Advertise: "ftp://x"}, `advertise: "ftp://x" is no target`},
		"base path":     {server.Listener{BasePath: "/a/../b"}, "base path: "},
		"gateway path":  {server.Listener{GatewayPath: "/a?b"}, "gateway path: "},
		"sidecar path":  {server.Listener{SidecarPath: "/a b"}, "sidecar path: "},
		"auth mode":     {server.Listener{AuthMode: "cookie"}, `auth mode: "cookie" is no auth mode: it must be token, internal or none`},
		"root endpoint": {server.Listener{GatewayPath: "/"}, "gateway path: "},
		"credential":    {server.Listener{Credential: "a\nb"}, "credential: "},
		"the first":     {server.Listener{Override: "0.0.0.0", BasePath: "?"}, "override: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := server.New(server.WithListener(test.listener)); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error = %v, want one that says %q", err, test.says)
			}
		})
	}
}

func TestTwoListenersOfOneNameAreRefused(t *testing.T) {
	t.Parallel()
	_, err := server.New(server.WithListener(wildcard()), server.WithListener(wildcard()))
	if err == nil || !strings.Contains(err.Error(), `listener "default": the name is there twice`) {
		t.Errorf("error = %v", err)
	}
}

func TestSetBind(t *testing.T) {
	t.Parallel()
	service := start(t, server.WithListener(server.Listener{Credential: "t"}))
	must(t, service.SetBind("", server.Bind{Host: "0.0.0.0", Port: 41234}))
	if got, want := service.gateway(t), "ws://127.0.0.1:41234/api/ws?token=t"; got != want {
		t.Errorf("url = %q, want %q", got, want)
	}
	response, err := dialpointv1connect.NewListenerServiceClient(overHTTP1(t), service.tcp).
		GetListener(t.Context(), &dialpointv1.GetListenerRequest{})
	must(t, err)
	if got := response.GetListener(); got.GetBindSource() != dialpointv1.BindSource_BIND_SOURCE_REPORT || got.GetBind().GetHost() != "0.0.0.0" {
		t.Errorf("listener = %v, want a report of 0.0.0.0", got)
	}
}

func TestSetBindIsTakenBack(t *testing.T) {
	t.Parallel()
	service := start(t, server.WithListener(wildcard()))
	must(t, service.SetBind("", server.Bind{Host: "10.0.0.7", Port: 41234}))
	must(t, service.SetBind("", server.Bind{}))
	if got, want := service.gateway(t), "ws://127.0.0.1:9119/api/ws?token=t"; got != want {
		t.Errorf("url = %q, want that of the description, %q", got, want)
	}
}

func TestBadSetBindChangesNothing(t *testing.T) {
	t.Parallel()
	service := start(t, server.WithListener(wildcard()))
	before := service.gateway(t)
	tests := map[string]struct {
		name string
		bind server.Bind
		says string
	}{
		"listener that is not there": {"nobody", server.Bind{Port: 1}, `listener "nobody" is not configured`},
		"bad host":                   {"default", server.Bind{Host: "${HOST}", Port: 1}, "was a variable not expanded?"},
		"no name, which is default":  {"", server.Bind{Port: 70000}, `bind of listener "default": port 70000`},
		"bad port":                   {"default", server.Bind{Port: 70000}, `bind of listener "default": port 70000`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := service.SetBind(test.name, test.bind); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error = %v, want one that says %q", err, test.says)
			}
			if got := service.gateway(t); got != before {
				t.Errorf("url = %q, was %q", got, before)
			}
		})
	}
}
