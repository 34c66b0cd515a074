package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// report is the flags of the command.
type report struct {
	connection
	reported

	wait         time.Duration
	hold         bool
	output       string
	readyPattern string
}

func newReport(env lookupEnv) *cobra.Command {
	flags := &report{reported: reported{env: env}}
	cmd := &cobra.Command{
		Use:   "report [flags] [-- CMD [ARG]...]",
		Short: "Report what a dashboard has bound, once or for as long as it lives",
		Long: `Report tells the service what a dashboard has bound. That wins over what is configured, for as long as it is renewed.

With --port it reports once, for as long as --ttl says, and prints what the service has recorded. With --hold it stays
and renews the report, until SIGTERM, SIGINT or SIGHUP, when it withdraws it and exits with 0, or until another instance
has the listener, when it says who and exits with 1.

With a command it runs a dashboard as its child and reports the port that this announces on its standard output, in a
line that holds "HERMES_DASHBOARD_READY port=N" or "HERMES_BACKEND_READY port=N", or what --ready-pattern matches. Each
further port takes the place of the last. Output and signals pass through as they are; the dashboard's standard output
is a pipe, though, even where that of report is a terminal. When the dashboard ends, the report is withdrawn, and report
exits with its code (128 and the signal's number for a signal). While no service answers, or another instance has the
listener, the dashboard runs on, and standard error tells of it. A lease that was lost to another instance is not taken
back.

The host is the one that the dashboard was told to bind, "" or "::" for every interface: --host, else env
DIALPOINT_BIND_HOST, else HERMES_DASHBOARD_HOST, else 127.0.0.1. What children must present to the dashboard is in
--credential-file, else in env DIALPOINT_CREDENTIAL, else in the file that DIALPOINT_CREDENTIAL_FILE names, else in
HERMES_DASHBOARD_SESSION_TOKEN; where there is none, what is configured counts.`,
		Example: `  dialpoint report --host 0.0.0.0 --port 41001 --hold
  dialpoint report --host 0.0.0.0 -- hermes dashboard --host 0.0.0.0 --port 0
  dialpoint report --ready-pattern 'listening on .*:(\d+)' -- ./dashboard`,
		Args: flags.arguments,
		RunE: flags.run,
	}
	flags.connection.register(cmd)
	flags.reported.register(cmd)
	cmd.Flags().DurationVar(&flags.wait, "wait", 0, "how long to wait until the service answers, and with --hold until no other instance has the listener")
	cmd.Flags().BoolVar(&flags.hold, "hold", false, "stay, renew the report, and withdraw it at the end")
	cmd.Flags().StringVarP(&flags.output, "output", "o", formatText, "text or json")
	registerReadyPattern(cmd, &flags.readyPattern)
	return cmd
}

func registerReadyPattern(cmd *cobra.Command, pattern *string) {
	cmd.Flags().StringVar(pattern, "ready-pattern", "",
		"with a command: how it announces its port, a Go regular expression in which that is the group named port, or the first (default: as Hermes does)")
}

// arguments checks that a command stands behind "--", and that no flag is for a report without one, or the other way
// round.
func (r *report) arguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return notGiven(cmd, "is for a command, which must stand behind --", "ready-pattern")
	}
	if err := behindDashes(cmd, args); err != nil {
		return err
	}
	return notGiven(cmd, "is for a report without a command, whose port is reported as it announces it, for as long as it runs",
		"port", "hold", "wait", "output")
}

// behindDashes refuses a command that does not stand behind "--".
func behindDashes(cmd *cobra.Command, args []string) error {
	if cmd.ArgsLenAtDash() != 0 {
		return fmt.Errorf("%q takes a command behind --, and got %q without", cmd.CommandPath(), args[0])
	}
	return nil
}

// notGiven refuses flags.
func notGiven(cmd *cobra.Command, why string, names ...string) error {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s %s", name, why)
		}
	}
	return nil
}

func (r *report) run(cmd *cobra.Command, args []string) error {
	said, err := r.read(cmd)
	if err != nil {
		return err
	}
	if len(args) > 0 {
		return r.runDashboard(cmd, args, said)
	}
	if err := r.check(cmd); err != nil {
		return usageError{err}
	}
	service, err := r.connect(r.wait)
	if err != nil {
		return err
	}
	defer service.Close()
	if r.hold {
		return r.keep(cmd, service, said)
	}
	response, err := service.Report(cmd.Context(), said)
	if err != nil {
		return err
	}
	return r.print(cmd, response)
}

// check reports whether the flags say what a report without a command needs.
func (r *report) check(cmd *cobra.Command) error {
	switch {
	case !cmd.Flags().Changed("port"):
		return errors.New("--port is missing: say which port the dashboard has bound, or behind -- how to start it")
	case r.output != formatText && r.output != formatJSON:
		return fmt.Errorf("-o %q: it must be text or json", r.output)
	case r.wait < 0:
		return fmt.Errorf("--wait %v: it must not be negative", r.wait)
	}
	return nil
}

// keep holds the listener until a signal comes or the lease is lost.
func (r *report) keep(cmd *cobra.Command, service *client.Client, said client.Report) error {
	keepPipes()
	ctx, stop := signal.NotifyContext(cmd.Context(), endings()...)
	defer stop()
	complaints := &complaints{say: cmd.PrintErrf}
	service.Waiting = complaints.add
	lease, err := service.Hold(ctx, said)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	}
	defer complaints.close(lease)
	// A report of our own beside those of the lease could get in after it was withdrawn.
	if found, err := service.GetListener(ctx, said.Listener); err == nil {
		if err := r.print(cmd, &dialpointv1.ReportListenerResponse{Listener: found, Ttl: durationpb.New(said.TTL)}); err != nil {
			return err
		}
	}
	<-lease.Done()
	return lease.Err()
}

// endings are the signals that end a report in order. One that is to be ignored, as nohup has it, is not caught.
func endings() []os.Signal {
	return slices.DeleteFunc([]os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP}, signal.Ignored)
}

// print prints what the service has recorded.
func (r *report) print(cmd *cobra.Command, response *dialpointv1.ReportListenerResponse) error {
	text := recordedText(response.GetListener(), time.Now())
	if r.output == formatJSON {
		var err error
		if text, err = indentedJSON(response, false); err != nil {
			return err
		}
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), text)
	return err
}
