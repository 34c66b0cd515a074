package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"

	"dialpoint/client"
	"dialpoint/server"
)

// A dashboard serves its children's endpoints itself, beside its own pages.
func Example_embedded() {
	const token = "a-token-that-the-dashboard-hands-to-its-children"
	service, err := server.New(
		server.WithListener(server.Listener{Credential: "t"}),
		server.WithTokens(token, ""),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer service.Close()
	mux := http.NewServeMux()
	mux.Handle("/dialpoint.v1.EndpointService/", service.Handler())
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "the dashboard") })
	dashboard := httptest.NewServer(mux)
	defer dashboard.Close()

	// The operator wrote "0.0.0.0:0": the socket knows the port.
	port := netip.MustParseAddrPort(dashboard.Listener.Addr().String()).Port()
	if err := service.SetBind("default", server.Bind{Host: "0.0.0.0", Port: int(port)}); err != nil {
		fmt.Println(err)
		return
	}

	child, err := client.New(dashboard.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer child.Close()
	child.Token = func(context.Context) (string, error) { return token, nil }
	endpoints, err := child.Resolve(context.Background(), client.Request{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Replace(endpoints.GetGateway().GetUrl(), fmt.Sprint(port), "PORT", 1))
	// Output: ws://127.0.0.1:PORT/api/ws?token=t
}
