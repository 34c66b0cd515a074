package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server"
)

const payload = "what-the-caller-sent"

// faulty panics with what it was asked, or as the runtime does.
type faulty struct {
	dialpointv1connect.UnimplementedEndpointServiceHandler
}

func (faulty) ResolveEndpoints(_ context.Context, request *dialpointv1.ResolveEndpointsRequest) (*dialpointv1.ResolveEndpointsResponse, error) {
	panic(payload + request.GetChannel()) //nolint:forbidigo // This is what is tested.
}

func (faulty) WatchEndpoints(_ context.Context, request *dialpointv1.WatchEndpointsRequest, _ *connect.ServerStream[dialpointv1.WatchEndpointsResponse]) error {
	const one = "x"
	_ = one[len(request.GetChannel())]
	return nil
}

func TestFaultOfACallIsAnswered(t *testing.T) {
	t.Parallel()
	log, written := record()
	service, err := server.New(server.WithLogger(log))
	must(t, err)
	_, handler := dialpointv1connect.NewEndpointServiceHandler(faulty{}, service.RecoverCalls())
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	client := dialpointv1connect.NewEndpointServiceClient(overHTTP1(t), web.URL)

	_, err = client.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Channel: payload})
	if connect.CodeOf(err) != connect.CodeInternal || strings.Contains(err.Error(), payload) {
		t.Errorf("the call ended with %v, want INTERNAL", err)
	}
	stream, err := client.WatchEndpoints(t.Context(), &dialpointv1.WatchEndpointsRequest{Channel: payload})
	must(t, err)
	if stream.Receive() || connect.CodeOf(stream.Err()) != connect.CodeInternal {
		t.Errorf("the stream ended with %v, want INTERNAL", stream.Err())
	}
	text := written.String()
	for _, want := range []string{"what=string", "index out of range", "fault_test.go", "procedure=/dialpoint.v1.EndpointService/ResolveEndpoints"} {
		if !strings.Contains(text, want) {
			t.Errorf("the log does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, payload) {
		t.Errorf("the log shows what was asked:\n%s", text)
	}
}

func TestFaultOutsideOfACallIsLogged(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault any
		says  string
	}{
		"one of ours":          {payload, "what=string"},
		"one to abort quietly": {http.ErrAbortHandler, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, written := record()
			service, err := server.New(server.WithLogger(log))
			must(t, err)
			web := httptest.NewServer(service.CatchFaults(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				panic(test.fault) //nolint:forbidigo // This is what is tested.
			})))
			t.Cleanup(web.Close)
			if response, err := overHTTP1(t).Get(web.URL); err == nil {
				_ = response.Body.Close()
				t.Errorf("the answer is %s, want none", response.Status)
			}
			text := written.String()
			if strings.Contains(text, payload) || !strings.Contains(text, test.says) || test.says == "" && strings.Contains(text, "fault") {
				t.Errorf("the log reads\n%s", text)
			}
		})
	}
}
