package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// listeners is the flags of the command.
type listeners struct {
	connection

	output string
}

func newListeners() *cobra.Command {
	flags := &listeners{}
	cmd := &cobra.Command{
		Use:   "listeners",
		Short: "List the listeners and what is known of each",
		Long: `Listeners prints each listener: whether its host and port are known, who said so, and where a dashboard reported it,
how long its lease still holds and which run of the dashboard has it. The output json is the service's answer.`,
		Args: noArguments,
		RunE: flags.run,
	}
	flags.register(cmd)
	cmd.Flags().StringVarP(&flags.output, "output", "o", formatText, "text or json")
	return cmd
}

func (l *listeners) run(cmd *cobra.Command, _ []string) error {
	if l.output != formatText && l.output != formatJSON {
		return usageError{fmt.Errorf("-o %q: it must be text or json", l.output)}
	}
	service, err := l.connect(0)
	if err != nil {
		return err
	}
	defer service.Close()
	found, err := service.ListListeners(cmd.Context())
	if err != nil {
		return err
	}
	text := listenerTable(found, time.Now())
	if l.output == formatJSON {
		if text, err = indentedJSON(&dialpointv1.ListListenersResponse{Listeners: found}, false); err != nil {
			return err
		}
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), text)
	return err
}

func listenerTable(found []*dialpointv1.Listener, now time.Time) string {
	rows := newTable()
	rows.row("NAME", "STATE", "BIND", "SOURCE", "LEASE", "INSTANCE", "OVERRIDE", "ADVERTISE", "AUTH", "REVISION")
	for _, listener := range found {
		rows.row(
			listener.GetName(),
			lower(listener.GetState().String(), "STATE_"),
			bindText(listener.GetBind()),
			lower(listener.GetBindSource().String(), "BIND_SOURCE_"),
			leaseText(listener, now),
			orDash(listener.GetInstanceId()),
			orDash(listener.GetOverride()),
			orDash(listener.GetAdvertise()),
			lower(listener.GetAuthMode().String(), "AUTH_MODE_"),
			strconv.FormatUint(listener.GetRevision(), 10),
		)
	}
	return rows.String()
}

// recordedText is what is known of one listener that was reported.
func recordedText(listener *dialpointv1.Listener, now time.Time) string {
	rows := newTable()
	rows.row("listener", listener.GetName())
	rows.row("state", lower(listener.GetState().String(), "STATE_"))
	rows.row("bind", bindText(listener.GetBind()))
	rows.row("lease", leaseText(listener, now))
	rows.row("instance", orDash(listener.GetInstanceId()))
	rows.row("auth", lower(listener.GetAuthMode().String(), "AUTH_MODE_"))
	rows.row("revision", strconv.FormatUint(listener.GetRevision(), 10))
	return rows.String()
}

// leaseText is how long a lease still holds unless it is renewed, by the clock of this machine.
func leaseText(listener *dialpointv1.Listener, now time.Time) string {
	if listener.GetLeaseExpireTime() == nil {
		return "-"
	}
	return max(listener.GetLeaseExpireTime().AsTime().Sub(now), 0).Round(time.Second).String()
}

func bindText(bind *dialpointv1.Bind) string {
	if bind == nil {
		return "-"
	}
	return hostPort(bind.GetHost(), bind.GetPort())
}

// lower is an enum value's name for people. A value that was not said is a dash.
func lower(name, prefix string) string {
	name = strings.ToLower(strings.TrimPrefix(name, prefix))
	if name == "unspecified" {
		return "-"
	}
	return name
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
