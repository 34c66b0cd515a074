// Command child asks a Dialpoint service what to dial, with package client.
//
//	go run ./examples/go/child [-wait 30s] [CHANNEL]
//
// The service is looked for at DIALPOINT_ADDR, else at the default socket.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"dialpoint/client"
)

func main() {
	wait := flag.Duration("wait", 30*time.Second, "how long to wait for the service, and for the dashboard to listen")
	flag.Parse()
	if err := child(os.Stdout, flag.Arg(0), *wait); err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
}

func child(out io.Writer, channel string, wait time.Duration) error {
	var waiting sync.Once
	service := &client.Client{Patience: wait, Waiting: func(err error) {
		waiting.Do(func() { fmt.Fprintln(os.Stderr, "waiting:", err) })
	}}
	defer service.Close()
	endpoints, err := service.Resolve(context.Background(), client.Request{Channel: channel, Wait: wait})
	if err != nil {
		return err
	}
	// Your program connects here, to GetUrl. Keep the URL: it is good for every reconnect. It holds a credential, so
	// only DisplayUrl may be printed.
	_, err = fmt.Fprintf(out, "gateway %s\n", endpoints.GetGateway().GetDisplayUrl())
	if sidecar := endpoints.GetSidecar(); err == nil && sidecar != nil {
		_, err = fmt.Fprintf(out, "sidecar %s\n", sidecar.GetDisplayUrl())
	}
	return err
}
