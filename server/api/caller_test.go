package api_test

import (
	"net/http"
	"testing"

	"connectrpc.com/connect"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/server/api"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// noting is what the server's connections are noted to be.
func noting(audience rules.Audience) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(api.WithAudience(r.Context(), audience)))
		})
	}
}

// from elsewhere, over TCP, on a connection that is noted to be something.
func notedFrom(peer, reached string, audience rules.Audience) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler { return noting(audience)(from(peer, reached)(next)) }
}

func TestNotedAudience(t *testing.T) {
	t.Parallel()
	const lan = "192.0.2.10:9118"
	local, remote := dialpointv1.Audience_AUDIENCE_LOCAL, dialpointv1.Audience_AUDIENCE_REMOTE
	tests := map[string]struct {
		middleware func(http.Handler) http.Handler
		asked      dialpointv1.Audience
		want       dialpointv1.Audience
		dialHost   string
	}{
		"remote, from within the process":   {noting(rules.Remote), 0, remote, "edge.example"},
		"remote, from loopback":             {notedFrom("127.0.0.1:40000", "127.0.0.1:9118", rules.Remote), 0, remote, "edge.example"},
		"remote, says it is local":          {noting(rules.Remote), local, local, "127.0.0.1"},
		"remote, says so":                   {noting(rules.Remote), remote, remote, "edge.example"},
		"local, from elsewhere":             {notedFrom("192.0.2.77:40000", lan, rules.Local), 0, local, "127.0.0.1"},
		"local, says it is remote":          {noting(rules.Local), remote, remote, "edge.example"},
		"nothing noted, from elsewhere":     {from("192.0.2.77:40000", lan), 0, remote, "edge.example"},
		"nothing noted, within the process": {from("@", lan), 0, local, "127.0.0.1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := serve(t, test.middleware, advertising(t, bound(t, "0.0.0.0")))
			response, err := service.endpoints.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Audience: test.asked})
			must(t, err)
			why := response.GetEndpoints().GetExplanation()
			if why.GetAudience() != test.want || why.GetDialHost() != test.dialHost {
				t.Errorf("audience = %v, dial host = %q, want %v and %q", why.GetAudience(), why.GetDialHost(), test.want, test.dialHost)
			}
		})
	}
}

func advertising(t *testing.T, config listener.Config) listener.Config {
	t.Helper()
	target, err := rules.ParseTarget("edge.example")
	must(t, err)
	target.Source = "env DIALPOINT_ADVERTISE"
	config.Advertise = target
	return config
}

// A socket that is shared into another container must not lead to loopback there.
func TestRemoteOverUnixSocket(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		config listener.Config
		rule   dialpointv1.Rule
		url    string
	}{
		"wildcard":                {bound(t, "0.0.0.0"), 0, ""},
		"IPv6 wildcard":           {bound(t, "::"), 0, ""},
		"loopback":                {bound(t, "127.0.0.1"), 0, ""},
		"wildcard, advertised":    {advertising(t, bound(t, "0.0.0.0")), dialpointv1.Rule_RULE_ADVERTISED, "ws://edge.example:9119/api/ws?token=t"},
		"loopback, advertised":    {advertising(t, bound(t, "127.0.0.1")), dialpointv1.Rule_RULE_ADVERTISED, "ws://edge.example:9119/api/ws?token=t"},
		"a host of the network's": {bound(t, "192.0.2.10"), dialpointv1.Rule_RULE_BIND_HOST, "ws://192.0.2.10:9119/api/ws?token=t"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := serve(t, noting(rules.Remote), test.config).overUnix(t)
			response, err := client.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{})
			if test.url == "" {
				if connect.CodeOf(err) != connect.CodeFailedPrecondition || reasonOf(t, err) != "LISTENER_NOT_REACHABLE" {
					t.Errorf("error = %v", err)
				}
				return
			}
			must(t, err)
			if got := response.GetEndpoints(); got.GetExplanation().GetRule() != test.rule || got.GetGateway().GetUrl() != test.url {
				t.Errorf("rule %v, %s; want %v, %s", got.GetExplanation().GetRule(), got.GetGateway().GetUrl(), test.rule, test.url)
			}
		})
	}
}

func TestWatchGoesByTheNotedAudience(t *testing.T) {
	t.Parallel()
	client := serve(t, noting(rules.Remote), bound(t, "0.0.0.0")).overUnix(t)
	for asked, want := range map[dialpointv1.Audience]string{
		dialpointv1.Audience_AUDIENCE_UNSPECIFIED: "LISTENER_NOT_REACHABLE",
		dialpointv1.Audience_AUDIENCE_LOCAL:       "",
	} {
		stream, err := client.WatchEndpoints(t.Context(), &dialpointv1.WatchEndpointsRequest{Audience: asked})
		must(t, err)
		if !stream.Receive() {
			t.Fatal(stream.Err())
		}
		if got := stream.Msg().GetUnavailable().GetReason(); got != want {
			t.Errorf("asked as %v: unavailable for the reason %q, want %q", asked, got, want)
		}
		must(t, stream.Close())
	}
}
