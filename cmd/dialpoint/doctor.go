package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dialpoint/client"
	"dialpoint/cmd/dialpoint/doctor"
)

// checkup is the flags of the command.
type checkup struct {
	question

	env    lookupEnv
	all    bool
	output string
}

func newDoctor(env lookupEnv) *cobra.Command {
	flags := &checkup{env: env}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out why a child cannot connect",
		Long: `Doctor asks the service what to dial, tries it as a child would, and says what to set where that goes wrong.

  listing      whether all listeners can be looked at, with --all
  resolve      what the service hands out for an endpoint, and by which rule
  explanation  what the service warns of
  lease        how long the dashboard's report still holds; for operators
  connect      whether something listens at the address
  loopback     which of 127.0.0.1 and [::1] answer for a listener that binds a wildcard
  upgrade      what the dashboard answers to the WebSocket handshake, with the credential
  proxy        which variable of this environment would send a client like Go's, curl or Python's to a proxy

A check is ok, a warning (some children cannot connect, or soon cannot), failed (none can) or skipped. The output json
is {"status": …, "listeners": [{"listener": …, "status": …, "checks": [{"check": …, "endpoint": "gateway" or "sidecar",
"client": "go", "curl" or "python", "status": …, "finding": …, "advice": …}]}]}; endpoint, client and advice are left
out where there is none. No output holds a credential.

Exit codes: 0 nothing failed; 1 a check failed; 69, 77 the service handed nothing out, since it or the listener is not
available, or since you may not ask.`,
		Example: `  dialpoint doctor --channel chat-1
  dialpoint doctor --all -o json | jq '.listeners[].checks[] | select(.status == "failed")'`,
		Args: noArguments,
		RunE: flags.run,
	}
	flags.register(cmd, 0)
	cmd.Flags().BoolVar(&flags.all, "all", false, "look at every listener, as operators may")
	cmd.Flags().StringVarP(&flags.output, "output", "o", formatText, "text or json")
	return cmd
}

func (c *checkup) run(cmd *cobra.Command, _ []string) error {
	write, err := c.writer()
	if err != nil {
		return usageError{err}
	}
	request, err := c.request()
	if err != nil {
		return err
	}
	service, err := c.connect(c.wait)
	if err != nil {
		return err
	}
	defer service.Close()
	reports := c.examine(cmd, service, request)
	for _, report := range reports {
		if code := codeOfReport(report); code == exitUsage || code == exitConfig {
			return report.Err
		}
	}
	text, err := write(reports)
	if err != nil {
		return err
	}
	if _, err = fmt.Fprint(cmd.OutOrStdout(), text); err != nil {
		return err
	}
	return outcome(reports)
}

func (c *checkup) examine(cmd *cobra.Command, service *client.Client, request client.Request) []doctor.Report {
	examiner := &doctor.Doctor{Service: service, Env: c.env}
	if c.all {
		return examiner.ExamineAll(cmd.Context(), request)
	}
	return []doctor.Report{examiner.Examine(cmd.Context(), request)}
}

// writer is how to write the output that was asked for.
func (c *checkup) writer() (func([]doctor.Report) (string, error), error) {
	if c.all && c.listener != "" {
		return nil, errors.New("--all and --listener exclude each other")
	}
	switch c.output {
	case formatText:
		return reportsText, nil
	case formatJSON:
		return reportsJSON, nil
	}
	return nil, fmt.Errorf("-o %q: it must be text or json", c.output)
}

// outcome is nil where nothing failed. What failed has been printed by then, so that the error is only a code.
func outcome(reports []doctor.Report) error {
	code := 0
	for _, report := range reports {
		switch found := codeOfReport(report); {
		case found == exitFailed:
			return exitStatus{code: exitFailed}
		case code == 0:
			code = found
		}
	}
	if code == 0 {
		return nil
	}
	return exitStatus{code: code}
}

func codeOfReport(report doctor.Report) int {
	switch {
	case report.Err != nil:
		return exitCode(report.Err)
	case report.Status == doctor.StatusFailed:
		return exitFailed
	}
	return 0
}
