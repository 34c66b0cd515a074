package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"dialpoint/server"
	"dialpoint/server/config"
	"dialpoint/server/socket"
)

func newServe(env lookupEnv) *cobra.Command {
	settings := &settings{env: env}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve endpoints to children",
		Long: `Serve answers children that ask where to dial, on a unix socket and on loopback TCP. Over the socket its own user and
root may call, and those whom serve.unix_allow names; over TCP whoever shows a token, which lies beside the socket
unless the configuration names another. Sockets that systemd passes (LISTEN_FDS) take the place of those configured.

The configuration comes from flags, environment and file, in this order; 'dialpoint config show --origin' prints it.
A changed file is taken over as a whole, or not at all; SIGHUP has it read again. SIGTERM and SIGINT end the service
in order.`,
		Example: `  dialpoint serve --bind-host 0.0.0.0
  HERMES_DASHBOARD_HOST=0.0.0.0 dialpoint serve
  dialpoint serve --config dialpoint.yaml --tcp none`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd, settings) },
	}
	settings.register(cmd)
	return cmd
}

func serve(cmd *cobra.Command, settings *settings) error {
	loader, loaded, err := settings.load()
	if err != nil {
		return err
	}
	var level slog.LevelVar
	level.Set(loaded.Log.Level)
	log := newLog(cmd.ErrOrStderr(), loaded.Log.Format, &level)
	for _, warning := range loaded.Warnings {
		log.Warn(warning)
	}
	service, err := server.New(
		server.WithLogger(log),
		server.WithConfig(loader, loaded),
		server.WithReloaded(func(now *config.Config) { level.Set(now.Log.Level) }),
	)
	if err != nil {
		return configError{err}
	}
	ctx, stop := untilStopped(cmd.Context())
	defer stop()
	defer onHangup(service.Reload)()

	inherited, err := socket.Activated()
	if err != nil {
		return configError{err}
	}
	sockets, err := service.Listen(ctx, inherited)
	switch {
	case errors.Is(err, server.ErrPlaintext):
		return configError{err}
	case err != nil:
		return err
	}
	if _, err := fmt.Fprint(cmd.OutOrStdout(), greeting{loaded, sockets, service.Listeners()}); err != nil {
		log.Warn("the greeting could not be printed", "error", err)
	}
	return service.Serve(ctx, sockets...)
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
