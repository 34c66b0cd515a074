package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// resolve is the flags of the command.
type resolve struct {
	question

	output  string
	sidecar bool
	reveal  bool
}

func newResolve() *cobra.Command {
	flags := &resolve{}
	cmd := &cobra.Command{
		Use:   "resolve",
		Short: "Print what to dial, and why",
		Long: `Resolve asks the service what a child must dial now.

The output text explains and json is the service's answer; both show the credential only with --reveal.
The output url is the gateway's URL alone, or the sidecar's with --sidecar; env is NAME=value lines for a container
runtime's environment file, not for a shell to source. Those two are for programs, and hold the credential.`,
		Example: `  dialpoint resolve --channel chat-1
  websocat "$(dialpoint resolve -o url)"
  dialpoint resolve --wait 30s -o env > child.env`,
		Args: noArguments,
		RunE: flags.run,
	}
	flags.register(cmd, 0)
	cmd.Flags().StringVarP(&flags.output, "output", "o", formatText, "text, json, url or env")
	registerReveal(cmd, &flags.reveal)
	cmd.Flags().BoolVar(&flags.sidecar, "sidecar", false, "with -o url: the sidecar's URL; needs --channel")
	return cmd
}

func (r *resolve) run(cmd *cobra.Command, _ []string) error {
	write, err := r.writer()
	if err != nil {
		return usageError{err}
	}
	request, err := r.request()
	if err != nil {
		return err
	}
	service, err := r.connect(r.wait)
	if err != nil {
		return err
	}
	defer service.Close()
	endpoints, err := service.Resolve(cmd.Context(), request)
	if err != nil {
		return err
	}
	text, err := write(endpoints)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), text)
	return err
}

// writer is how to write the output that was asked for.
func (r *resolve) writer() (func(*dialpointv1.Endpoints) (string, error), error) {
	switch {
	case r.sidecar && r.output != formatURL:
		return nil, errors.New("--sidecar goes with -o url")
	case r.sidecar && r.channel == "":
		return nil, errors.New("--sidecar needs --channel, since a sidecar publishes for one chat")
	}
	switch r.output {
	case formatText:
		return r.text, nil
	case formatJSON:
		return r.json, nil
	case formatURL:
		return r.url, nil
	case formatEnv:
		return environment, nil
	}
	return nil, fmt.Errorf("-o %q: it must be text, json, url or env", r.output)
}

func (r *resolve) text(endpoints *dialpointv1.Endpoints) (string, error) {
	return explain(endpoints, r.reveal), nil
}

func (r *resolve) json(endpoints *dialpointv1.Endpoints) (string, error) {
	return indentedJSON(&dialpointv1.ResolveEndpointsResponse{Endpoints: endpoints}, r.reveal)
}

func (r *resolve) url(endpoints *dialpointv1.Endpoints) (string, error) {
	if r.sidecar {
		return endpoints.GetSidecar().GetUrl() + "\n", nil
	}
	return endpoints.GetGateway().GetUrl() + "\n", nil
}
