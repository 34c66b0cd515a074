package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

const (
	defaultExecWait = 30 * time.Second
	defaultGrace    = 10 * time.Second
)

// execution is the flags of exec, and what they come to.
type execution struct {
	question
	childEnv

	optional bool
	onChange string
	grace    time.Duration
}

func newExec() *cobra.Command {
	flags := &execution{}
	cmd := &cobra.Command{
		Use:   "exec [flags] -- CMD [ARG]...",
		Short: "Run a child that finds its URLs in the environment",
		Long: `Exec resolves, waits until the listener is bound, and becomes the child, with the URLs in its environment:
DIALPOINT_GATEWAY_URL and HERMES_TUI_GATEWAY_URL, and with --channel DIALPOINT_SIDECAR_URL and HERMES_TUI_SIDECAR_URL.
What those held before is removed. NO_PROXY and no_proxy are extended by what the child needs to dial directly.

When there is nothing to dial in time, exec exits with 69 and starts no child, or with --optional starts it without
those variables. With --on-change it stays as the child's parent: it forwards signals, exits with the child's code
(128 and the signal's number for a signal), and acts when the URLs change.

A command that is not found gives exit code 127, one that cannot be run 126, as in a shell.`,
		Example: `  dialpoint exec --channel chat-1 -- node child.mjs
  dialpoint exec --env GATEWAY=gateway --wait 2m -- python3 child.py
  dialpoint exec --on-change restart -- ./child --verbose`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("exec needs a command: dialpoint exec [flags] -- CMD [ARG]")
			}
			return nil
		},
		RunE: flags.run,
	}
	cmd.Flags().SetInterspersed(false)
	flags.question.register(cmd, defaultExecWait)
	flags.childEnv.register(cmd)
	cmd.Flags().BoolVar(&flags.optional, "optional", false, "start the child even if there is nothing to dial, without URLs")
	cmd.Flags().StringVar(&flags.onChange, "on-change", "",
		"stay as the parent, and when the URLs change: restart, signal=NAME or ignore (default: become the child)")
	cmd.Flags().DurationVar(&flags.grace, "grace", defaultGrace, "with --on-change restart: how long the child may take to end after SIGTERM, before SIGKILL")
	return cmd
}

func (e *execution) run(cmd *cobra.Command, args []string) error {
	reaction, err := parseReaction(e.onChange)
	if err != nil {
		return usageError{err}
	}
	if err := e.check(e.channel); err != nil {
		return usageError{err}
	}
	program, err := findProgram(args)
	if err != nil {
		return err
	}
	request, err := e.request()
	if err != nil {
		return err
	}
	service, err := e.connect(e.wait)
	if err != nil {
		return err
	}
	defer service.Close()
	endpoints, err := e.resolve(cmd, service, request)
	if err != nil {
		return err
	}
	if reaction == nil {
		return program.become(e.environ(os.Environ(), endpoints))
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	calls := make(chan func(), 1)
	child := e.dialler(program, endpoints, reaction)
	go follow(ctx, cmd, service, request, func(newest *dialpointv1.Endpoints) {
		replace(calls, func() { child.compare(newest) })
	})
	return child.parent.run(calls)
}

// resolve waits until there is something to dial. Where that is optional, no endpoints are no error.
func (e *execution) resolve(cmd *cobra.Command, service *client.Client, request client.Request) (*dialpointv1.Endpoints, error) {
	endpoints, err := service.Resolve(cmd.Context(), request)
	if err != nil && e.optional && exitCode(err) == exitUnavailable {
		cmd.PrintErrf("dialpoint: the child starts without URLs: %v\n", err)
		err = nil
	}
	return endpoints, err
}

// dialler is a child that was given URLs, for the time that these are followed.
type dialler struct {
	parent *supervisor
	react  reaction
	// given is what the child was given, newest what it would be given now. Nil is no URLs.
	given, newest *dialpointv1.Endpoints
}

func (e *execution) dialler(program program, endpoints *dialpointv1.Endpoints, reaction reaction) *dialler {
	child := &dialler{react: reaction, newest: endpoints}
	child.parent = newSupervisor(func() (int, error) {
		child.given = child.newest
		return program.start(e.environ(os.Environ(), child.given), os.Stdout)
	})
	child.parent.grace = e.grace
	return child
}

// compare reacts when the child was given other URLs than it would be now.
func (d *dialler) compare(newest *dialpointv1.Endpoints) {
	d.newest = newest
	if sameURLs(d.given, newest) {
		return
	}
	d.react.changed(d.parent)
	if !d.parent.ending {
		d.given = newest
	}
}

func sameURLs(a, b *dialpointv1.Endpoints) bool {
	return a.GetGateway().GetUrl() == b.GetGateway().GetUrl() && a.GetSidecar().GetUrl() == b.GetSidecar().GetUrl()
}

// follow calls changed with the endpoints whenever they change, until the context ends.
func follow(ctx context.Context, cmd *cobra.Command, service *client.Client, request client.Request, changed func(*dialpointv1.Endpoints)) {
	for update, err := range service.Watch(ctx, request) {
		if err != nil && ctx.Err() == nil {
			cmd.PrintErrf("dialpoint: changes are not followed any more: %v\n", err)
		}
		if update.GetEndpoints() != nil {
			changed(update.GetEndpoints())
		}
	}
}

// replace puts the newest value into a mailbox of one. Nobody else may put one in.
func replace[T any](mailbox chan T, newest T) {
	select {
	case <-mailbox:
	default:
	}
	mailbox <- newest
}
