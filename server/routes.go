package server

import (
	"net/http"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"

	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/api"
)

const (
	// compressAbove is the size in bytes from which an answer is compressed: below it, that costs more than it saves.
	compressAbove = 1 << 10
	// maxMessage is the size in bytes of the largest request that is read. All of ours are far below it.
	maxMessage = 64 << 10
)

// healthWatchPath is that of the one health call that is answered otherwise. See [healthWatch].
const healthWatchPath = "/" + grpchealth.HealthV1ServiceName + "/Watch"

// services are the services that reflection shows.
var services = []string{
	dialpointv1connect.EndpointServiceName,
	dialpointv1connect.ListenerServiceName,
	grpchealth.HealthV1ServiceName,
}

// routes is the handler of every path.
func (s *Server) routes() http.Handler {
	options := connect.WithHandlerOptions(
		connect.WithCompressMinBytes(compressAbove),
		connect.WithReadMaxBytes(maxMessage),
		connect.WithInterceptors(logCalls{s}),
	)
	reflector := grpcreflect.NewStaticReflector(services...)
	mux := http.NewServeMux()
	mux.Handle(dialpointv1connect.NewEndpointServiceHandler(api.NewEndpointService(s.draining, s.registry), options))
	mux.Handle(dialpointv1connect.NewListenerServiceHandler(api.NewListenerService(s.registry), options))
	mux.Handle(grpchealth.NewHandler(s.health, options))
	_, watchHealth := grpchealth.NewHandler(healthWatch{s.health}, options)
	mux.Handle(healthWatchPath, watchHealth)
	mux.Handle(grpcreflect.NewHandlerV1(reflector, options))
	mux.Handle(grpcreflect.NewHandlerV1Alpha(reflector, options))
	return noStore(mux)
}

// noStore keeps answers out of every cache: they hold credentials (RFC 9111, section 5.2.2.5).
func noStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
