package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// question is what resolve and watch ask the service.
type question struct {
	addressFlag

	listener, channel, audience string
	wait                        time.Duration
	reveal                      bool
}

var audiences = map[string]dialpointv1.Audience{
	"":       dialpointv1.Audience_AUDIENCE_UNSPECIFIED,
	"local":  dialpointv1.Audience_AUDIENCE_LOCAL,
	"remote": dialpointv1.Audience_AUDIENCE_REMOTE,
}

func (q *question) register(cmd *cobra.Command) {
	q.addressFlag.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&q.listener, "listener", "", "the listener's name (default \"default\")")
	flags.StringVar(&q.channel, "channel", "", "the chat that the sidecar publishes for; none, no sidecar")
	flags.StringVar(&q.audience, "audience", "", "local or remote: whether the caller shares the listener's loopback (default: the connection decides)")
	flags.DurationVar(&q.wait, "wait", 0, "how long to wait until the listener is bound, at most 5m")
	flags.BoolVar(&q.reveal, "reveal", false, "show the credential in text and json")
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
