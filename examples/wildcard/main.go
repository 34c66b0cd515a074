// Command wildcard tells the story of https://github.com/NousResearch/hermes-agent/issues/58993 with real parts: a
// WebSocket dashboard bound to 0.0.0.0, a forward proxy (tinyproxy), and a Node child whose WebSocket honours the proxy
// variables. With the bind host in its URL the child ends up at the proxy. Through Dialpoint it connects directly.
//
// Run it from the root of the repository:
//
//	go run ./examples/wildcard
//
// It needs Go, Node with npm, and tinyproxy, and says how to install what is missing. The first run installs the child's
// one package (npm ci). It exits with 0 when the story went as told.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "wildcard:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "dialpoint-wildcard-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	stage, err := build(ctx, dir)
	if err != nil {
		return err
	}
	defer stage.close()
	return newStory(os.Stdout, stage).tell(ctx)
}
