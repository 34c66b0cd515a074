package server

import (
	"net/http"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"

	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/access"
	"dialpoint/server/api"
	"dialpoint/server/limit"
)

const (
	// compressAbove is the size in bytes from which an answer is compressed: below it, that costs more than it saves.
	compressAbove = 1 << 10
	// maxMessage is the size in bytes of the largest request that is read. All of ours are far below it.
	maxMessage = 64 << 10
	// maxBody bounds the body of a call, which holds one message and what a protocol puts around it: what is longer is
	// not read to its end.
	maxBody = 2 * maxMessage
)

// healthWatchPath is that of the one health call that is answered otherwise. See [healthWatch].
const healthWatchPath = "/" + grpchealth.HealthV1ServiceName + "/Watch"

// services are the services that reflection shows.
var services = []string{
	dialpointv1connect.EndpointServiceName,
	dialpointv1connect.ListenerServiceName,
	grpchealth.HealthV1ServiceName,
}

// The paths of calls that are streams, and of those on which the caller goes on to send.
var (
	talks = map[string]bool{
		"/" + grpcreflect.ReflectV1ServiceName + "/ServerReflectionInfo":      true,
		"/" + grpcreflect.ReflectV1AlphaServiceName + "/ServerReflectionInfo": true,
	}
	streams = map[string]bool{
		dialpointv1connect.EndpointServiceWatchEndpointsProcedure: true,
		healthWatchPath: true,
	}
)

// routes is the handler of every path. What refuses callers stands before what reads of them.
func (s *Server) routes() http.Handler {
	options := connect.WithHandlerOptions(
		connect.WithCompressMinBytes(compressAbove),
		connect.WithReadMaxBytes(maxMessage),
		connect.WithInterceptors(logCalls{s}, s.gate.Interceptor()),
		s.recoverCalls(),
	)
	reflector := grpcreflect.NewStaticReflector(services...)
	endpoints := api.NewEndpointService(s.draining, s.registry)
	endpoints.Hold = limit.Hold
	mux := http.NewServeMux()
	mux.Handle(dialpointv1connect.NewEndpointServiceHandler(endpoints, options))
	mux.Handle(dialpointv1connect.NewListenerServiceHandler(api.NewListenerService(s.draining, s.registry), options))
	mux.Handle(grpchealth.NewHandler(s.health, options))
	_, watchHealth := grpchealth.NewHandler(healthWatch{s.health}, options)
	mux.Handle(healthWatchPath, watchHealth)
	mux.Handle(grpcreflect.NewHandlerV1(reflector, options))
	mux.Handle(grpcreflect.NewHandlerV1Alpha(reflector, options))

	limited := s.limited(mux)
	s.patience.Talks = isTalk
	return s.catchFaults(s.patience.Middleware(noStore(boundBody(s.gate.Middleware(limited)))))
}

// boundBody ends what goes on to send beyond any call. On a stream on which the caller sends, each message is bounded.
func boundBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isTalk(r) {
			// net/http looks at the body of its own request to see whether the connection can go on.
			r = r.WithContext(r.Context())
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		}
		next.ServeHTTP(w, r)
	})
}

// limited counts guests apart from those who have a role.
func (s *Server) limited(next http.Handler) http.Handler {
	callers := s.limiter.Middleware(next, peerKey, kindOf)
	guests := s.guests.Middleware(next, peerKey, kindOf)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if access.IsOpen(r.URL.Path) {
			guests.ServeHTTP(w, r)
			return
		}
		callers.ServeHTTP(w, r)
	})
}

func peerKey(r *http.Request) string { return access.PeerKey(r.Context(), r.RemoteAddr) }

func isTalk(r *http.Request) bool { return talks[r.URL.Path] }

func kindOf(r *http.Request) limit.Kind {
	switch {
	case isTalk(r):
		return limit.Talk
	case streams[r.URL.Path]:
		return limit.Stream
	default:
		return limit.Call
	}
}

// noStore keeps answers out of every cache: they hold credentials (RFC 9111, section 5.2.2.5).
func noStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
