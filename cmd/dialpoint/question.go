package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// question is what resolve, watch and exec ask the service.
type question struct {
	connection

	listener, channel, audience string
	wait                        time.Duration
}

var audiences = map[string]dialpointv1.Audience{
	"":       dialpointv1.Audience_AUDIENCE_UNSPECIFIED,
	"local":  dialpointv1.Audience_AUDIENCE_LOCAL,
	"remote": dialpointv1.Audience_AUDIENCE_REMOTE,
}

func (q *question) register(cmd *cobra.Command, wait time.Duration) {
	q.connection.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&q.listener, "listener", "", "the listener's name (default \"default\")")
	flags.StringVar(&q.channel, "channel", "", "the chat that the sidecar publishes for; none, no sidecar")
	flags.StringVar(&q.audience, "audience", "", "local or remote: whether the caller shares the listener's loopback (default: the connection decides)")
	flags.DurationVar(&q.wait, "wait", wait, "how long to wait until the service answers and the listener is bound, at most 5m")
}

func (q *question) request() (client.Request, error) {
	audience, ok := audiences[q.audience]
	if !ok {
		return client.Request{}, usageError{fmt.Errorf("--audience %q: it must be local or remote", q.audience)}
	}
	if q.wait < 0 {
		return client.Request{}, usageError{fmt.Errorf("--wait %v: it must not be negative", q.wait)}
	}
	return client.Request{Listener: q.listener, Channel: q.channel, Audience: audience, Wait: q.wait}, nil
}

// registerReveal lets a command show what it masks otherwise.
func registerReveal(cmd *cobra.Command, reveal *bool) {
	cmd.Flags().BoolVar(reveal, "reveal", false, "show the credential in text and json")
}
