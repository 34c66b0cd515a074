package server_test

import (
	"io"
	"net/http"
	"testing"

	"connectrpc.com/connect"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server"
)

// BenchmarkResolve compares a call of each protocol with a plain GET of a handler that answers at once.
func BenchmarkResolve(b *testing.B) {
	service := start(b, server.WithListener(wildcard()))
	peers := map[string]dialpointv1connect.EndpointServiceClient{
		"Connect,HTTP1":      dialpointv1connect.NewEndpointServiceClient(webClient(b, false, ""), service.tcp),
		"Connect,HTTP2":      dialpointv1connect.NewEndpointServiceClient(webClient(b, true, ""), service.tcp),
		"Connect,HTTP1,unix": dialpointv1connect.NewEndpointServiceClient(webClient(b, false, service.unix), service.tcp),
		"gRPC,HTTP2":         dialpointv1connect.NewEndpointServiceClient(webClient(b, true, ""), service.tcp, connect.WithGRPC()),
	}
	b.Run("peer=GET,HTTP1", func(b *testing.B) { benchmarkGet(b, service.tcp) })
	for name, client := range peers {
		b.Run("peer="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := client.ResolveEndpoints(b.Context(), &dialpointv1.ResolveEndpointsRequest{Channel: "c"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// benchmarkGet asks for a path that is not there: all that it costs is HTTP.
func benchmarkGet(b *testing.B, url string) {
	b.Helper()
	b.ReportAllocs()
	web := overHTTP1(b)
	for b.Loop() {
		request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url+"/nothing", http.NoBody)
		must(b, err)
		response, err := web.Do(request)
		must(b, err)
		_, err = io.Copy(io.Discard, response.Body)
		must(b, err)
		must(b, response.Body.Close())
	}
}

// BenchmarkResolveWhileWatched shows what a thousand watches of the same listener cost a caller: nothing, since
// reading takes no lock.
func BenchmarkResolveWhileWatched(b *testing.B) {
	for name, watches := range map[string]int{"watches=0": 0, "watches=1000": 1000} {
		b.Run(name, func(b *testing.B) {
			service := start(b, server.WithListener(wildcard()))
			watcher := dialpointv1connect.NewEndpointServiceClient(webClient(b, true, ""), service.tcp)
			for range watches {
				stream, err := watcher.WatchEndpoints(b.Context(), &dialpointv1.WatchEndpointsRequest{})
				must(b, err)
				b.Cleanup(func() { _ = stream.Close() })
			}
			client := service.endpoints(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := client.ResolveEndpoints(b.Context(), &dialpointv1.ResolveEndpointsRequest{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
