package main

import (
	"context"
	"errors"
	"os"
	"syscall"
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
	changes := make(chan *dialpointv1.Endpoints, 1)
	go follow(ctx, cmd, service, request, changes)
	return e.supervisor(program, endpoints, reaction).run(changes)
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

// supervisor is the parent of a child that was given these endpoints.
func (e *execution) supervisor(program program, endpoints *dialpointv1.Endpoints, reaction reaction) *supervisor {
	return &supervisor{
		spawn: func(endpoints *dialpointv1.Endpoints) (int, error) {
			return program.start(e.environ(os.Environ(), endpoints))
		},
		signal:  syscall.Kill,
		react:   reaction,
		grace:   e.grace,
		current: endpoints,
	}
}

// follow sends the endpoints to a mailbox of one whenever they change, until the context ends.
func follow(ctx context.Context, cmd *cobra.Command, service *client.Client, request client.Request, changes chan *dialpointv1.Endpoints) {
	for update, err := range service.Watch(ctx, request) {
		if err != nil && ctx.Err() == nil {
			cmd.PrintErrf("dialpoint: changes are not followed any more: %v\n", err)
		}
		if update.GetEndpoints() != nil {
			replace(changes, update.GetEndpoints())
		}
	}
}

// replace puts the newest value into a mailbox of one.
func replace[T any](mailbox chan T, newest T) {
	select {
	case <-mailbox:
	default:
	}
	mailbox <- newest
}
