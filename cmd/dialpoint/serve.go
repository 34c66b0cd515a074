package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"dialpoint/server"
	"dialpoint/server/config"
	"dialpoint/server/socket"
)

// serving is the flags of the command.
type serving struct {
	settings

	listener, readyPattern string
	grace                  time.Duration
}

func newServe(env lookupEnv) *cobra.Command {
	flags := &serving{settings: settings{env: env}}
	cmd := &cobra.Command{
		Use:   "serve [flags] [-- CMD [ARG]...]",
		Short: "Serve endpoints to children",
		Long: `Serve answers children that ask where to dial, on a unix socket and on loopback TCP. Over the socket its own user and
root may call, and those whom serve.unix_allow names; over TCP whoever shows a token, which lies beside the socket
unless the configuration names another. Sockets that systemd passes (LISTEN_FDS) take the place of those configured.

The configuration comes from flags, environment and file, in this order; 'dialpoint config show --origin' prints it.
A changed file is taken over as a whole, or not at all; SIGHUP has it read again. SIGTERM and SIGINT end the service
in order.

With a command it is both in one process, such as process 1 of a container: the service, and the parent of a dashboard
that it starts. The dashboard binds the configured host, and the port that it announces, as with 'dialpoint report'; it
finds DIALPOINT_ADDR in its environment for its own children, and without a socket DIALPOINT_TOKEN_FILE. Standard output
is the dashboard's, so that what serve says itself goes to standard error. Signals pass to the dashboard, but for SIGHUP.
After SIGTERM it has the time of --grace to end. When it has ended, for whatever reason, the service ends in order, and
serve exits with the dashboard's code (128 and the signal's number for a signal), or with 1 where the service failed.`,
		Example: `  dialpoint serve --bind-host 0.0.0.0
  HERMES_DASHBOARD_HOST=0.0.0.0 dialpoint serve
  dialpoint serve --config dialpoint.yaml --tcp none
  dialpoint serve --bind-host 0.0.0.0 --bind-port 0 -- hermes dashboard --host 0.0.0.0 --port 0`,
		Args: flags.arguments,
		RunE: flags.run,
	}
	flags.register(cmd)
	cmd.Flags().StringVar(&flags.listener, "listener", "", "with a command: the name of the dashboard's listener (default \"default\")")
	cmd.Flags().DurationVar(&flags.grace, "grace", defaultGrace, "with a command: how long it may take to end after SIGTERM, before SIGKILL")
	registerReadyPattern(cmd, &flags.readyPattern)
	return cmd
}

// arguments checks that a command stands behind "--", and that no flag is for one that is not there.
func (s *serving) arguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return behindDashes(cmd, args)
	}
	return notGiven(cmd, "is for a command, which must stand behind --", "listener", "grace", "ready-pattern")
}

func (s *serving) run(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return s.runDashboard(cmd, args)
	}
	service, err := s.open(cmd, nil)
	if err != nil {
		return err
	}
	ctx, stop := untilStopped(cmd.Context())
	defer stop()
	defer onHangup(service.Reload)()
	sockets, err := service.listen(ctx, cmd.OutOrStdout())
	if err != nil {
		return err
	}
	return service.Serve(ctx, sockets...)
}

// service is one that the configuration describes.
type service struct {
	*server.Server

	log    *slog.Logger
	config *config.Config
}

// open makes the service. Reloaded, where it is set, is called with each new configuration.
func (s *serving) open(cmd *cobra.Command, reloaded func(*config.Config)) (*service, error) {
	loader, loaded, err := s.load()
	if err != nil {
		return nil, err
	}
	var level slog.LevelVar
	level.Set(loaded.Log.Level)
	log := newLog(cmd.ErrOrStderr(), loaded.Log.Format, &level)
	for _, warning := range loaded.Warnings {
		log.Warn(warning)
	}
	opened, err := server.New(
		server.WithLogger(log),
		server.WithConfig(loader, loaded),
		server.WithReloaded(func(now *config.Config) {
			level.Set(now.Log.Level)
			if reloaded != nil {
				reloaded(now)
			}
		}),
	)
	if err != nil {
		return nil, configError{err}
	}
	return &service{opened, log, loaded}, nil
}

// listen opens the sockets and says so.
func (s *service) listen(ctx context.Context, greet io.Writer) ([]net.Listener, error) {
	inherited, err := socket.Activated()
	if err != nil {
		return nil, configError{err}
	}
	sockets, err := s.Listen(ctx, inherited)
	switch {
	case errors.Is(err, server.ErrPlaintext), errors.Is(err, server.ErrNoTCP), errors.Is(err, server.ErrTokens):
		return nil, configError{err}
	case err != nil:
		return nil, err
	}
	if _, err := fmt.Fprint(greet, s.greeting(sockets)); err != nil {
		s.log.Warn("the greeting could not be printed", "error", err)
	}
	return sockets, nil
}

func (s *service) greeting(sockets []net.Listener) greeting {
	return greeting{s.config, sockets, s.Listeners()}
}

func newLog(to io.Writer, format string, level slog.Leveler) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if format == formatJSON {
		return slog.New(slog.NewJSONHandler(to, options))
	}
	return slog.New(slog.NewTextHandler(to, options))
}

// untilStopped ends with the first SIGTERM or SIGINT. A second one ends the process at once.
func untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// onHangup calls reload at each SIGHUP until the returned function is called.
func onHangup(reload func()) (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		for range hangups {
			reload()
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(hangups)
	}
}
