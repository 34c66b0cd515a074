package api_test

import (
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

func TestResolveAnswersWithEverything(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, bound(t, "0.0.0.0"))
	response, err := service.endpoints.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Channel: "chat-1"})
	must(t, err)
	want := &dialpointv1.Endpoints{
		Listener: "default",
		Gateway: &dialpointv1.Endpoint{
			Url:        "ws://127.0.0.1:9119/api/ws?token=t",
			DisplayUrl: "ws://127.0.0.1:9119/api/ws?token=REDACTED",
			BareUrl:    "ws://127.0.0.1:9119/api/ws",
		},
		Sidecar: &dialpointv1.Endpoint{
			Url:        "ws://127.0.0.1:9119/api/pub?token=t&channel=chat-1",
			DisplayUrl: "ws://127.0.0.1:9119/api/pub?token=REDACTED&channel=chat-1",
			BareUrl:    "ws://127.0.0.1:9119/api/pub?channel=chat-1",
		},
		Explanation: &dialpointv1.Explanation{
			Rule:     dialpointv1.Rule_RULE_WILDCARD_TO_LOOPBACK,
			Source:   "flag --bind-host",
			BindHost: "0.0.0.0", BindPort: 9119,
			DialHost: "127.0.0.1", DialPort: 9119,
			Audience: dialpointv1.Audience_AUDIENCE_LOCAL,
			NoProxy:  []string{"127.0.0.1"},
		},
		Revision:   firstRevision + 1,
		Credential: &dialpointv1.Credential{Parameter: "token", Value: "t"},
	}
	if diff := cmp.Diff(want, response.GetEndpoints(), protocmp.Transform()); diff != "" {
		t.Errorf("endpoints (-want +got):\n%s", diff)
	}
}

func TestResolveLeavesOutWhatThereIsNot(t *testing.T) {
	t.Parallel()
	config := bound(t, "127.0.0.1")
	config.Auth.Mode = rules.AuthNone
	service := serve(t, nil, config)
	response, err := service.endpoints.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{})
	must(t, err)
	if got := response.GetEndpoints(); got.GetSidecar() != nil || got.GetCredential() != nil {
		t.Errorf("sidecar = %v, credential = %v, want neither", got.GetSidecar(), got.GetCredential())
	}
	if got, want := response.GetEndpoints().GetGateway().GetUrl(), "ws://127.0.0.1:9119/api/ws"; got != want {
		t.Errorf("url = %q, want %q", got, want)
	}
}

func TestResolveErrors(t *testing.T) {
	t.Parallel()
	loopback := bound(t, "127.0.0.1")
	loopback.Name = "loopback"
	service := serve(t, nil, unbound(), loopback)
	tests := map[string]struct {
		request *dialpointv1.ResolveEndpointsRequest
		code    connect.Code
		reason  string
		says    string
		field   string
		retry   bool
	}{
		"no such listener": {
			request: &dialpointv1.ResolveEndpointsRequest{Listener: "nobody"},
			code:    connect.CodeNotFound, reason: "LISTENER_UNKNOWN", says: `no listener "nobody"`,
		},
		"a very long name, of which a part is sent back": {
			request: &dialpointv1.ResolveEndpointsRequest{Listener: strings.Repeat("n", 60000)},
			code:    connect.CodeNotFound, reason: "LISTENER_UNKNOWN", says: `"` + strings.Repeat("n", 128) + `…";`,
		},
		"a very long name, cut between two characters": {
			request: &dialpointv1.ResolveEndpointsRequest{Listener: strings.Repeat("n", 127) + "éé"},
			code:    connect.CodeNotFound, reason: "LISTENER_UNKNOWN", says: `"` + strings.Repeat("n", 127) + `…";`,
		},
		"no such listener, however long it waits": {
			request: &dialpointv1.ResolveEndpointsRequest{Listener: "nobody", Wait: durationpb.New(time.Minute)},
			code:    connect.CodeNotFound, reason: "LISTENER_UNKNOWN", says: "dialpoint listeners",
		},
		"not bound": {
			request: &dialpointv1.ResolveEndpointsRequest{},
			code:    connect.CodeUnavailable, reason: "LISTENER_NOT_BOUND", says: "DIALPOINT_BIND_PORT), or have the dashboard report them; or ask with wait", retry: true,
		},
		"not bound when the wait is over": {
			request: &dialpointv1.ResolveEndpointsRequest{Wait: durationpb.New(time.Millisecond)},
			code:    connect.CodeUnavailable, reason: "LISTENER_NOT_BOUND", says: "not bound yet", retry: true,
		},
		"loopback for a remote caller": {
			request: &dialpointv1.ResolveEndpointsRequest{Listener: "loopback", Audience: dialpointv1.Audience_AUDIENCE_REMOTE},
			code:    connect.CodeFailedPrecondition, reason: "LISTENER_NOT_REACHABLE", says: "DIALPOINT_ADVERTISE",
		},
		"loopback for a remote caller, which waiting does not mend": {
			request: &dialpointv1.ResolveEndpointsRequest{
				Listener: "loopback", Audience: dialpointv1.Audience_AUDIENCE_REMOTE, Wait: durationpb.New(time.Minute),
			},
			code: connect.CodeFailedPrecondition, reason: "LISTENER_NOT_REACHABLE", says: `listener "loopback"`,
		},
		"channel with a space": {
			request: &dialpointv1.ResolveEndpointsRequest{Channel: "a b"},
			code:    connect.CodeInvalidArgument, reason: "FIELD_INVALID", says: "channel: ", field: "channel",
		},
		"channel of 129 bytes": {
			request: &dialpointv1.ResolveEndpointsRequest{Channel: strings.Repeat("c", 129)},
			code:    connect.CodeInvalidArgument, reason: "FIELD_INVALID", says: "128", field: "channel",
		},
		"wait over 5 minutes": {
			request: &dialpointv1.ResolveEndpointsRequest{Wait: durationpb.New(5*time.Minute + 1)},
			code:    connect.CodeInvalidArgument, reason: "FIELD_INVALID", says: "5m0.000000001s is not from 0s to 5m0s", field: "wait",
		},
		"negative wait": {
			request: &dialpointv1.ResolveEndpointsRequest{Wait: durationpb.New(-500 * time.Millisecond)},
			code:    connect.CodeInvalidArgument, reason: "FIELD_INVALID", says: "wait: -500ms is not", field: "wait",
		},
		"wait of a thousand years": {
			request: &dialpointv1.ResolveEndpointsRequest{Wait: &durationpb.Duration{Seconds: 31_556_952_000}},
			code:    connect.CodeInvalidArgument, reason: "FIELD_INVALID", says: "wait: 31556952000s is not", field: "wait",
		},
		"wait that is no duration": {
			request: &dialpointv1.ResolveEndpointsRequest{Wait: &durationpb.Duration{Seconds: 1, Nanos: -1}},
			code:    connect.CodeInvalidArgument, reason: "FIELD_INVALID", says: "wait: 1 seconds and -1 nanoseconds are no", field: "wait",
		},
		"audience that there is not": {
			request: &dialpointv1.ResolveEndpointsRequest{Audience: 7},
			code:    connect.CodeInvalidArgument, reason: "FIELD_INVALID", says: "audience: 7", field: "audience",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := service.endpoints.ResolveEndpoints(t.Context(), test.request)
			if got := connect.CodeOf(err); got != test.code {
				t.Fatalf("code = %v of %v, want %v", got, err, test.code)
			}
			if got := reasonOf(t, err); got != test.reason {
				t.Errorf("reason = %q, want %q", got, test.reason)
			}
			if !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %q does not say %q", err, test.says)
			}
			checkField(t, err, test.field)
			if retry, found := detail[*errdetails.RetryInfo](err); found != test.retry || found && retry.GetRetryDelay().AsDuration() <= 0 {
				t.Errorf("RetryInfo = %v, want one: %t", retry, test.retry)
			}
		})
	}
}

// checkField checks which field a BadRequest names. None is wanted where the field is empty.
func checkField(t *testing.T, err error, field string) {
	t.Helper()
	var got []string
	if bad, found := detail[*errdetails.BadRequest](err); found {
		for _, violation := range bad.GetFieldViolations() {
			got = append(got, violation.GetField())
		}
	}
	var want []string
	if field != "" {
		want = []string{field}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("violated fields (-want +got):\n%s", diff)
	}
}

func TestUnknownDefaultListenerIsNamed(t *testing.T) {
	t.Parallel()
	_, err := serve(t, nil).endpoints.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{})
	if err == nil || !strings.Contains(err.Error(), `there is no listener "default"`) {
		t.Errorf("error = %v, want one that names the listener", err)
	}
}

func TestResolveAudience(t *testing.T) {
	t.Parallel()
	const lan = "192.0.2.10:9118"
	local, remote := dialpointv1.Audience_AUDIENCE_LOCAL, dialpointv1.Audience_AUDIENCE_REMOTE
	tests := map[string]struct {
		middleware func(http.Handler) http.Handler
		asked      dialpointv1.Audience
		want       dialpointv1.Audience
		dialHost   string
	}{
		"loopback peer":                   {from("127.0.0.1:40000", "127.0.0.1:9118"), 0, local, "127.0.0.1"},
		"another loopback peer":           {from("127.8.8.8:40000", "127.0.0.1:9118"), 0, local, "127.0.0.1"},
		"IPv6 loopback peer":              {from("[::1]:40000", "[::1]:9118"), 0, local, "127.0.0.1"},
		"IPv4-mapped loopback peer":       {from("[::ffff:127.0.0.1]:40000", "127.0.0.1:9118"), 0, local, "127.0.0.1"},
		"peer from elsewhere":             {from("192.0.2.77:40000", lan), 0, remote, "192.0.2.10"},
		"peer through a mapped socket":    {from("[::ffff:192.0.2.77]:40000", "[::ffff:192.0.2.10]:9118"), 0, remote, "192.0.2.10"},
		"peer over the machine's own LAN": {from("192.0.2.10:40000", lan), 0, remote, "192.0.2.10"},
		"elsewhere, says it is local":     {from("192.0.2.77:40000", lan), local, local, "127.0.0.1"},
		"no address: within the process":  {from("pipe", lan), 0, local, "127.0.0.1"},
		"no address, says it is remote":   {from("@", lan), remote, remote, "192.0.2.10"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := serve(t, test.middleware, bound(t, "0.0.0.0"))
			response, err := service.endpoints.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Audience: test.asked})
			must(t, err)
			why := response.GetEndpoints().GetExplanation()
			if why.GetAudience() != test.want || why.GetDialHost() != test.dialHost {
				t.Errorf("audience = %v, dial host = %q, want %v and %q", why.GetAudience(), why.GetDialHost(), test.want, test.dialHost)
			}
		})
	}
}

func TestResolveOverUnixSocketIsLocal(t *testing.T) {
	t.Parallel()
	client := serve(t, nil, bound(t, "0.0.0.0")).overUnix(t)
	response, err := client.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{})
	must(t, err)
	if got := response.GetEndpoints().GetExplanation().GetAudience(); got != dialpointv1.Audience_AUDIENCE_LOCAL {
		t.Errorf("audience = %v, want LOCAL", got)
	}
	// Asked as REMOTE there is no address to go by.
	_, err = client.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Audience: dialpointv1.Audience_AUDIENCE_REMOTE})
	if got := reasonOf(t, err); got != "LISTENER_NOT_REACHABLE" {
		t.Errorf("reason = %q, want LISTENER_NOT_REACHABLE", got)
	}
}

func TestResolveIgnoresHostHeader(t *testing.T) {
	t.Parallel()
	service := serve(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Host = "evil.example"
			next.ServeHTTP(w, r)
		})
	}, bound(t, "0.0.0.0"))
	response, err := service.endpoints.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{})
	must(t, err)
	if text := response.String(); strings.Contains(text, "evil") {
		t.Errorf("the answer %s follows the Host header", text)
	}
}

func TestResolveIsPostOnly(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, bound(t, "0.0.0.0"))
	response, err := service.server.Client().Get(service.server.URL +
		"/dialpoint.v1.EndpointService/ResolveEndpoints?connect=v1&encoding=json&message=%7B%7D")
	must(t, err)
	must(t, response.Body.Close())
	if response.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("status = %d, want 405", response.StatusCode)
	}
}

func TestResolveWaitsUntilBound(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, unbound())
	type result struct {
		response *dialpointv1.ResolveEndpointsResponse
		err      error
	}
	answered := make(chan result, 1)
	go func() {
		response, err := service.endpoints.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Wait: durationpb.New(time.Minute)})
		answered <- result{response, err}
	}()
	awaitHeld(t, service.registry)
	select {
	case got := <-answered:
		t.Fatalf("answered %v, %v before the listener was bound", got.response, got.err)
	default:
	}
	configure(t, service.registry, bound(t, "::1"))
	got := <-answered
	must(t, got.err)
	if url := got.response.GetEndpoints().GetGateway().GetBareUrl(); url != "ws://[::1]:9119/api/ws" {
		t.Errorf("url = %q", url)
	}
}

func TestResolveWaitEnds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		end    func(*testing.T, *service)
		code   connect.Code
		reason string
	}{
		"when the service stops":       {func(_ *testing.T, s *service) { s.drain() }, connect.CodeUnavailable, "SHUTTING_DOWN"},
		"when the listener is removed": {func(t *testing.T, s *service) { t.Helper(); configure(t, s.registry) }, connect.CodeNotFound, "LISTENER_UNKNOWN"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := serve(t, nil, unbound())
			failed := make(chan error, 1)
			go func() {
				_, err := service.endpoints.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Wait: durationpb.New(time.Minute)})
				failed <- err
			}()
			awaitHeld(t, service.registry)
			test.end(t, service)
			err := <-failed
			if code, reason := connect.CodeOf(err), reasonOf(t, err); code != test.code || reason != test.reason {
				t.Errorf("code = %v, reason = %q, want %v and %q", code, reason, test.code, test.reason)
			}
		})
	}
}

func TestResolvingNeverChangesABind(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"0.0.0.0", "::", "[::]", "::ffff:0.0.0.0", "*", "0", "Fly-App.Example.DEV", "fe80::1%eth0", ""} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			service := serve(t, nil, bound(t, host))
			before, err := service.listeners.GetListener(t.Context(), &dialpointv1.GetListenerRequest{})
			must(t, err)
			for range 5 {
				_, err := service.endpoints.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Channel: "c"})
				must(t, err)
			}
			after, err := service.listeners.GetListener(t.Context(), &dialpointv1.GetListenerRequest{})
			must(t, err)
			if got := after.GetListener().GetBind().GetHost(); got != host {
				t.Errorf("bind host = %q, want it as it was said", got)
			}
			if !proto.Equal(before, after) {
				t.Errorf("listener was %v, is %v", before, after)
			}
		})
	}
}

// awaitHeld returns once a call is held: the registry has a watch then.
func awaitHeld(t *testing.T, registry *listener.Registry) {
	t.Helper()
	for registry.Watches() == 0 {
		if t.Context().Err() != nil {
			t.Fatal("no call was held")
		}
		runtime.Gosched()
	}
}
