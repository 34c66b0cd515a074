package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"dialpoint/client"
)

// The zero Client finds the service by the environment.
func ExampleClient() {
	address, stop := exampleService(resolving(endpoints(1)))
	defer stop()
	_ = os.Setenv(client.AddressEnv, address) // as whoever starts the child does
	defer func() { _ = os.Unsetenv(client.AddressEnv) }()

	var service client.Client
	defer service.Close()
	endpoints, err := service.Resolve(context.Background(), client.Request{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("dial", endpoints.GetGateway().GetDisplayUrl()) // dial Url, print DisplayUrl
	// Output:
	// dial ws://127.0.0.1:9119/api/ws?token=REDACTED
}

// Over TCP a service is shown a token, and over https it is trusted for its certificate. Both files may be replaced at any
// time.
func ExampleClient_tls() {
	service := client.Client{
		Addr:      "https://dial.example:9118",
		TokenFile: "/run/secrets/dialpoint/child.token",
		CAFile:    "/etc/dialpoint/ca.pem",
	}
	defer service.Close()

	_, err := service.Resolve(context.Background(), client.Request{})
	switch {
	case errors.Is(err, client.ErrConfiguration):
		fmt.Println("ask whoever wrote these files:", err)
	case client.ReasonOf(err) == client.ReasonCredentialInvalid:
		fmt.Println("ask whoever runs the service:", err)
	}
}

func ExampleNew() {
	service, err := client.New("unix:///run/dialpoint/dialpoint.sock, http://dial.example:9118")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer service.Close()
	fmt.Println(service.Addresses())

	_, err = client.New("http://0.0.0.0:9118")
	fmt.Println(err)
	// Output:
	// [unix:///run/dialpoint/dialpoint.sock http://dial.example:9118]
	// "http://0.0.0.0:9118" is no address of a Dialpoint service: a wildcard can be bound but not dialled; dial 127.0.0.1 on the service's own machine
}

func ExampleClient_Resolve() {
	address, stop := exampleService(resolving(endpoints(1)))
	defer stop()
	service := client.Client{Addr: address, Patience: time.Minute}
	defer service.Close()

	endpoints, err := service.Resolve(context.Background(), client.Request{Wait: 30 * time.Second})
	switch {
	case client.ReasonOf(err) == client.ReasonListenerNotBound:
		fmt.Println("the dashboard is not up yet")
	case err != nil:
		fmt.Println(err)
	default:
		fmt.Println("dial", endpoints.GetGateway().GetDisplayUrl()) // dial Url, print DisplayUrl
	}
	// Output:
	// dial ws://127.0.0.1:9119/api/ws?token=REDACTED
}

func ExampleClient_Watch() {
	gone := make(chan struct{}, 1)
	address, stop := exampleService(holding(gone, bound(1), unavailable(client.ReasonListenerNotBound), bound(2)))
	defer stop()
	service := client.Client{Addr: address}
	defer service.Close()

	for update, err := range service.Watch(context.Background(), client.Request{}) {
		switch {
		case err != nil:
			fmt.Println(err) // the context is over, or the service wants no more of this
		case update.GetEndpoints() != nil:
			fmt.Println("dial", update.GetEndpoints().GetGateway().GetDisplayUrl())
		default:
			fmt.Println("nothing to dial:", update.GetUnavailable().GetReason())
		}
		if update.GetEndpoints().GetRevision() == 2 {
			break // and the watch is over
		}
	}
	// Output:
	// dial ws://127.0.0.1:9119/api/ws?token=REDACTED
	// nothing to dial: LISTENER_NOT_BOUND
	// dial ws://127.0.0.1:9120/api/ws?token=REDACTED
}

func ExampleClient_Source() {
	dashboard := newBoard(bound(1))
	address, stop := exampleService(dashboard.service())
	defer stop()
	service := client.Client{Addr: address}
	defer service.Close()

	source, err := service.Source(context.Background(), client.Request{}) // waits for the first endpoints
	if err != nil {
		fmt.Println(err)
		return
	}
	defer source.Close()
	endpoints, _ := source.Endpoints() // costs nothing
	fmt.Println("dial", endpoints.GetGateway().GetDisplayUrl())

	dashboard.post(bound(2)) // the dashboard moves to another port
	<-source.Updated()
	endpoints, _ = source.Endpoints()
	fmt.Println("dial", endpoints.GetGateway().GetDisplayUrl())
	// Output:
	// dial ws://127.0.0.1:9119/api/ws?token=REDACTED
	// dial ws://127.0.0.1:9120/api/ws?token=REDACTED
}

// exampleService serves on a socket of its own. It stands for a service that runs already.
func exampleService(service service) (address string, stop func()) {
	dir, err := os.MkdirTemp("", "dialpoint")
	if err != nil {
		return err.Error(), func() {}
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "unix", filepath.Join(dir, "s"))
	if err != nil {
		return err.Error(), func() {}
	}
	server := &http.Server{Handler: service.handler(), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	return addressOf(listener), func() {
		_ = server.Close()
		_ = os.RemoveAll(dir)
	}
}
