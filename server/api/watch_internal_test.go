package api

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// recorder keeps what is sent, and when.
type recorder struct {
	begin time.Time
	kinds []string
	at    []time.Duration
	err   error
	block <-chan struct{}
}

func (r *recorder) Send(update *dialpointv1.WatchEndpointsResponse) error {
	kind := "heartbeat"
	switch update.GetUpdate().(type) {
	case *dialpointv1.WatchEndpointsResponse_Endpoints:
		kind = update.GetEndpoints().GetGateway().GetBareUrl()
	case *dialpointv1.WatchEndpointsResponse_Unavailable:
		kind = update.GetUnavailable().GetReason()
	}
	r.kinds = append(r.kinds, kind)
	r.at = append(r.at, time.Since(r.begin))
	if r.block != nil {
		<-r.block
	}
	return r.err
}

func (r *recorder) want(t *testing.T, kinds []string, at []time.Duration) {
	t.Helper()
	if len(r.kinds) != len(kinds) {
		t.Fatalf("sent %v at %v, want %v", r.kinds, r.at, kinds)
	}
	for i := range kinds {
		if r.kinds[i] != kinds[i] || r.at[i] != at[i] {
			t.Errorf("message %d: %s at %v, want %s at %v", i, r.kinds[i], r.at[i], kinds[i], at[i])
		}
	}
}

// follow watches the default listener of a registry in the background.
func follow(t *testing.T, registry *listener.Registry, to *recorder) <-chan error {
	t.Helper()
	service := NewEndpointService(t.Context(), registry)
	watch := registry.Watch("")
	t.Cleanup(watch.Close)
	to.begin = time.Now()
	ended := make(chan error, 1)
	go func() { ended <- service.follow(t.Context(), watch, rules.Caller{Audience: rules.Local}, to) }()
	synctest.Wait()
	return ended
}

func registryOf(t *testing.T, port rules.Port) *listener.Registry {
	t.Helper()
	registry := listener.NewRegistry(1)
	move(t, registry, port)
	return registry
}

// move puts the default listener on another port. Zero is none.
func move(t *testing.T, registry *listener.Registry, port rules.Port) {
	t.Helper()
	if err := registry.Configure([]listener.Config{on(t, port)}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

// on is the default listener on a port of every interface.
func on(t *testing.T, port rules.Port) listener.Config {
	t.Helper()
	host, err := rules.ParseBindHost("0.0.0.0")
	if err != nil {
		t.Fatal(err)
	}
	return listener.Config{Name: "default", Listener: rules.Listener{Bind: rules.Bind{Text: "0.0.0.0", Host: host, Port: port}}}
}

func TestHeartbeatAfterFifteenSecondsOfSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := registryOf(t, 0)
		var sent recorder
		follow(t, registry, &sent)
		time.Sleep(14 * time.Second) //nolint:forbidigo // The clock is synthetic.
		move(t, registry, 9119)
		time.Sleep(31 * time.Second) //nolint:forbidigo // The clock is synthetic.
		synctest.Wait()
		sent.want(t,
			[]string{"LISTENER_NOT_BOUND", "ws://127.0.0.1:9119/api/ws", "heartbeat", "heartbeat"},
			[]time.Duration{0, 14 * time.Second, 29 * time.Second, 44 * time.Second})
	})
}

func TestWatchIsSilentWhenTheAnswerStays(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*testing.T) []listener.Config{
		"the same configuration": func(t *testing.T) []listener.Config {
			t.Helper()
			return []listener.Config{on(t, 9000)}
		},
		"another listener": func(t *testing.T) []listener.Config {
			t.Helper()
			other := on(t, 9001)
			other.Name = "other"
			return []listener.Config{on(t, 9000), other}
		},
		"what only REMOTE callers notice": func(t *testing.T) []listener.Config {
			t.Helper()
			config := on(t, 9000)
			target, err := rules.ParseTarget("edge.example")
			if err != nil {
				t.Fatal(err)
			}
			config.Advertise = target
			return []listener.Config{config}
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				registry := registryOf(t, 9000)
				var sent recorder
				follow(t, registry, &sent)
				if err := registry.Configure(change(t)); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				move(t, registry, 9002)
				sent.want(t,
					[]string{"ws://127.0.0.1:9000/api/ws", "ws://127.0.0.1:9002/api/ws"},
					[]time.Duration{0, 0})
			})
		})
	}
}

func TestSlowReaderSkipsToTheNewest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := registryOf(t, 9000)
		block := make(chan struct{})
		sent := recorder{block: block}
		follow(t, registry, &sent)
		for port := range rules.Port(100) {
			move(t, registry, 9001+port)
		}
		close(block)
		synctest.Wait()
		sent.want(t,
			[]string{"ws://127.0.0.1:9000/api/ws", "ws://127.0.0.1:9100/api/ws"},
			[]time.Duration{0, 0})
	})
}

func TestWatchEndsWithItsStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("the peer is gone")
		ended := follow(t, registryOf(t, 9119), &recorder{err: broken})
		if err := <-ended; !errors.Is(err, broken) {
			t.Errorf("error = %v, want %v", err, broken)
		}
	})
}

// Only a bug gets here: a bad channel is refused before a watch begins.
func TestWatchEndsWhenTheRulesFailOtherwise(t *testing.T) {
	t.Parallel()
	registry := listener.NewRegistry(1)
	if err := registry.Configure([]listener.Config{on(t, 9119)}); err != nil {
		t.Fatal(err)
	}
	watch := registry.Watch("")
	t.Cleanup(watch.Close)
	var sent recorder
	err := NewEndpointService(t.Context(), registry).follow(t.Context(), watch, rules.Caller{Channel: "/"}, &sent)
	if connect.CodeOf(err) != connect.CodeInternal || len(sent.kinds) != 0 {
		t.Errorf("sent %v, then %v, want INTERNAL alone", sent.kinds, err)
	}
}

func TestHeldCallEndsExactlyWhenItsWaitIsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := NewEndpointService(t.Context(), registryOf(t, 0))
		begin := time.Now()
		_, err := service.resolveWithin(t.Context(), 90*time.Second, "", rules.Caller{Audience: rules.Local})
		if took := time.Since(begin); took != 90*time.Second || connect.CodeOf(err) != connect.CodeUnavailable {
			t.Errorf("error %v after %v, want UNAVAILABLE after 90s", err, took)
		}
	})
}

func TestHeldCallEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := NewEndpointService(t.Context(), registryOf(t, 0))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := service.resolveWithin(ctx, time.Minute, "", rules.Caller{Audience: rules.Local})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error = %v, want the caller's deadline", err)
		}
	})
}
