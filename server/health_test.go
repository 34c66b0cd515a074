package server_test

import (
	"strings"
	"testing"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"

	"dialpoint/server"
	"dialpoint/server/listener"
)

// watchHealth is the statuses of a service as they come. The last event holds the error that ended the watch.
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

func TestHealthCheckRepeatsNoMoreThanTheBeginning(t *testing.T) {
	t.Parallel()
	client := grpchealth.NewClient(overHTTP2(t), start(t).tcp, connect.WithGRPC())
	_, err := client.Check(t.Context(), &grpchealth.CheckRequest{Service: strings.Repeat("n", 60000)})
	if err == nil || !strings.Contains(err.Error(), `"`+strings.Repeat("n", 128)+`…"`) {
		t.Errorf("error = %.300v, want one with 128 bytes of the name", err)
	}
}

// statusServiceUnknown is SERVICE_UNKNOWN of grpc.health.v1.
const statusServiceUnknown grpchealth.Status = 3

func TestHealthWatchOfTheUnknownGoesOn(t *testing.T) {
	t.Parallel()
	service := start(t, server.WithListener(wildcard()))
	nobody := watchHealth(t, service, "nobody")
	wantStatus(t, nobody, statusServiceUnknown)
	removed := watchHealth(t, service, "listeners/default")
	wantStatus(t, removed, grpchealth.StatusServing)
	must(t, service.Reconfigure())
	wantStatus(t, removed, statusServiceUnknown)
	must(t, service.Reconfigure(listener.Config{Name: "default"}))
	wantStatus(t, removed, grpchealth.StatusNotServing)
	service.stop()
	must(t, <-service.ended)
	for name, statuses := range map[string]<-chan grpchealth.WatchEvent{"unknown": nobody, "known": removed} {
		if event := <-statuses; connect.CodeOf(event.Err) != connect.CodeUnavailable {
			t.Errorf("%s: event = %v, want UNAVAILABLE", name, event)
		}
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
