package limit_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"dialpoint/server/limit"
)

func onePeer(*http.Request) string         { return "peer" }
func noStreams(*http.Request) limit.Kind   { return limit.Call }
func everyStream(*http.Request) limit.Kind { return limit.Stream }

func everyTalk(*http.Request) bool { return true }

// answering reads what it is sent and answers a few hundred bytes, as a resolve does.
func answering() http.Handler {
	answer := []byte(strings.Repeat("a", 300))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write(answer)
	})
}

// BenchmarkServe compares calls over loopback with and without each part.
func BenchmarkServe(b *testing.B) {
	limiter := func(next http.Handler) http.Handler {
		return limit.New(limit.Limits{}).Middleware(next, onePeer, noStreams)
	}
	patience := limit.Patience{}.Middleware
	parts := []struct {
		name string
		wrap func(http.Handler) http.Handler
	}{
		{"bare", func(next http.Handler) http.Handler { return next }},
		{"limiter", limiter},
		{"patience", patience},
		{"both", func(next http.Handler) http.Handler { return patience(limiter(next)) }},
	}
	for _, version := range []string{"HTTP1", "HTTP2"} {
		for _, part := range parts {
			b.Run("version="+version+"/part="+part.name, func(b *testing.B) {
				conns := limit.NewConns(100)
				address := serve(b, part.wrap(answering()), watched(conns))
				web := webClient(b, version == "HTTP2")
				b.ReportAllocs()
				for b.Loop() {
					response, err := web.Post("http://"+address, "application/proto", strings.NewReader("request"))
					must(b, err)
					_, err = io.Copy(io.Discard, response.Body)
					must(b, err)
					must(b, response.Body.Close())
				}
			})
		}
	}
}
