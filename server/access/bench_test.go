package access_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"dialpoint/server/access"
)

// BenchmarkGate compares a handler that does nothing with the same handler behind a gate. What it costs over TCP is
// mostly the digest of the token.
func BenchmarkGate(b *testing.B) {
	bare := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	policy := withTokens()
	policy.AllowedHosts = []string{"edge.example"}
	gated := access.NewGate(discard, policy).Middleware(bare)
	tcp := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9118}
	overTCP := context.WithValue(b.Context(), http.LocalAddrContextKey, tcp)
	benchmarks := []struct {
		name    string
		handler http.Handler
		ctx     context.Context
		path    string
		host    string
		token   string
		status  int
	}{
		{"bare", bare, overTCP, resolvePath, "127.0.0.1:9118", operatorToken, 200},
		{"gate,tcp", gated, overTCP, resolvePath, "127.0.0.1:9118", operatorToken, 200},
		{"gate,tcp,localhost", gated, overTCP, resolvePath, "localhost:9118", operatorToken, 200},
		{"gate,tcp,name", gated, overTCP, resolvePath, "edge.example:9118", operatorToken, 200},
		{"gate,unix", gated, overUnixConn(b), resolvePath, "unix", "", 200},
		{"gate,health", gated, overTCP, "/grpc.health.v1.Health/Check", "127.0.0.1:9118", "", 200},
		{"gate,refused", gated, overTCP, resolvePath, "127.0.0.1:9118", "x", 401},
	}
	for _, benchmark := range benchmarks {
		b.Run("handler="+benchmark.name, func(b *testing.B) {
			request := httptest.NewRequestWithContext(benchmark.ctx, http.MethodPost, benchmark.path, http.NoBody)
			request.Host = benchmark.host
			request.Header.Set("Content-Type", "application/proto")
			request.Header.Set("Authorization", "Bearer "+benchmark.token)
			b.ReportAllocs()
			for b.Loop() {
				answer := httptest.NewRecorder()
				benchmark.handler.ServeHTTP(answer, request)
				if answer.Code != benchmark.status {
					b.Fatal(answer.Code, answer.Body)
				}
			}
		})
	}
}

// overUnixConn is the context of a request over a unix socket.
func overUnixConn(b *testing.B) context.Context {
	b.Helper()
	socket := listen(b, "unix", b.TempDir()+"/s")
	client, err := new(net.Dialer).DialContext(b.Context(), "unix", socket.Addr().String())
	must(b, err)
	server, err := socket.Accept()
	must(b, err)
	b.Cleanup(func() {
		_ = client.Close()
		_ = server.Close()
		_ = socket.Close()
	})
	return access.WithConn(b.Context(), server)
}

// BenchmarkWithConn is what a connection costs once.
func BenchmarkWithConn(b *testing.B) {
	socket := listen(b, "unix", b.TempDir()+"/s")
	client, err := new(net.Dialer).DialContext(b.Context(), "unix", socket.Addr().String())
	must(b, err)
	server, err := socket.Accept()
	must(b, err)
	b.Cleanup(func() {
		_ = client.Close()
		_ = server.Close()
		_ = socket.Close()
	})
	b.ReportAllocs()
	for b.Loop() {
		access.WithConn(b.Context(), server)
	}
}
