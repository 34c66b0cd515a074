package probe_test

import (
	"context"
	"log/slog"
	"testing"

	"dialpoint/server/listener"
	"dialpoint/server/probe"
	"dialpoint/server/rules"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bind is a bind of which nobody has said whether it refuses IPv4.
func bind(t testing.TB, text string, port rules.Port) rules.Bind {
	t.Helper()
	host, err := rules.ParseBindHost(text)
	must(t, err)
	return rules.Bind{Text: text, Host: host, Source: "flag --bind-host", Port: port}
}

// registry is one with the default listener bound like that, until the test ends.
func registry(t testing.TB, bind rules.Bind) *listener.Registry {
	t.Helper()
	made := listener.NewRegistry(100)
	t.Cleanup(made.Close)
	configure(t, made, bind)
	return made
}

func configure(t testing.TB, registry *listener.Registry, bind rules.Bind) {
	t.Helper()
	must(t, registry.Configure([]listener.Config{{Name: "default", Listener: rules.Listener{Bind: bind}}}))
}

// run has a prober run until the test ends, or until it is stopped.
func run(t testing.TB, prober *probe.Prober) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		prober.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(stop)
	return stop
}

// get is the default listener.
func get(t testing.TB, registry *listener.Registry) listener.Listener {
	t.Helper()
	found, exists := registry.Snapshot().Get("")
	if !exists {
		t.Fatal("the default listener does not exist")
	}
	return found
}

// answer is what a local child dials, and who says so: "ws://127.0.0.1:9119/api/ws by flag --bind-host".
func answer(t testing.TB, found listener.Listener) string {
	t.Helper()
	endpoints, err := rules.Resolve(found.Listener, rules.Caller{Audience: rules.Local})
	must(t, err)
	return endpoints.Gateway.BareURL + " by " + endpoints.Explanation.Source
}

func wantAnswer(t testing.TB, registry *listener.Registry, want string) {
	t.Helper()
	if got := answer(t, get(t, registry)); got != want {
		t.Errorf("a child is told %q, want %q", got, want)
	}
}

// findings is a log of which the test reads what a prober found.
type findings struct {
	slog.Handler

	messages chan string
}

func newFindings() (*slog.Logger, <-chan string) {
	log := findings{slog.DiscardHandler, make(chan string, 64)}
	return slog.New(log), log.messages
}

func (findings) Enabled(context.Context, slog.Level) bool { return true }

func (f findings) WithAttrs([]slog.Attr) slog.Handler { return f }

func (f findings) Handle(_ context.Context, record slog.Record) error {
	f.messages <- record.Message
	return nil
}

// What a prober logs when it has found something.
const (
	foundIPv4 = "a probe found that IPv4 answers"
	foundIPv6 = "a probe found that only IPv6 answers, so that local children dial [::1]"
)
