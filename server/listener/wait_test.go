package listener_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

var errLate = errors.New("the wait is over")

// waited is what a call of Wait came to.
type waited struct {
	listener listener.Listener
	found    bool
	err      error
	after    time.Duration
}

// waitFor begins to wait until the listener is bound, and returns when the call hangs or is done.
func waitFor(ctx context.Context, registry *listener.Registry, name string) <-chan waited {
	done := make(chan waited, 1)
	begin := time.Now()
	go func() {
		var got waited
		got.listener, got.found, got.err = registry.Wait(ctx, name, listener.Listener.IsBound)
		got.after = time.Since(begin)
		done <- got
	}()
	synctest.Wait()
	return done
}

func hangs(t *testing.T, registry *listener.Registry, done <-chan waited) {
	t.Helper()
	synctest.Wait()
	if len(done) != 0 || registry.Watches() != 1 {
		t.Fatal("the call does not wait")
	}
}

// ends checks that a call came back and left no watch behind.
func ends(t *testing.T, registry *listener.Registry, done <-chan waited) waited {
	t.Helper()
	got := <-done
	if watches := registry.Watches(); watches != 0 {
		t.Errorf("the call left %d watches", watches)
	}
	return got
}

func TestWaitForWhatIsThere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := registry(t, config(t, "default", "0.0.0.0", 9119))
		got := ends(t, registry, waitFor(t.Context(), registry, ""))
		if got.err != nil || !got.found || got.listener.Bind.Port != 9119 || got.after != 0 {
			t.Errorf("got %+v", got)
		}
	})
}

// What is there is answered even to a caller whose time is over.
func TestWaitForWhatIsThereWithoutTime(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	registry := registry(t, config(t, "default", "0.0.0.0", 9119))
	if _, found, err := registry.Wait(ctx, "default", listener.Listener.IsBound); err != nil || !found {
		t.Errorf("found is %v, error %v", found, err)
	}
}

func TestWaitUntilLater(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*listener.Registry) error{
		"configured": func(r *listener.Registry) error {
			return r.Configure([]listener.Config{config(t, "default", "0.0.0.0", 80), config(t, "other", "0.0.0.0", 1)})
		},
		"reported": func(r *listener.Registry) error {
			_, err := r.Report(listener.Report{InstanceID: "a", Bind: bind(t, "127.0.0.1", 80), TTL: listener.MinTTL})
			return err
		},
	}
	for name, becomesBound := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				unbound := config(t, "default", "0.0.0.0", 0)
				registry := registry(t, unbound)
				done := waitFor(t.Context(), registry, "default")
				hangs(t, registry, done)
				configure(t, registry, unbound, config(t, "other", "0.0.0.0", 1))
				hangs(t, registry, done)
				<-time.After(time.Minute)
				unbound.Warnings = []string{"still unbound"}
				configure(t, registry, unbound, config(t, "other", "0.0.0.0", 1))
				hangs(t, registry, done)
				if err := becomesBound(registry); err != nil {
					t.Fatal(err)
				}
				got := ends(t, registry, done)
				if got.err != nil || !got.found || got.listener.Bind.Port != 80 || got.after != time.Minute {
					t.Errorf("got %+v", got)
				}
			})
		})
	}
}

func TestWaitForListenerThatDoesNotExist(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := registry(t)
		if got := ends(t, registry, waitFor(t.Context(), registry, "other")); got.err != nil || got.found || got.after != 0 {
			t.Errorf("got %+v", got)
		}
	})
}

func TestWaitForListenerThatGoes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := registry(t, config(t, "default", "0.0.0.0", 0))
		done := waitFor(t.Context(), registry, "default")
		hangs(t, registry, done)
		configure(t, registry)
		if got := ends(t, registry, done); got.err != nil || got.found {
			t.Errorf("got %+v", got)
		}
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		limit func(context.Context) (context.Context, context.CancelFunc)
		want  error
	}{
		"time-out": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 5*time.Minute)
		}, context.DeadlineExceeded},
		"time-out with a cause": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeoutCause(ctx, 5*time.Minute, errLate)
		}, errLate},
		"cancelled with a cause": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(5*time.Minute, func() { cancel(errLate) })
			return ctx, func() { cancel(nil) }
		}, errLate},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := test.limit(t.Context())
				defer cancel()
				registry := registry(t, config(t, "default", "0.0.0.0", 0))
				done := waitFor(ctx, registry, "default")
				hangs(t, registry, done)
				got := ends(t, registry, done)
				if !errors.Is(got.err, test.want) || got.after != 5*time.Minute {
					t.Errorf("error is %v after %s, want %v", got.err, got.after, test.want)
				}
				if !got.found || got.listener.Name != "default" {
					t.Errorf("the listener as it is comes with the error; got %+v", got)
				}
			})
		})
	}
}

// The question is asked once for each change of the listener, and never for another's.
func TestWaitAsksOnceAChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := registry(t, config(t, "default", "0.0.0.0", 0))
		var asked []uint64
		done := make(chan error, 1)
		go func() {
			_, _, err := registry.Wait(t.Context(), "default", func(found listener.Listener) bool {
				asked = append(asked, found.Revision)
				return found.Bind.Port == 3
			})
			done <- err
		}()
		other := config(t, "other", "0.0.0.0", 0)
		for port := range rules.Port(3) {
			synctest.Wait()
			other = moved(other)
			configure(t, registry, config(t, "default", "0.0.0.0", port), other)
			synctest.Wait()
			configure(t, registry, config(t, "default", "0.0.0.0", port+1), other)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]uint64{first + 1, first + 3, first + 5, first + 7}, asked); diff != "" {
			t.Errorf("asked at revisions: -want +got\n%s", diff)
		}
	})
}
