package server_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server"
)

const resolvePath = "/dialpoint.v1.EndpointService/ResolveEndpoints"

func TestEveryProtocolOnEverySocket(t *testing.T) {
	t.Parallel()
	service := start(t, server.WithListener(wildcard()))
	protocols := map[string][]connect.ClientOption{
		"Connect":      nil,
		"Connect JSON": {connect.WithProtoJSON()},
		"gRPC":         {connect.WithGRPC()},
		"gRPC-Web":     {connect.WithGRPCWeb()},
	}
	for name, options := range protocols {
		for _, http2 := range []bool{false, true} {
			if name == "gRPC" && !http2 {
				continue // gRPC is not defined on HTTP/1.1.
			}
			for socket, unix := range map[string]string{"TCP": "", "unix": service.unix} {
				t.Run(fmt.Sprintf("%s, HTTP/2 %t, %s", name, http2, socket), func(t *testing.T) {
					t.Parallel()
					client := dialpointv1connect.NewEndpointServiceClient(webClient(t, http2, unix), service.tcp, options...)
					checkCalls(t, client)
				})
			}
		}
	}
}

// checkCalls makes a unary call and opens a stream.
func checkCalls(t *testing.T, client dialpointv1connect.EndpointServiceClient) {
	t.Helper()
	const want = "ws://127.0.0.1:9119/api/ws?token=t"
	response, err := client.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{})
	must(t, err)
	if got := response.GetEndpoints().GetGateway().GetUrl(); got != want {
		t.Errorf("url = %q, want %q", got, want)
	}
	stream, err := client.WatchEndpoints(t.Context(), &dialpointv1.WatchEndpointsRequest{})
	must(t, err)
	defer func() { _ = stream.Close() }()
	if !stream.Receive() {
		t.Fatal(stream.Err())
	}
	if got := stream.Msg().GetEndpoints().GetGateway().GetUrl(); got != want {
		t.Errorf("watched url = %q, want %q", got, want)
	}
}

// post sends JSON and returns the answer, not decompressed.
func post(t *testing.T, url, body string, header http.Header) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	must(t, err)
	request.Header = header.Clone()
	request.Header.Set("Content-Type", "application/json")
	response, err := overHTTP1(t).Do(request)
	must(t, err)
	answer, err := io.ReadAll(response.Body)
	must(t, err)
	must(t, response.Body.Close())
	return response, answer
}

func TestNoAnswerMayBeCached(t *testing.T) {
	t.Parallel()
	service := start(t, server.WithListener(wildcard()))
	for name, path := range map[string]string{
		"an answer": resolvePath, "a listing": "/dialpoint.v1.ListenerService/ListListeners", "nothing": "/nowhere",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, _ := post(t, service.tcp+path, "{}", http.Header{})
			if got := response.Header.Get("Cache-Control"); got != "no-store" {
				t.Errorf("Cache-Control = %q, want no-store", got)
			}
		})
	}
}

func TestCompressionOnlyAboveOneKiB(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		listeners  int
		compressed bool
	}{
		"a small listing": {1, false},
		"a large listing": {50, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var options []server.Option
			for i := range test.listeners {
				options = append(options, server.WithListener(server.Listener{Name: fmt.Sprint("listener-", i)}))
			}
			service := start(t, options...)
			response, answer := post(t, service.tcp+"/dialpoint.v1.ListenerService/ListListeners", "{}", http.Header{"Accept-Encoding": {"gzip"}})
			if got := response.Header.Get("Content-Encoding") == "gzip"; got != test.compressed {
				t.Errorf("compressed = %t for %d bytes, want %t", got, len(answer), test.compressed)
			}
			if test.compressed != bytes.HasPrefix(answer, []byte{0x1f, 0x8b}) {
				t.Errorf("the answer begins %q", answer[:2])
			}
		})
	}
}

func TestRequestOver64KiBIsRefused(t *testing.T) {
	t.Parallel()
	service := start(t, server.WithListener(wildcard()))
	tests := map[string]struct {
		channel int
		code    connect.Code
	}{
		"just below: read, and then judged": {64<<10 - 100, connect.CodeInvalidArgument},
		"above: not read":                   {64<<10 + 1, connect.CodeResourceExhausted},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := service.endpoints(t).ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Channel: strings.Repeat("c", test.channel)})
			if got := connect.CodeOf(err); got != test.code {
				t.Errorf("code = %v of %.200v, want %v", got, err, test.code)
			}
		})
	}
}
