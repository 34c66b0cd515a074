package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dialpoint/client"
	"dialpoint/server"
)

// A dashboard in Go needs three lines more than it had: it listens on any port, and its children find it.
func ExampleHold() {
	address, stop := realService()
	defer stop()
	_ = os.Setenv(client.AddressEnv, address) // as whoever starts the dashboard does
	defer func() { _ = os.Unsetenv(client.AddressEnv) }()
	socket, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = socket.Close() }()

	lease, err := client.Hold(context.Background(), socket, "0.0.0.0") // the host as the operator wrote it
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = lease.Close() }()

	fmt.Println("children dial", whatChildrenDial(address, socket))
	// Output:
	// children dial ws://127.0.0.1:PORT/api/ws
}

// What the socket does not know stands in the report.
func ExampleHold_options() {
	address, stop := realService()
	defer stop()
	_ = os.Setenv(client.AddressEnv, address)
	defer func() { _ = os.Unsetenv(client.AddressEnv) }()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = socket.Close() }()

	lease, err := client.Hold(context.Background(), socket, "127.0.0.1", func(report *client.Report) {
		report.TLS = true                     // by http.Server.ServeTLS
		report.Credential = "what-they-bring" // children are handed it in their URLs
		report.TTL = 5 * time.Second          // how soon they are told of a crash
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = lease.Close() }()

	fmt.Println("children dial", whatChildrenDial(address, socket))
	// Output:
	// children dial wss://127.0.0.1:PORT/api/ws?token=REDACTED
}

// A lease that is lost says who has the listener now.
func ExampleClient_Hold() {
	address, stop := realService()
	defer stop()
	service := client.Client{Addr: address}
	defer service.Close()

	lease, err := service.Hold(context.Background(), client.Report{Host: "127.0.0.1", Port: 9119, InstanceID: "blue", TTL: time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = lease.Close() }()

	_, err = service.Report(context.Background(), client.Report{Host: "127.0.0.1", Port: 9120, InstanceID: "green", Takeover: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	<-lease.Done()
	failure, _ := errors.AsType[*client.Error](lease.Err())
	fmt.Println(failure.Reason)
	message, _, _ := strings.Cut(failure.Message, ", whose lease ends at")
	fmt.Println(message)
	// Output:
	// LISTENER_HELD
	// instance "blue" has lost its lease: listener "default" is held by instance "green"
}

// realService serves the default listener on a socket of its own. It stands for a service that runs already.
func realService() (address string, stop func()) {
	dir, err := os.MkdirTemp("", "dialpoint")
	if err != nil {
		return err.Error(), func() {}
	}
	socket, err := new(net.ListenConfig).Listen(context.Background(), "unix", filepath.Join(dir, "s"))
	if err != nil {
		return err.Error(), func() {}
	}
	service, err := server.New(server.WithListener(server.Listener{}))
	if err != nil {
		return err.Error(), func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- service.Serve(ctx, socket) }()
	return addressOf(socket), func() {
		cancel()
		_ = errors.Join(<-ended, os.RemoveAll(dir))
	}
}

// whatChildrenDial is fit to print, with PORT in place of a port that is another each time.
func whatChildrenDial(address string, socket net.Listener) string {
	child := client.Client{Addr: address}
	defer child.Close()
	endpoints, err := child.Resolve(context.Background(), client.Request{})
	if err != nil {
		return err.Error()
	}
	_, port, err := net.SplitHostPort(socket.Addr().String())
	if err != nil {
		return err.Error()
	}
	return strings.Replace(endpoints.GetGateway().GetDisplayUrl(), ":"+port, ":PORT", 1)
}
