package client_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// complete is a service that answers every call.
func complete() service {
	all := resolving(endpoints(1))
	all.watch = newBoard(bound(1)).service().watch
	all.get = func(*dialpointv1.GetListenerRequest) (*dialpointv1.GetListenerResponse, error) {
		return &dialpointv1.GetListenerResponse{Listener: new(dialpointv1.Listener)}, nil
	}
	all.list = func() (*dialpointv1.ListListenersResponse, error) { return new(dialpointv1.ListListenersResponse), nil }
	all.report = func(_ context.Context, request *dialpointv1.ReportListenerRequest) (*dialpointv1.ReportListenerResponse, error) {
		return &dialpointv1.ReportListenerResponse{Listener: new(dialpointv1.Listener), Ttl: request.GetTtl()}, nil
	}
	all.withdraw = func(context.Context, *dialpointv1.WithdrawListenerRequest) error { return nil }
	return all
}

// patientCalls is calls, with a watch that waits as well as the others do.
var patientCalls = func() map[string]func(context.Context, *client.Client) error {
	patient := maps.Clone(calls)
	patient["Watch"] = firstUpdate
	return patient
}()

// firstUpdate leaves a watch with the first that it brings.
func firstUpdate(ctx context.Context, caller *client.Client) (end error) {
	for _, end = range caller.Watch(ctx, client.Request{}) {
		break
	}
	return end
}

// TestServiceComesLate: all three layers wait for a service that was not there at the first try.
func TestServiceComesLate(t *testing.T) {
	t.Parallel()
	for kind, open := range places {
		for name, call := range patientCalls {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				place := open(t)
				caller := connectTo(t, place.address)
				var waits int
				caller.Waiting = func(error) {
					if waits++; waits == 1 {
						place.start(complete().handler())
					}
				}
				if err := call(t.Context(), caller); err != nil || waits == 0 {
					t.Errorf("got %v after %d waits", err, waits)
				}
			})
		}
	}
}

// TestManyChildrenComeEarly: each gets its answer, though they all came before the service.
func TestManyChildrenComeEarly(t *testing.T) {
	t.Parallel()
	const children = 100
	place := unixPlace(t)
	var early, done sync.WaitGroup
	early.Add(children)
	for range children {
		caller := connectTo(t, place.address)
		caller.Patience = time.Minute
		once := sync.OnceFunc(early.Done)
		caller.Waiting = func(error) { once() }
		done.Go(func() {
			if got, err := caller.Resolve(t.Context(), client.Request{Wait: time.Second}); err != nil || got.GetRevision() != 1 {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
	early.Wait()
	place.start(complete().handler())
	done.Wait()
}

// TestSeveralRealAddresses: whatever a system says of an address that is no use.
func TestSeveralRealAddresses(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(*testing.T) string{
		"no socket":    func(t *testing.T) string { t.Helper(); return unixPlace(t).address },
		"stale socket": staleSocket,
		"plain file":   plainFile,
		"closed port":  func(t *testing.T) string { t.Helper(); return tcpPlace(t).address },
		"hangs up": func(t *testing.T) string {
			t.Helper()
			address, _ := serve(t, listenTCP(t), http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hangUp() }))
			return address
		},
		"no such name": func(*testing.T) string { return "http://nowhere.invalid:9118" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			second, _ := serve(t, listenUnix(t), resolving(endpoints(2)).handler())
			for _, order := range [][]string{{first(t), second}, {second, first(t)}} {
				caller := connectTo(t, strings.Join(order, ","))
				for range 2 {
					if got, err := caller.Resolve(t.Context(), client.Request{}); err != nil || got.GetRevision() != 2 {
						t.Errorf("at %s: got %v, %v", caller.Addresses(), got, err)
					}
				}
			}
		})
	}
}

// holePatience is how long calls look for a service where the first address takes connections and is silent. The second
// gets half of it, far more than a machine that has much to do needs for a call.
const holePatience = 6 * time.Second

// TestRealBlackHole: a listener whose connections nobody takes from the kernel.
func TestRealBlackHole(t *testing.T) {
	t.Parallel()
	for kind, open := range listen {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			hole := open(t)
			t.Cleanup(func() { _ = hole.Close() })
			second, _ := serve(t, listenUnix(t), resolving(endpoints(2)).handler())
			caller := connectTo(t, addressOf(hole)+","+second)
			caller.Patience = holePatience
			if got, err := caller.Resolve(t.Context(), client.Request{}); err != nil || got.GetRevision() != 2 {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

// TestZeroClient: it needs nothing but the environment.
func TestZeroClient(t *testing.T) {
	address, _ := serve(t, listenUnix(t), complete().handler())
	for name, test := range map[string]struct{ said, runtime string }{
		"said":           {address, ""},
		"several":        {"unix:///nowhere/s," + address, ""},
		"default socket": {" ", runtimeDir(t, address)},
	} {
		for method, call := range patientCalls {
			t.Run(name+"/"+method, func(t *testing.T) {
				t.Setenv(client.AddressEnv, test.said)
				t.Setenv("XDG_RUNTIME_DIR", test.runtime)
				var caller client.Client
				defer caller.Close()
				if method == "Watch" {
					call = firstUpdate
				}
				if err := call(t.Context(), &caller); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// runtimeDir is a directory in which the default socket is another one.
func runtimeDir(t *testing.T, address string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "dialpoint"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(strings.TrimPrefix(address, "unix://"), filepath.Join(dir, "dialpoint", "dialpoint.sock")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestZeroClientWithABadEnvironment: each call says what is wrong, and Close has nothing to do.
func TestZeroClientWithABadEnvironment(t *testing.T) {
	for name, call := range patientCalls {
		t.Run(name, func(t *testing.T) {
			t.Setenv(client.AddressEnv, "nowhere")
			var caller client.Client
			defer caller.Close()
			failure := asError(t, call(t.Context(), &caller))
			if failure.Code != connect.CodeInvalidArgument || len(caller.Addresses()) != 0 {
				t.Errorf("got %v at %v, want invalid_argument", failure, caller.Addresses())
			}
			wantMessage(t, failure.Message, `env DIALPOINT_ADDR: "nowhere" is no address of a Dialpoint service`)
		})
	}
}

// TestDeadlineOnARealClock: the error comes soon after the deadline, and tells what it came from.
func TestDeadlineOnARealClock(t *testing.T) {
	t.Parallel()
	// All of them at once have time for a try, even on a machine that has much to do.
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	t.Cleanup(cancel)
	type ended struct {
		err  error
		late time.Duration
	}
	checks := map[string]func(*testing.T){}
	for kind, open := range places {
		address := open(t).address
		for name, call := range patientCalls {
			caller, end := connectTo(t, address), make(chan ended, 1)
			go func() {
				err := call(ctx, caller)
				deadline, _ := ctx.Deadline()
				end <- ended{err, time.Since(deadline)}
			}()
			checks[kind+"/"+name] = func(t *testing.T) {
				t.Helper()
				got := <-end
				if failure := asError(t, got.err); failure.Code != connect.CodeUnavailable || !errors.Is(got.err, context.DeadlineExceeded) {
					t.Errorf("got %v, want it unavailable for the deadline", got.err)
				}
				wantMessage(t, got.err.Error(), "no Dialpoint service answers at "+address)
				if got.late > 8*time.Second { // A try alone takes 10 where nobody answers.
					t.Errorf("%v late", got.late)
				}
			}
		}
	}
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t)
		})
	}
}
