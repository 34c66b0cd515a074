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

func ExampleNew() {
	service, err := client.New("unix:///run/dialpoint/dialpoint.sock") // "" asks DIALPOINT_ADDR, then the default socket
	if err != nil {
		fmt.Println(err)
		return
	}
	defer service.Close()
	fmt.Println(service.Address())

	_, err = client.New("http://0.0.0.0:9118")
	fmt.Println(err)
	// Output:
	// unix:///run/dialpoint/dialpoint.sock
	// "http://0.0.0.0:9118" is no address of a Dialpoint service: a wildcard can be bound but not dialled; dial 127.0.0.1 on the service's own machine
}

func ExampleClient_Resolve() {
	address, stop := exampleService(resolving(endpoints(1)))
	defer stop()
	service, err := client.New(address)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer service.Close()

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	endpoints, err := service.Resolve(ctx, client.Request{Wait: 30 * time.Second})
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
	sent := append(updates(endpoints(1)), unavailable(client.ReasonListenerNotBound))
	address, stop := exampleService(watching(sent...))
	defer stop()
	service, err := client.New(address)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer service.Close()

	for update, err := range service.Watch(context.Background(), client.Request{}) {
		switch {
		case err != nil:
			fmt.Println("the watch is over:", errors.Is(err, context.Canceled))
		case update.GetEndpoints() != nil:
			fmt.Println("dial", update.GetEndpoints().GetGateway().GetDisplayUrl())
		default:
			fmt.Println("nothing to dial:", update.GetUnavailable().GetReason())
		}
	}
	// Output:
	// dial ws://127.0.0.1:9119/api/ws?token=REDACTED
	// nothing to dial: LISTENER_NOT_BOUND
	// the watch is over: false
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
