package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"dialpoint/client"
)

// entrypoint is a service and a dashboard that live together.
type entrypoint struct {
	*service

	bind   *dashboardBind
	child  *dashboard
	parent *supervisor
}

// runDashboard serves, and runs a dashboard as a child. The error is the child's exit status, or why the service failed.
func (s *serving) runDashboard(cmd *cobra.Command, args []string) error {
	child, err := newDashboard(args, s.readyPattern, cmd.OutOrStdout())
	if err != nil {
		return err
	}
	keepPipes()
	bind := &dashboardBind{name: s.listener}
	service, err := s.open(cmd, bind.reconfigure)
	if err != nil {
		return err
	}
	bind.set, bind.log = service.SetBind, service.log
	if err := bind.configure(service.config); err != nil {
		return configError{err}
	}
	child.tell(bind.announced, func(problem string) { service.log.Warn(problem) })
	parent := newSupervisor(child.start)
	defer parent.release()
	parent.grace, parent.firm, parent.hangup = s.grace, true, service.Reload
	sockets, err := service.listen(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	child.environ = service.environ(os.Environ(), sockets)
	return entrypoint{service, bind, child, parent}.run(cmd.Context(), sockets)
}

// run serves for as long as the dashboard runs. Where the service fails, the dashboard has to end.
func (e entrypoint) run(ctx context.Context, sockets []net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	served := make(chan error, 1)
	calls := make(chan func(), 1)
	go func() {
		served <- e.Serve(ctx, sockets...)
		calls <- e.parent.quit
	}()
	status := e.parent.run(calls)
	e.bind.ended()
	stop()
	e.child.finish()
	if err := <-served; err != nil {
		return err
	}
	return status
}

// environ is the environment of a dashboard whose children are to find this service.
func (s *service) environ(environ []string, sockets []net.Listener) []string {
	greeting := s.greeting(sockets)
	address := greeting.url(sockets[0])
	environ = append(without(environ, []string{client.AddressEnv}), client.AddressEnv+"="+address)
	if strings.HasPrefix(address, "unix://") {
		return environ
	}
	environ = without(environ, []string{client.TokenEnv, client.TokenFileEnv})
	return append(environ, client.TokenFileEnv+"="+absolute(greeting.tokenFile()))
}

// absolute is a path that is good in every directory.
func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}
