package main

import (
	"fmt"
	"strconv"
	"strings"

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
		Args:  noArguments,
		RunE:  flags.run,
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
	text := listenerTable(found)
	if l.output == formatJSON {
		if text, err = indentedJSON(&dialpointv1.ListListenersResponse{Listeners: found}, false); err != nil {
			return err
		}
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), text)
	return err
}

func listenerTable(found []*dialpointv1.Listener) string {
	rows := newTable()
	rows.row("NAME", "STATE", "BIND", "SOURCE", "OVERRIDE", "ADVERTISE", "AUTH", "REVISION")
	for _, listener := range found {
		rows.row(
			listener.GetName(),
			lower(listener.GetState().String(), "STATE_"),
			bindText(listener.GetBind()),
			lower(listener.GetBindSource().String(), "BIND_SOURCE_"),
			orDash(listener.GetOverride()),
			orDash(listener.GetAdvertise()),
			lower(listener.GetAuthMode().String(), "AUTH_MODE_"),
			strconv.FormatUint(listener.GetRevision(), 10),
		)
	}
	return rows.String()
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
