package server_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"google.golang.org/protobuf/types/known/durationpb"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/server"
	"dialpoint/server/config"
	"dialpoint/server/socket"
)

// serveConfig serves a configuration file on its own sockets.
func serveConfig(t *testing.T, text string, options ...server.Option) (service *running, file string) {
	t.Helper()
	built, file := fromConfig(t, onTCP+text, options...)
	sockets, err := built.Listen(t.Context(), socket.Sockets{})
	must(t, err)
	return run(t, built, sockets...), file
}

const onTCP = "serve: {tcp: \"127.0.0.1:0\"}\n"

// rewrite puts another text into the file, beside its section serve.
func rewrite(t *testing.T, file, text string) {
	t.Helper()
	replace(t, file, onTCP+text)
}

// replace swaps a file in whole, so that no reload sees half of it.
func replace(t *testing.T, file, text string) {
	t.Helper()
	write(t, file+".new", text)
	must(t, os.Rename(file+".new", file))
}

// reloads is a log handler that hands on what came of each reload: the error, empty where there was none.
type reloads chan string

func (r reloads) Enabled(context.Context, slog.Level) bool { return true }
func (r reloads) WithAttrs([]slog.Attr) slog.Handler       { return r }
func (r reloads) WithGroup(string) slog.Handler            { return r }

func (r reloads) Handle(_ context.Context, record slog.Record) error {
	switch record.Message {
	case "configuration loaded":
		r <- ""
	case "configuration not loaded, the last good one stays in force":
		record.Attrs(func(attr slog.Attr) bool {
			r <- attr.Value.String()
			return false
		})
	}
	return nil
}

func watchEndpoints(t *testing.T, service *running) *connect.ServerStreamForClient[dialpointv1.WatchEndpointsResponse] {
	t.Helper()
	stream, err := service.endpoints(t).WatchEndpoints(t.Context(), &dialpointv1.WatchEndpointsRequest{})
	must(t, err)
	t.Cleanup(func() { _ = stream.Close() })
	return stream
}

func nextEndpoints(t *testing.T, stream *connect.ServerStreamForClient[dialpointv1.WatchEndpointsResponse]) *dialpointv1.Endpoints {
	t.Helper()
	if !stream.Receive() {
		t.Fatal(stream.Err())
	}
	return stream.Msg().GetEndpoints()
}

const (
	first  = "listeners: [{name: default, bind: {host: 0.0.0.0, port: 9119}}]\n"
	second = "listeners: [{name: default, bind: {host: 0.0.0.0, port: 9443}}]\n"
)

// Reload promise: whole or not at all, and a broken file keeps the last good.
func TestReloadIsWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	reloads := make(reloads, 10)
	service, file := serveConfig(t, first, server.WithLogger(slog.New(reloads)))
	health := watchHealth(t, service, "config")
	wantStatus(t, health, grpchealth.StatusServing)
	stream := watchEndpoints(t, service)
	before := nextEndpoints(t, stream)

	stopCallers := callers(t, service, 32)
	for _, step := range []struct {
		change func()
		says   string
	}{
		{func() { rewrite(t, file, "listeners: [{name: default, bind: {host: \"0.0.0") }, "yaml"},
		{func() { replace(t, file, "") }, "it is empty"},
		{func() { must(t, os.Remove(file)) }, "no such file"},
	} {
		step.change()
		if problem := <-reloads; !strings.Contains(problem, step.says) {
			t.Fatalf("the reload failed with %q, want %q", problem, step.says)
		}
		wantGateway(t, service, "ws://127.0.0.1:9119/api/ws")
	}
	wantStatus(t, health, grpchealth.StatusNotServing)
	rewrite(t, file, second)
	wantStatus(t, health, grpchealth.StatusServing)

	after := nextEndpoints(t, stream)
	if got, want := after.GetGateway().GetUrl(), "ws://127.0.0.1:9443/api/ws"; got != want {
		t.Errorf("url = %q, want %q", got, want)
	}
	if got := after.GetRevision() - before.GetRevision(); got != 1 {
		t.Errorf("revision grew by %d, want one step", got)
	}
	stopCallers()
}

func wantGateway(t *testing.T, service *running, url string) {
	t.Helper()
	if got := service.gateway(t); got != url {
		t.Errorf("url = %q, want %q", got, url)
	}
}

// callers resolve all the while, each with its own connection, until they are stopped. None may get an error.
func callers(t *testing.T, service *running, count int) (stop func()) {
	t.Helper()
	var group sync.WaitGroup
	stopped := make(chan struct{})
	for range count {
		client := service.endpoints(t)
		group.Go(func() {
			for {
				select {
				case <-stopped:
					return
				default:
				}
				if _, err := client.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Channel: "c"}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	return sync.OnceFunc(func() {
		close(stopped)
		group.Wait()
	})
}

func TestReloadWakesACallThatWaits(t *testing.T) {
	t.Parallel()
	service, file := serveConfig(t, "listeners: [{name: default}]\n")
	answered := make(chan string, 1)
	go func() {
		response, err := service.endpoints(t).ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Wait: durationpb.New(time.Minute)})
		if err != nil {
			answered <- err.Error()
			return
		}
		answered <- response.GetEndpoints().GetGateway().GetUrl()
	}()
	service.AwaitWatches(t, 1)
	rewrite(t, file, first)
	if got, want := <-answered, "ws://127.0.0.1:9119/api/ws"; got != want {
		t.Errorf("answer = %q, want %q", got, want)
	}
}

// The silent reload is followed by one that speaks: the watch must go from the state to that. The first is in force before
// the second.
func TestReloadThatChangesNothingIsSilent(t *testing.T) {
	t.Parallel()
	reloaded := make(chan *config.Config, 2)
	service, file := serveConfig(t, first, server.WithReloaded(func(now *config.Config) { reloaded <- now }))
	stream := watchEndpoints(t, service)
	before := nextEndpoints(t, stream)
	rewrite(t, file, first+"log: {level: debug}\n")
	<-reloaded
	rewrite(t, file, second)
	after := nextEndpoints(t, stream)
	if got := after.GetRevision() - before.GetRevision(); got != 1 {
		t.Errorf("revision grew by %d, want one step", got)
	}
	if got, want := after.GetExplanation().GetBindPort(), uint32(9443); got != want {
		t.Errorf("bind port = %d, want %d", got, want)
	}
}

func TestReloadedIsCalled(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	file := filepath.Join(directory, "dialpoint.yaml")
	write(t, file, first)
	loader := config.NewLoader(config.Sources{Path: file, DefaultUnix: filepath.Join(directory, "s")})
	loaded, err := loader.Load()
	must(t, err)
	reloaded := make(chan *config.Config, 1)
	start(t, server.WithConfig(loader, loaded), server.WithReloaded(func(now *config.Config) { reloaded <- now }))
	write(t, file, second+"log: {level: debug}\n")
	if got := (<-reloaded).Log.Level.String(); got != "DEBUG" {
		t.Errorf("level = %s, want DEBUG", got)
	}
}

func TestReloadLogsWhatWaitsForARestart(t *testing.T) {
	t.Parallel()
	const says = "takes effect when the service is started again"
	lines := func(keys ...string) (all []string) {
		for _, key := range keys {
			all = append(all, says+`" key=`+key)
		}
		return all
	}
	tests := map[string]struct {
		text string
		says []string
	}{
		"serve.tcp": {"serve: {tcp: \"127.0.0.1:1\"}\n" + first, lines("serve.tcp")},
		"several": {
			"serve: {tcp: \"127.0.0.1:0\", tcp_plaintext: true, unix: none, unix_allow: [\"user:7\"]}\n" + first,
			lines("serve.tcp_plaintext", "serve.unix", "serve.unix_allow"),
		},
		"serve.limits": {"serve: {tcp: \"127.0.0.1:0\", limits: {calls: 7}}\n" + first, nil},
		"log.format":   {onTCP + first + "log: {format: json}\n", lines("log.format")},
		"log.level":    {onTCP + first + "log: {level: debug}\n", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, written := record()
			reloaded := make(chan *config.Config, 1)
			service, file := serveConfig(t, first, server.WithLogger(log), server.WithReloaded(func(now *config.Config) { reloaded <- now }))
			replace(t, file, test.text)
			<-reloaded
			service.stop()
			must(t, <-service.ended)
			text := written.String()
			for _, want := range test.says {
				if !strings.Contains(text, want) {
					t.Errorf("the log does not say %s:\n%s", want, text)
				}
			}
			if got := strings.Count(text, says); got != len(test.says) {
				t.Errorf("the log says it %d times, want %d:\n%s", got, len(test.says), text)
			}
		})
	}
}
