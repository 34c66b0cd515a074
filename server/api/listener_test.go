package api_test

import (
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

const marker = "MARKED-CREDENTIAL"

func full(t *testing.T) listener.Config {
	t.Helper()
	config := bound(t, "::")
	only := true
	config.Name = "full"
	config.Bind.IPv6Only = &only
	config.Bind.TLS = true
	config.BasePath = "/hermes"
	config.Auth = rules.Auth{Mode: rules.AuthInternal, Credential: rules.NewSecret(marker)}
	var err error
	config.Override, err = rules.ParseTarget(" 10.0.0.7:9443 ")
	must(t, err)
	config.Advertise, err = rules.ParseTarget("https://edge.example/hermes/")
	must(t, err)
	return config
}

func TestGetListener(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, full(t), unbound())
	only := true
	tests := map[string]*dialpointv1.Listener{
		"full": {
			Name:       "full",
			Bind:       &dialpointv1.Bind{Host: "::", Port: 9119, Ipv6Only: &only, Tls: true},
			State:      dialpointv1.State_STATE_BOUND,
			BindSource: dialpointv1.BindSource_BIND_SOURCE_CONFIG,
			Override:   "10.0.0.7:9443",
			Advertise:  "https://edge.example/hermes/",
			BasePath:   "/hermes",
			AuthMode:   dialpointv1.AuthMode_AUTH_MODE_INTERNAL,
			Revision:   firstRevision + 1,
		},
		"": {
			Name:     "default",
			State:    dialpointv1.State_STATE_UNBOUND,
			AuthMode: dialpointv1.AuthMode_AUTH_MODE_NONE,
			Revision: firstRevision + 1,
		},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, err := service.listeners.GetListener(t.Context(), &dialpointv1.GetListenerRequest{Listener: name})
			must(t, err)
			if diff := cmp.Diff(want, response.GetListener(), protocmp.Transform()); diff != "" {
				t.Errorf("listener (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGetListenerUnknown(t *testing.T) {
	t.Parallel()
	_, err := serve(t, nil).listeners.GetListener(t.Context(), &dialpointv1.GetListenerRequest{})
	if code, reason := connect.CodeOf(err), reasonOf(t, err); code != connect.CodeNotFound || reason != "LISTENER_UNKNOWN" {
		t.Errorf("code = %v, reason = %q", code, reason)
	}
}

func TestListListenersIsByNameAndHoldsNoSecret(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, full(t), unbound())
	response, err := service.listeners.ListListeners(t.Context(), &dialpointv1.ListListenersRequest{})
	must(t, err)
	var names []string
	for _, found := range response.GetListeners() {
		names = append(names, found.GetName())
	}
	if diff := cmp.Diff([]string{"default", "full"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if strings.Contains(response.String(), marker) {
		t.Error("the listing shows the credential")
	}
}

func TestListListenersCanBeAskedByGet(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, unbound())
	response, err := service.server.Client().Get(service.server.URL +
		"/dialpoint.v1.ListenerService/ListListeners?connect=v1&encoding=json&message=%7B%7D")
	must(t, err)
	must(t, response.Body.Close())
	if response.StatusCode != http.StatusOK {
		t.Errorf("status = %d, want 200", response.StatusCode)
	}
}
