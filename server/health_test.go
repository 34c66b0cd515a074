package server_test

import (
	"testing"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"

	"dialpoint/server"
)

// watchHealth is the statuses of a service as they come. It is closed when the watch ends, and lastErr says why.
func watchHealth(t *testing.T, service *running, name string) (statuses <-chan grpchealth.WatchEvent) {
	t.Helper()
	return grpchealth.NewClient(overHTTP2(t), service.tcp, connect.WithGRPC()).
		Watch(t.Context(), &grpchealth.CheckRequest{Service: name})
}

func wantStatus(t *testing.T, statuses <-chan grpchealth.WatchEvent, want grpchealth.Status) {
	t.Helper()
	event, open := <-statuses
	if !open || event.Err != nil || event.Response.Status != want {
		t.Fatalf("health = %v, %v (open: %t), want %v", event.Response, event.Err, open, want)
	}
}

func TestHealthCheck(t *testing.T) {
	t.Parallel()
	service := start(t, server.WithListener(wildcard()), server.WithListener(server.Listener{Name: "later"}))
	client := grpchealth.NewClient(overHTTP2(t), service.tcp, connect.WithGRPC())
	tests := map[string]struct {
		status grpchealth.Status
		code   connect.Code
	}{
		"":                              {status: grpchealth.StatusServing},
		"dialpoint.v1.EndpointService":  {status: grpchealth.StatusServing},
		"dialpoint.v1.ListenerService":  {status: grpchealth.StatusServing},
		"config":                        {status: grpchealth.StatusServing},
		"listeners/default":             {status: grpchealth.StatusServing},
		"listeners/later":               {status: grpchealth.StatusNotServing},
		"listeners/nobody":              {code: connect.CodeNotFound},
		"listeners/":                    {code: connect.CodeNotFound},
		"dialpoint.v1.EndpointServices": {code: connect.CodeNotFound},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, err := client.Check(t.Context(), &grpchealth.CheckRequest{Service: name})
			if test.code != 0 {
				if got := connect.CodeOf(err); got != test.code {
					t.Errorf("code = %v of %v, want %v", got, err, test.code)
				}
				return
			}
			must(t, err)
			if response.Status != test.status {
				t.Errorf("status = %v, want %v", response.Status, test.status)
			}
		})
	}
}

func TestHealthOfAListenerIsLive(t *testing.T) {
	t.Parallel()
	service := start(t, server.WithListener(server.Listener{}))
	statuses := watchHealth(t, service, "listeners/default")
	wantStatus(t, statuses, grpchealth.StatusNotServing)
	must(t, service.SetBind("", server.Bind{Host: "0.0.0.0", Port: 9119}))
	wantStatus(t, statuses, grpchealth.StatusServing)
	must(t, service.SetBind("", server.Bind{Host: "0.0.0.0"}))
	wantStatus(t, statuses, grpchealth.StatusNotServing)
}

func TestHealthWatchOfTheUnknownEnds(t *testing.T) {
	t.Parallel()
	statuses := watchHealth(t, start(t), "nobody")
	if event := <-statuses; connect.CodeOf(event.Err) != connect.CodeNotFound {
		t.Errorf("event = %v, want NOT_FOUND", event)
	}
}

func TestHealthWatchEndsWhenTheServiceStops(t *testing.T) {
	t.Parallel()
	service := start(t)
	statuses := watchHealth(t, service, "")
	wantStatus(t, statuses, grpchealth.StatusServing)
	service.stop()
	must(t, <-service.ended)
	if event := <-statuses; connect.CodeOf(event.Err) != connect.CodeUnavailable {
		t.Errorf("event = %v, want UNAVAILABLE", event)
	}
}
