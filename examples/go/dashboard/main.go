// Command dashboard is a web server whose children find it through a Dialpoint service, whatever port it got.
//
//	go run ./examples/go/dashboard [-listen 0.0.0.0:0]
//
// The service is looked for at DIALPOINT_ADDR, else at the default socket.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"dialpoint/client"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "where to listen; port 0 is any that is free")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := dashboard(ctx, os.Stdout, *listen); err != nil {
		fmt.Fprintln(os.Stderr, "dashboard:", err)
		os.Exit(1) //nolint:gocritic // Nothing is left to stop.
	}
}

// dashboard serves until the context ends, or until another instance takes its place.
func dashboard(ctx context.Context, out io.Writer, listen string) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return err
	}
	socket, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	// These three lines are all that Dialpoint needs. The host is what the operator wrote, since a socket that is bound to
	// 0.0.0.0 calls itself [::].
	lease, err := client.Hold(ctx, socket, host)
	if err != nil {
		return errors.Join(err, socket.Close())
	}
	defer func() { _ = lease.Close() }()

	web := &http.Server{Handler: http.NotFoundHandler(), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- web.Serve(socket) }()
	// The URL that children dial is the service's to know: 'dialpoint resolve' prints it.
	if _, err := fmt.Fprintf(out, "listening on %s as instance %s\n", socket.Addr(), lease.InstanceID()); err != nil {
		return errors.Join(err, web.Close())
	}
	select {
	case err = <-served:
		return err
	case <-lease.Done():
	}
	// A dashboard that is told to stop has no error.
	return errors.Join(lease.Err(), web.Close())
}
