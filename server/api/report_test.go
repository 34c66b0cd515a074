package api_test

import (
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// reportBy is a report of the default listener that is good in every field.
func reportBy(instance string, port uint32) *dialpointv1.ReportListenerRequest {
	return &dialpointv1.ReportListenerRequest{Bind: &dialpointv1.Bind{Host: "0.0.0.0", Port: port}, InstanceId: instance}
}

// report makes a report that must be taken.
func (s *service) report(t *testing.T, request *dialpointv1.ReportListenerRequest) *dialpointv1.ReportListenerResponse {
	t.Helper()
	response, err := s.listeners.ReportListener(t.Context(), request)
	must(t, err)
	return response
}

func (s *service) withdraw(t *testing.T, instance string) error {
	t.Helper()
	_, err := s.listeners.WithdrawListener(t.Context(), &dialpointv1.WithdrawListenerRequest{InstanceId: instance})
	return err
}

// resolve is the endpoints of the default listener.
func (s *service) resolve(t *testing.T) (*dialpointv1.Endpoints, error) {
	t.Helper()
	response, err := s.endpoints.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{})
	return response.GetEndpoints(), err
}

// get is the default listener.
func (s *service) get(t *testing.T) *dialpointv1.Listener {
	t.Helper()
	response, err := s.listeners.GetListener(t.Context(), &dialpointv1.GetListenerRequest{})
	must(t, err)
	return response.GetListener()
}

// A whole life: nothing known, reported, dialled, withdrawn.
func TestReportMakesAListenerResolvable(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, unbound())
	request := reportBy("run-1", 41234)
	request.Bind.Tls = true
	request.Credential = " s3cret\n"
	request.Ttl = durationpb.New(time.Minute)
	response := service.report(t, request)
	want := &dialpointv1.ReportListenerResponse{
		Listener: &dialpointv1.Listener{
			Name:       "default",
			Bind:       &dialpointv1.Bind{Host: "0.0.0.0", Port: 41234, Tls: true},
			State:      dialpointv1.State_STATE_BOUND,
			BindSource: dialpointv1.BindSource_BIND_SOURCE_REPORT,
			InstanceId: "run-1",
			AuthMode:   dialpointv1.AuthMode_AUTH_MODE_TOKEN,
			Revision:   firstRevision + 2,
		},
		Ttl: durationpb.New(time.Minute),
	}
	expires := protocmp.IgnoreFields(&dialpointv1.Listener{}, "lease_expire_time")
	if diff := cmp.Diff(want, response, protocmp.Transform(), expires); diff != "" {
		t.Errorf("response (-want +got):\n%s", diff)
	}
	if left := time.Until(response.GetListener().GetLeaseExpireTime().AsTime()); left <= 0 || left > time.Minute {
		t.Errorf("the lease ends in %v, want a minute", left)
	}
	if diff := cmp.Diff(response.GetListener(), service.get(t), protocmp.Transform()); diff != "" {
		t.Errorf("the listener afterwards (-want +got):\n%s", diff)
	}
	endpoints, err := service.resolve(t)
	must(t, err)
	if got := endpoints.GetGateway().GetUrl(); got != "wss://127.0.0.1:41234/api/ws?token=s3cret" {
		t.Errorf("url = %q", got)
	}
	if why := endpoints.GetExplanation(); why.GetSource() != "report" || endpoints.GetInstanceId() != "run-1" {
		t.Errorf("source = %q of instance %q, want the report of run-1", why.GetSource(), endpoints.GetInstanceId())
	}
	must(t, service.withdraw(t, "run-1"))
	if _, err := service.resolve(t); connect.CodeOf(err) != connect.CodeUnavailable {
		t.Errorf("error = %v after the withdrawal, want UNAVAILABLE", err)
	}
	if got := service.get(t); got.GetState() != dialpointv1.State_STATE_UNBOUND || got.GetLeaseExpireTime() != nil || got.GetInstanceId() != "" {
		t.Errorf("listener = %v after the withdrawal", got)
	}
}

// The bind stays as it was said. What is dialled follows from it by the rules.
func TestReportedBind(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		bind *dialpointv1.Bind
		url  string
	}{
		"IPv4 wildcard":        {&dialpointv1.Bind{Host: "0.0.0.0", Port: 1}, "ws://127.0.0.1:1/api/ws"},
		"empty host":           {&dialpointv1.Bind{Port: 2}, "ws://127.0.0.1:2/api/ws"},
		"star":                 {&dialpointv1.Bind{Host: "*", Port: 3}, "ws://127.0.0.1:3/api/ws"},
		"IPv6 wildcard, dual":  {&dialpointv1.Bind{Host: "[::]", Port: 4, Ipv6Only: new(false)}, "ws://127.0.0.1:4/api/ws"},
		"IPv6 wildcard only":   {&dialpointv1.Bind{Host: "::0", Port: 5, Ipv6Only: new(true)}, "ws://[::1]:5/api/ws"},
		"address, white space": {&dialpointv1.Bind{Host: " 192.0.2.5\r\n", Port: 65535}, "ws://192.0.2.5:65535/api/ws"},
		"name":                 {&dialpointv1.Bind{Host: "LocalHost", Port: 7}, "ws://localhost:7/api/ws"},
		"loopback over TLS":    {&dialpointv1.Bind{Host: "127.0.0.2", Port: 8, Tls: true}, "wss://127.0.0.2:8/api/ws"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := serve(t, nil, unbound())
			service.report(t, &dialpointv1.ReportListenerRequest{Bind: test.bind, InstanceId: "a"})
			endpoints, err := service.resolve(t)
			must(t, err)
			if got := endpoints.GetGateway().GetUrl(); got != test.url {
				t.Errorf("url = %q, want %q", got, test.url)
			}
			if diff := cmp.Diff(test.bind, service.get(t).GetBind(), protocmp.Transform()); diff != "" {
				t.Errorf("bind (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReportedTTL(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		asked   *durationpb.Duration
		granted time.Duration
	}{
		"not said": {nil, 15 * time.Second},
		"least":    {durationpb.New(time.Second), time.Second},
		"parts":    {durationpb.New(1500 * time.Millisecond), 1500 * time.Millisecond},
		"most":     {durationpb.New(time.Hour), time.Hour},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := serve(t, nil, unbound())
			request := reportBy("a", 80)
			request.Ttl = test.asked
			begin := time.Now()
			response := service.report(t, request)
			if got := response.GetTtl().AsDuration(); got != test.granted {
				t.Errorf("granted %v, want %v", got, test.granted)
			}
			expires := response.GetListener().GetLeaseExpireTime().AsTime()
			if expires.Before(begin.Add(test.granted)) || expires.After(time.Now().Add(test.granted)) {
				t.Errorf("the lease ends %v after the call began, want %v", expires.Sub(begin), test.granted)
			}
		})
	}
}

// A listing shows that a lease was renewed. Nothing else has changed.
func TestListingShowsTheRenewal(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, unbound())
	request := reportBy("a", 80)
	before := service.report(t, request).GetListener()
	request.Ttl = durationpb.New(time.Hour)
	service.report(t, request)
	response, err := service.listeners.ListListeners(t.Context(), &dialpointv1.ListListenersRequest{})
	must(t, err)
	after := response.GetListeners()[0]
	if moved := after.GetLeaseExpireTime().AsTime().Sub(before.GetLeaseExpireTime().AsTime()); moved < time.Hour-15*time.Second {
		t.Errorf("the end moved by %v, want almost an hour", moved)
	}
	before.LeaseExpireTime = after.GetLeaseExpireTime()
	if diff := cmp.Diff(before, after, protocmp.Transform()); diff != "" {
		t.Errorf("listener (-before +after):\n%s", diff)
	}
}

// What is configured beside the bind stays in force.
func TestReportLeavesTheConfigurationAlone(t *testing.T) {
	t.Parallel()
	configured := full(t)
	configured.Name = listener.DefaultName
	service := serve(t, nil, configured)
	request := reportBy("a", 80)
	request.Credential = "reported"
	service.report(t, request)
	endpoints, err := service.resolve(t)
	must(t, err)
	if got := endpoints.GetGateway().GetUrl(); got != "ws://10.0.0.7:9443/hermes/api/ws?internal=reported" {
		t.Errorf("url = %q", got)
	}
	must(t, service.withdraw(t, "a"))
	endpoints, err = service.resolve(t)
	must(t, err)
	if got := endpoints.GetGateway().GetUrl(); got != "wss://10.0.0.7:9443/hermes/api/ws?internal="+marker {
		t.Errorf("url after the withdrawal = %q", got)
	}
}

func TestWatchSeesReports(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, unbound())
	stream := watch(t, service, &dialpointv1.WatchEndpointsRequest{})
	wantUnavailable(t, next(t, stream), "LISTENER_NOT_BOUND")

	service.report(t, reportBy("a", 41001))
	wantURL(t, next(t, stream), "ws://127.0.0.1:41001/api/ws", firstRevision+2)

	// The renewals come before the takeover, and nobody hears of them.
	for range 3 {
		service.report(t, reportBy("a", 41001))
	}
	takeover := reportBy("b", 41001)
	takeover.Takeover = true
	service.report(t, takeover)
	update := next(t, stream)
	wantURL(t, update, "ws://127.0.0.1:41001/api/ws", firstRevision+3)
	if got := update.GetEndpoints().GetInstanceId(); got != "b" {
		t.Errorf("instance = %q, want b", got)
	}

	must(t, service.withdraw(t, "b"))
	wantUnavailable(t, next(t, stream), "LISTENER_NOT_BOUND")
}

// A call that waits is answered by the report.
func TestReportEndsAWait(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, unbound())
	held := make(chan string, 1)
	go func() {
		response, err := service.endpoints.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Wait: durationpb.New(time.Minute)})
		if err != nil {
			t.Error(err)
		}
		held <- response.GetEndpoints().GetGateway().GetUrl()
	}()
	for service.registry.Watches() == 0 {
		if t.Context().Err() != nil {
			t.Fatal("nobody waits")
		}
	}
	service.report(t, reportBy("a", 41001))
	if got := <-held; got != "ws://127.0.0.1:41001/api/ws" {
		t.Errorf("url = %q", got)
	}
}

// The mode that is configured on purpose stays, and the answer says that the two do not agree.
func TestReportedCredentialIsNotUsedInModeNone(t *testing.T) {
	t.Parallel()
	config := unbound()
	config.Auth.Mode = rules.AuthNone
	service := serve(t, nil, config)
	request := reportBy("a", 80)
	request.Credential = marker
	service.report(t, request)
	endpoints, err := service.resolve(t)
	must(t, err)
	if got := endpoints.GetGateway().GetUrl(); got != "ws://127.0.0.1:80/api/ws" {
		t.Errorf("url = %q", got)
	}
	want := []string{"auth.mode is none, so the credential that the dashboard reported is not used"}
	if diff := cmp.Diff(want, endpoints.GetExplanation().GetWarnings()); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}
