package main

import (
	"context"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"dialpoint/client"
)

// runDashboard runs a dashboard as a child and reports what it announces. The error is the child's exit status.
func (r *report) runDashboard(cmd *cobra.Command, args []string, said client.Report) error {
	child, err := newDashboard(args, r.readyPattern, cmd.OutOrStdout())
	if err != nil {
		return err
	}
	service, err := r.connect(attemptTime)
	if err != nil {
		return err
	}
	defer service.Close()
	keepPipes()
	reporter := newReporter(service, said, cmd.PrintErrf)
	child.environ = os.Environ()
	child.tell(reporter.announced, func(problem string) { cmd.PrintErrf("dialpoint: %s\n", problem) })
	ctx, cancel := context.WithCancel(cmd.Context())
	var reporting sync.WaitGroup
	reporting.Go(func() { reporter.run(ctx) })
	status := newSupervisor(child.start).run(nil)
	cancel()
	child.finish()
	reporting.Wait()
	return status
}
