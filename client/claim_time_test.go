package client_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"dialpoint/client"
	"dialpoint/server"
)

// TestHoldWaitsForTheListener: it is had when the lease of the instance that holds it ends, and not much later where that
// instance withdraws.
func TestHoldWaitsForTheListener(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		takeover bool
		// withdrawn is when the other instance goes. Zero is never.
		withdrawn      time.Duration
		soonest, waits time.Duration
	}{
		"killed":    {false, 0, 15 * time.Second, 0},
		"withdrawn": {false, 6 * time.Second, 6 * time.Second, 2 * time.Second},
		"at once":   {false, time.Millisecond, time.Millisecond, 50 * time.Millisecond},
		"takeover":  {true, 0, 0, 0},
	} {
		for chanceName, chance := range map[string]float64{"soonest": 0, "latest": 1} {
			t.Run(name+"/"+chanceName, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					network, service := newNetwork(), newService(t)
					network.serve(t, "a:1", service.Handler())
					caller := network.client(t, "http://a:1", chance)
					if _, err := caller.Report(t.Context(), client.Report{InstanceID: "old", Port: 9119}); err != nil {
						t.Fatal(err)
					}
					if test.withdrawn > 0 {
						time.AfterFunc(test.withdrawn, func() { _ = caller.Withdraw(context.Background(), "", "old") })
					}
					caller.Waiting = func(err error) {
						if client.ReasonOf(err) != client.ReasonListenerHeld {
							t.Errorf("waited for %v", err)
						}
						wantHeld(t, service, "old", 9119)
					}
					lease := mustHold(t, caller, client.Report{InstanceID: "new", Port: 9120, Takeover: test.takeover})
					if took := network.elapsed(); took < test.soonest || took > test.soonest+test.waits {
						t.Errorf("had after %s, want it within %s after %s", took, test.waits, test.soonest)
					}
					wantHeld(t, service, "new", 9120)
					pass(time.Hour)
					wantLive(t, lease)
					wantHeld(t, service, "new", 9120)
				})
			})
		}
	}
}

// TestHoldInVain: it gives up in time, and says who has the listener.
func TestHoldInVain(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		takeover           bool
		patience, deadline time.Duration
		want               time.Duration
		hold               func(*testing.T, *server.Server, *client.Client)
		message            string
	}{
		"renewed":              {false, 0, 0, 30 * time.Second, byAnother, `listener "default" is held by instance "other", whose lease ends at `},
		"renewed, patience":    {false, time.Second, 0, time.Second, byAnother, "or report with takeover (tried for 1s)"},
		"renewed, deadline":    {false, 0, 20 * time.Second, 20 * time.Second, byAnother, "or report with takeover (tried for 20s)"},
		"renewed, no patience": {false, -1, 0, 0, byAnother, `held by instance "other"`},
		"program":              {false, 0, 0, 30 * time.Second, byProgram, `listener "default" is held by the program that the service is part of`},
		"program, takeover":    {true, 0, 0, 30 * time.Second, byProgram, `listener "default" is held by the program that the service is part of`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network, service := newNetwork(), newService(t)
				network.serve(t, "a:1", service.Handler())
				test.hold(t, service, network.client(t, "http://a:1", 0))
				before := holderOf(service)
				caller := network.client(t, "http://a:1", 0)
				caller.Patience = test.patience
				ctx, cancel := t.Context(), func() {}
				if test.deadline > 0 {
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
				}
				defer cancel()
				lease, err := caller.Hold(ctx, client.Report{Port: 9120, Takeover: test.takeover})
				network.wantElapsed(t, test.want)
				if failure := asError(t, err); lease != nil || failure.Code != connect.CodeAborted || failure.Reason != client.ReasonListenerHeld {
					t.Errorf("got %v, %v", lease, err)
				}
				wantMessage(t, err.Error(), test.message)
				wantHeld(t, service, before.instance, before.port)
			})
		})
	}
}

// byAnother has another instance hold the listener for as long as the test lasts.
func byAnother(t *testing.T, _ *server.Server, caller *client.Client) {
	t.Helper()
	mustHold(t, caller, client.Report{InstanceID: "other", Port: 9119})
}

func byProgram(t *testing.T, service *server.Server, _ *client.Client) {
	t.Helper()
	if err := service.SetBind("", server.Bind{Port: 9119}); err != nil {
		t.Fatal(err)
	}
}

// TestHoldWaitsForTheProgram: it may take back what it has said.
func TestHoldWaitsForTheProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network, service := newNetwork(), newService(t)
		network.serve(t, "a:1", service.Handler())
		byProgram(t, service, nil)
		time.AfterFunc(10*time.Second, func() { _ = service.SetBind("", server.Bind{}) })
		mustHold(t, network.client(t, "http://a:1", 0), client.Report{InstanceID: "new", Port: 9120})
		wantHeld(t, service, "new", 9120)
	})
}

// TestHoldIsPolite: a listener that is held is asked for at a pace that a service can bear, whatever that service says.
func TestHoldIsPolite(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		retry time.Duration
		want  []time.Duration
	}{
		"says nothing":       {0, pauses(30*time.Second, 25, 50, 100, 200, 400, 800, 1000)},
		"soon, for ever":     {time.Nanosecond, pauses(30*time.Second, 25, 50)},
		"in a while":         {300 * time.Millisecond, pauses(30*time.Second, 25, 50, 100, 200, 300)},
		"later than it asks": {time.Hour, pauses(30*time.Second, 25, 50, 100, 200, 400, 800, 1000)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				details := []proto.Message{info(client.ReasonListenerHeld)}
				if test.retry > 0 {
					details = append(details, &errdetails.RetryInfo{RetryDelay: durationpb.New(test.retry)})
				}
				journal := network.journal(failing(said(t, connect.CodeAborted, details...)).handler())
				_, err := network.client(t, network.at(t, "a", journal), 0).Hold(t.Context(), client.Report{Port: 9120})
				if client.ReasonOf(err) != client.ReasonListenerHeld {
					t.Errorf("got %v, want it held", err)
				}
				wantEqual(t, journal.of("ReportListener"), test.want)
			})
		})
	}
}

// TestHoldFindsTheServiceLate: a service that comes late, and one that is stopped amid the wait, are waited for in the
// same time.
func TestHoldFindsTheServiceLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		caller := network.client(t, "http://a:1", 0)
		stop := make(chan func(), 1)
		time.AfterFunc(3*time.Second, func() {
			service := newService(t)
			stop <- network.serve(t, "a:1", service.Handler())
			byProgram(t, service, nil)
		})
		time.AfterFunc(20*time.Second, func() { (<-stop)() })
		_, err := caller.Hold(t.Context(), client.Report{Port: 9119})
		network.wantElapsed(t, 30*time.Second)
		if asError(t, err).Code != connect.CodeUnavailable {
			t.Errorf("got %v, want unavailable", err)
		}
		wantMessage(t, err.Error(), "no Dialpoint service answers at http://a:1: ", "(tried for 30s)")
	})
}

// TestHoldIsRefused: what no new try can mend is the error at once.
func TestHoldIsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		report  client.Report
		reason  client.Reason
		message string
	}{
		"no port":          {client.Report{}, client.ReasonFieldInvalid, "bind.port: 0 is not from 1 to 65535"},
		"negative port":    {client.Report{Port: -1}, client.ReasonFieldInvalid, "bind.port: 0 is not from 1 to 65535"},
		"great port":       {client.Report{Port: 65536}, client.ReasonFieldInvalid, "bind.port: 65536 is not from 1 to 65535"},
		"greatest port":    {client.Report{Port: 1<<32 + 80}, client.ReasonFieldInvalid, "bind.port: 2147483647 is not from 1 to 65535"},
		"host and port":    {client.Report{Host: "0.0.0.0:9119", Port: 9119}, client.ReasonFieldInvalid, "bind.host: "},
		"short TTL":        {client.Report{Port: 1, TTL: time.Millisecond}, client.ReasonFieldInvalid, "ttl: "},
		"negative TTL":     {client.Report{Port: 1, TTL: -time.Second}, client.ReasonFieldInvalid, "ttl: "},
		"long TTL":         {client.Report{Port: 1, TTL: 2 * time.Hour}, client.ReasonFieldInvalid, "ttl: "},
		"odd instance":     {client.Report{Port: 1, InstanceID: "a b"}, client.ReasonFieldInvalid, "instance_id: "},
		"unknown listener": {client.Report{Port: 1, Listener: "other"}, client.ReasonListenerUnknown, `there is no listener "other"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network, service := newNetwork(), newService(t)
				caller := network.client(t, network.at(t, "a", service.Handler()), 0)
				for method, call := range map[string]func(context.Context) error{
					"Report": func(ctx context.Context) error { _, err := caller.Report(ctx, test.report); return err },
					"Hold":   func(ctx context.Context) error { _, err := caller.Hold(ctx, test.report); return err },
				} {
					err := call(t.Context())
					if client.ReasonOf(err) != test.reason {
						t.Errorf("%s: got %v, want %s", method, err, test.reason)
					}
					wantMessage(t, asError(t, err).Message, test.message)
				}
				network.wantElapsed(t, 0)
				wantHeld(t, service, "", 0)
			})
		})
	}
}

// TestHoldIsCanceled: it ends at once, and says what it waited for.
func TestHoldIsCanceled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network, service := newNetwork(), newService(t)
		caller := network.client(t, network.at(t, "a", service.Handler()), 0)
		byProgram(t, service, nil)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(3*time.Second, cancel)
		_, err := caller.Hold(ctx, client.Report{Port: 9119})
		network.wantElapsed(t, 3*time.Second)
		if !errors.Is(err, context.Canceled) || client.ReasonOf(err) != client.ReasonListenerHeld {
			t.Errorf("got %v, want it canceled", err)
		}
	})
}
