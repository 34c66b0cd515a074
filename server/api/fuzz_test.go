package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/api"
	"dialpoint/server/listener"
)

const (
	protoType = "application/proto"
	jsonType  = "application/json"
)

// handler is both services over listeners that are bound, so that no call waits.
func handler(f *testing.F) http.Handler {
	f.Helper()
	registry := listener.NewRegistry(firstRevision)
	var configs []listener.Config
	for name, host := range map[string]string{"default": "0.0.0.0", "six": "::", "zone": "fe80::1%eth0", "name": "Fly-App.example.dev"} {
		config, err := boundTo(host)
		if err != nil {
			f.Fatal(err)
		}
		config.Name = name
		configs = append(configs, config)
	}
	if err := registry.Configure(configs); err != nil {
		f.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(dialpointv1connect.NewEndpointServiceHandler(api.NewEndpointService(context.Background(), registry)))
	mux.Handle(dialpointv1connect.NewListenerServiceHandler(api.NewListenerService(registry)))
	return mux
}

// call posts a body and returns the status and the answer.
func call(handler http.Handler, procedure, contentType string, body []byte) (int, []byte) {
	request := httptest.NewRequest(http.MethodPost, procedure, bytes.NewReader(body))
	request.Header.Set("Content-Type", contentType)
	request.RemoteAddr = "127.0.0.1:40000"
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder.Code, recorder.Body.Bytes()
}

// seeds adds a request in both encodings.
func seeds(f *testing.F, messages ...proto.Message) {
	f.Helper()
	for _, message := range messages {
		encoded, err := proto.Marshal(message)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encoded, false)
	}
	for _, text := range []string{"", "{}", "null", "[]", `{"listener":"six","channel":"a.b-c_d"}`, `{"wait":"300s"}`, `{"wait":"-1s"}`, `{"audience":2}`, `{"x":1}`} {
		f.Add([]byte(text), true)
	}
}

func FuzzResolveEndpoints(f *testing.F) {
	handler := handler(f)
	seeds(f,
		&dialpointv1.ResolveEndpointsRequest{Listener: "zone", Channel: "c", Audience: dialpointv1.Audience_AUDIENCE_REMOTE},
		&dialpointv1.ResolveEndpointsRequest{Channel: strings.Repeat("c", 128)},
	)
	f.Fuzz(func(t *testing.T, body []byte, isJSON bool) {
		if !isJSON {
			status, answer := call(handler, dialpointv1connect.EndpointServiceResolveEndpointsProcedure, protoType, body)
			if status != http.StatusOK {
				checkRefusal(t, status, answer)
				return
			}
			checkAnswer(t, answer)
			again, _ := call(handler, dialpointv1connect.EndpointServiceResolveEndpointsProcedure, protoType, body)
			if again != status {
				t.Errorf("status was %d, is %d", status, again)
			}
			return
		}
		status, answer := call(handler, dialpointv1connect.EndpointServiceResolveEndpointsProcedure, jsonType, body)
		if !json.Valid(answer) {
			t.Errorf("status %d with an answer that is no JSON: %q", status, answer)
		}
	})
}

// checkRefusal checks that a call was refused for a reason, and not by an accident.
func checkRefusal(t *testing.T, status int, answer []byte) {
	t.Helper()
	var failure struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal(answer, &failure); err != nil || failure.Code == "" || failure.Message == "" {
		t.Errorf("status %d without a code and a message: %q", status, answer)
	}
	switch failure.Code {
	case "internal", "unknown", "unimplemented":
		t.Errorf("refused with %s: %s", failure.Code, failure.Message)
	}
}

// checkAnswer checks what every answer promises: both URLs can be read, agree, and hold no wildcard.
func checkAnswer(t *testing.T, answer []byte) {
	t.Helper()
	var response dialpointv1.ResolveEndpointsResponse
	if err := proto.Unmarshal(answer, &response); err != nil {
		t.Fatal(err)
	}
	endpoints := response.GetEndpoints()
	gateway, err := url.Parse(endpoints.GetGateway().GetUrl())
	if err != nil {
		t.Fatal(err)
	}
	switch gateway.Hostname() {
	case "", "0.0.0.0", "::", "*", "0":
		t.Errorf("%s holds a wildcard", gateway)
	}
	if endpoints.GetSidecar() == nil {
		return
	}
	sidecar, err := url.Parse(endpoints.GetSidecar().GetUrl())
	if err != nil {
		t.Fatal(err)
	}
	if gateway.Scheme != sidecar.Scheme || gateway.Host != sidecar.Host || gateway.Query().Get("token") != sidecar.Query().Get("token") {
		t.Errorf("%s and %s do not agree", gateway, sidecar)
	}
}

func FuzzListenerService(f *testing.F) {
	handler := handler(f)
	seeds(f, &dialpointv1.GetListenerRequest{Listener: "six"}, &dialpointv1.ReportListenerRequest{
		Listener: "default", Bind: &dialpointv1.Bind{Host: "::", Port: 1}, InstanceId: "i", Credential: "c", Takeover: true,
	})
	procedures := []string{
		dialpointv1connect.ListenerServiceGetListenerProcedure,
		dialpointv1connect.ListenerServiceListListenersProcedure,
		dialpointv1connect.ListenerServiceReportListenerProcedure,
		dialpointv1connect.ListenerServiceWithdrawListenerProcedure,
	}
	f.Fuzz(func(t *testing.T, body []byte, isJSON bool) {
		contentType := protoType
		if isJSON {
			contentType = jsonType
		}
		for _, procedure := range procedures {
			status, answer := call(handler, procedure, contentType, body)
			if status >= http.StatusInternalServerError && status != http.StatusNotImplemented {
				t.Errorf("%s: status %d: %q", procedure, status, answer)
			}
		}
	})
}

func FuzzWatchEndpoints(f *testing.F) {
	handler := handler(f)
	seeds(f, &dialpointv1.WatchEndpointsRequest{Listener: "name", Channel: "c"})
	f.Fuzz(func(t *testing.T, body []byte, isJSON bool) {
		contentType := "application/connect+proto"
		if isJSON {
			contentType = "application/connect+json"
		}
		frame := append([]byte{0, byte(len(body) >> 24), byte(len(body) >> 16), byte(len(body) >> 8), byte(len(body))}, body...)
		request := httptest.NewRequest(http.MethodPost, dialpointv1connect.EndpointServiceWatchEndpointsProcedure, bytes.NewReader(frame))
		request.Header.Set("Content-Type", contentType)
		// The watch sends the state and ends with its caller.
		ctx, cancel := context.WithCancel(request.Context())
		cancel()
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request.WithContext(ctx))
		if recorder.Code != http.StatusOK || recorder.Body.Len() == 0 {
			t.Errorf("status %d with %d bytes", recorder.Code, recorder.Body.Len())
		}
	})
}
