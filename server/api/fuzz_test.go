package api_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
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
	f.Cleanup(registry.Close)
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
	mux.Handle(dialpointv1connect.NewListenerServiceHandler(api.NewListenerService(context.Background(), registry)))
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

// typeOf is the content type of a unary request.
func typeOf(isJSON bool) string {
	if isJSON {
		return jsonType
	}
	return protoType
}

// decode reads an answer in either encoding.
func decode(t *testing.T, answer []byte, isJSON bool, message proto.Message) {
	t.Helper()
	unmarshal := proto.Unmarshal
	if isJSON {
		unmarshal = protojson.Unmarshal
	}
	if err := unmarshal(answer, message); err != nil {
		t.Fatalf("the answer %q cannot be read: %v", answer, err)
	}
}

func FuzzResolveEndpoints(f *testing.F) {
	handler := handler(f)
	seeds(f,
		&dialpointv1.ResolveEndpointsRequest{Listener: "zone", Channel: "c", Audience: dialpointv1.Audience_AUDIENCE_REMOTE},
		&dialpointv1.ResolveEndpointsRequest{Channel: strings.Repeat("c", 128)},
	)
	f.Fuzz(func(t *testing.T, body []byte, isJSON bool) {
		status, answer := call(handler, dialpointv1connect.EndpointServiceResolveEndpointsProcedure, typeOf(isJSON), body)
		if status != http.StatusOK {
			checkRefusal(t, answer)
			return
		}
		var response dialpointv1.ResolveEndpointsResponse
		decode(t, answer, isJSON, &response)
		checkAnswer(t, response.GetEndpoints())
		if again, _ := call(handler, dialpointv1connect.EndpointServiceResolveEndpointsProcedure, typeOf(isJSON), body); again != status {
			t.Errorf("status was %d, is %d", status, again)
		}
	})
}

// failure is an error of the Connect protocol.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// checkRefusal checks that a call was refused for a reason, and not by an accident. Further codes may be allowed.
func checkRefusal(t *testing.T, answer []byte, allowed ...string) {
	t.Helper()
	var refusal failure
	if err := json.Unmarshal(answer, &refusal); err != nil || refusal.Message == "" {
		t.Errorf("a refusal without a code and a message: %q", answer)
	}
	if !slices.Contains(append(allowed, "invalid_argument", "not_found", "failed_precondition"), refusal.Code) {
		t.Errorf("refused with %q: %s", refusal.Code, refusal.Message)
	}
}

// checkAnswer checks what every answer promises: both URLs can be read, agree, and hold no wildcard.
func checkAnswer(t *testing.T, endpoints *dialpointv1.Endpoints) {
	t.Helper()
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
	seeds(f, &dialpointv1.GetListenerRequest{Listener: "six"})
	f.Fuzz(func(t *testing.T, body []byte, isJSON bool) {
		status, answer := call(handler, dialpointv1connect.ListenerServiceGetListenerProcedure, typeOf(isJSON), body)
		if status == http.StatusOK {
			var response dialpointv1.GetListenerResponse
			decode(t, answer, isJSON, &response)
			checkListener(t, response.GetListener())
		} else {
			checkRefusal(t, answer)
		}
		status, answer = call(handler, dialpointv1connect.ListenerServiceListListenersProcedure, typeOf(isJSON), body)
		if status == http.StatusOK {
			var response dialpointv1.ListListenersResponse
			decode(t, answer, isJSON, &response)
			for _, found := range response.GetListeners() {
				checkListener(t, found)
			}
		} else {
			checkRefusal(t, answer)
		}
	})
}

// checkListener checks that a listener is one of ours, whole.
func checkListener(t *testing.T, found *dialpointv1.Listener) {
	t.Helper()
	if found.GetName() == "" || found.GetState() != dialpointv1.State_STATE_BOUND || found.GetBind().GetPort() != 9119 || found.GetRevision() == 0 {
		t.Errorf("listener = %v", found)
	}
}

func FuzzWatchEndpoints(f *testing.F) {
	handler := handler(f)
	seeds(f, &dialpointv1.WatchEndpointsRequest{Listener: "name", Channel: "c"})
	f.Fuzz(func(t *testing.T, body []byte, isJSON bool) {
		updates, end := watchOnce(t, handler, body, isJSON)
		if len(updates) == 0 {
			checkRefusal(t, end)
			return
		}
		for _, encoded := range updates {
			var update dialpointv1.WatchEndpointsResponse
			decode(t, encoded, isJSON, &update)
			if why := update.GetUnavailable(); why == nil {
				checkAnswer(t, update.GetEndpoints())
			} else if why.GetReason() != "LISTENER_NOT_REACHABLE" {
				t.Errorf("unavailable: %v, and all are bound", why)
			}
		}
		checkRefusal(t, end, "canceled")
	})
}

// watchOnce opens a watch, whose caller is gone by then: it sends the state and ends. It returns the messages, and the
// error that ended it.
func watchOnce(t *testing.T, handler http.Handler, body []byte, isJSON bool) (messages [][]byte, end []byte) {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, dialpointv1connect.EndpointServiceWatchEndpointsProcedure, bytes.NewReader(frame(body)))
	request.Header.Set("Content-Type", "application/connect+"+strings.TrimPrefix(typeOf(isJSON), "application/"))
	request.RemoteAddr = "127.0.0.1:40000"
	ctx, cancel := context.WithCancel(request.Context())
	cancel()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request.WithContext(ctx))
	if recorder.Code != http.StatusOK {
		t.Fatalf("status = %d, and a stream begins with 200", recorder.Code)
	}
	for stream := recorder.Body.Bytes(); ; {
		flags, payload, rest := unframe(t, stream)
		if flags == endOfStream {
			var last struct {
				Error json.RawMessage `json:"error"`
			}
			if err := json.Unmarshal(payload, &last); err != nil || len(rest) > 0 {
				t.Fatalf("the stream ends with %q, and then %q: %v", payload, rest, err)
			}
			return messages, last.Error
		}
		messages, stream = append(messages, payload), rest
	}
}

const (
	// prefixLength is that of the flags and of the length before each message of a Connect stream.
	prefixLength = 5
	// endOfStream is the flag of the last message.
	endOfStream = 0x02
)

func frame(body []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(body))), body...)
}

// unframe takes the first message off a Connect stream.
func unframe(t *testing.T, stream []byte) (flags byte, payload, rest []byte) {
	t.Helper()
	if len(stream) < prefixLength {
		t.Fatalf("the stream breaks off: %q", stream)
	}
	length := binary.BigEndian.Uint32(stream[1:])
	payload = stream[prefixLength:]
	if int64(length) > int64(len(payload)) {
		t.Fatalf("the stream breaks off: %q", stream)
	}
	return stream[0], payload[:length], payload[length:]
}
