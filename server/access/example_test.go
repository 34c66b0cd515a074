package access_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"

	"connectrpc.com/connect"

	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/access"
	"dialpoint/server/rules"
)

// A gate stands before the mux and inside each handler, and its server notes who connects.
func ExampleGate() {
	gate := access.NewGate(slog.New(slog.DiscardHandler), access.Policy{ChildToken: rules.NewSecret("0123456789abcdef")})
	mux := http.NewServeMux()
	mux.Handle(dialpointv1connect.NewListenerServiceHandler(role{}, connect.WithInterceptors(gate.Interceptor())))
	web := httptest.NewUnstartedServer(gate.Middleware(mux))
	web.Config.ConnContext = access.WithConn
	web.Start()
	defer web.Close()

	for _, header := range []string{"", "Bearer 0123456789abcdef"} {
		request := httptest.NewRequest(http.MethodPost, web.URL+dialpointv1connect.ListenerServiceListListenersProcedure, http.NoBody)
		request.RequestURI = ""
		request.Header.Set("Content-Type", "application/proto")
		if header != "" {
			request.Header.Set("Authorization", header)
		}
		response, err := web.Client().Do(request)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = response.Body.Close()
		fmt.Println(response.Status)
	}
	// Output:
	// 401 Unauthorized
	// 403 Forbidden
}
