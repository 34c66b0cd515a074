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
	host, err := rules.ParseBindHost("0.0.0.0")
	if err != nil {
		t.Fatal(err)
	}
	config := listener.Config{Name: "default", Listener: rules.Listener{Bind: rules.Bind{Text: "0.0.0.0", Host: host, Port: port}}}
	if err := registry.Configure([]listener.Config{config}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
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
