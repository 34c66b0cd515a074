package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"dialpoint/client"
)

// watch is the flags of the command.
type watch struct {
	question

	output string
	reveal bool
}

func newWatch() *cobra.Command {
	flags := &watch{}
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Print what to dial now, then each change, one JSON line each",
		Long: `Watch prints the state now, bound or not, then one line of JSON for each change, until it is interrupted.
A service that stops or is not there is waited for. With --wait it gives up when there is nothing to dial within that
time. Credentials show only with --reveal.`,
		Example: `  dialpoint watch --channel chat-1 | jq .endpoints.gateway.displayUrl`,
		Args:    noArguments,
		RunE:    flags.run,
	}
	flags.register(cmd, 0)
	registerReveal(cmd, &flags.reveal)
	cmd.Flags().StringVarP(&flags.output, "output", "o", formatJSON, "json, one line a change")
	return cmd
}

func (w *watch) run(cmd *cobra.Command, _ []string) error {
	if w.output != formatJSON {
		return usageError{fmt.Errorf("-o %q: a watch writes json only", w.output)}
	}
	request, err := w.request()
	if err != nil {
		return err
	}
	service, err := w.connect(w.wait)
	if err != nil {
		return err
	}
	defer service.Close()
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err = w.follow(ctx, cmd, service, request)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (w *watch) follow(ctx context.Context, cmd *cobra.Command, service *client.Client, request client.Request) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	patience := w.patience(cancel)
	defer patience.Stop()
	told := false
	service.Waiting = func(err error) {
		if !told {
			cmd.PrintErrf("dialpoint: still trying: %v\n", err)
		}
		told = true
	}
	for update, err := range service.Watch(ctx, request) {
		if impatient := new(unavailableError); errors.As(context.Cause(ctx), impatient) {
			return *impatient
		}
		if err != nil {
			return err
		}
		told = false
		if update.GetEndpoints() != nil {
			patience.Stop()
		}
		line, err := jsonLine(update, w.reveal)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprint(cmd.OutOrStdout(), line); err != nil {
			return err
		}
	}
	return nil
}

// patience ends the watch when it runs out. Without --wait it never does.
func (w *watch) patience(cancel context.CancelCauseFunc) *time.Timer {
	if w.wait == 0 {
		return time.NewTimer(0)
	}
	return time.AfterFunc(w.wait, func() {
		cancel(unavailableError{fmt.Errorf("there was nothing to dial within %v", w.wait)})
	})
}
