package client_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"

	"dialpoint/client"
)

// wantLost fails the test unless a lease is over, for a reason. It returns the message.
func wantLost(t *testing.T, lease *client.Lease, reason client.Reason) string {
	t.Helper()
	select {
	case <-lease.Done():
	default:
		t.Fatal("the lease lives")
	}
	if err := lease.Err(); client.ReasonOf(err) != reason {
		t.Errorf("the lease is over with %v, want %s", err, reason)
	}
	return asError(t, lease.Err()).Message
}

// TestLeaseIsTakenOver: it is lost for good and says to whom, and the loser is never heard of again.
func TestLeaseIsTakenOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network, service := newNetwork(), newService(t)
		journal := network.journal(service.Handler())
		caller := network.client(t, network.at(t, "a", journal), 0)
		var heard int
		caller.Waiting = func(error) { heard++ }
		// That it has taken over itself gives it no right to do so again.
		old := mustHold(t, caller, client.Report{InstanceID: "old", Port: 9119, Takeover: true})
		other := network.client(t, network.at(t, "b", service.Handler()), 0)
		pass(time.Second)
		lease := mustHold(t, other, client.Report{InstanceID: "new", Port: 9120, Takeover: true})
		pass(4*time.Second - time.Millisecond)
		wantLive(t, old)
		pass(time.Millisecond)
		synctest.Wait()
		wantMessage(t, wantLost(t, old, client.ReasonListenerHeld),
			`instance "old" has lost its lease: listener "default" is held by instance "new", whose lease ends at `)
		old.Update(client.Report{Port: 9121, Takeover: true})
		pass(time.Hour)
		wantEqual(t, journal.of("ReportListener"), []time.Duration{0, 5 * time.Second})
		if err := old.Close(); err != nil || heard > 0 || len(journal.of("WithdrawListener")) > 0 {
			t.Errorf("close: %v; waited %d times; withdrawn at %v", err, heard, journal.of("WithdrawListener"))
		}
		wantHeld(t, service, "new", 9120)
		wantLive(t, lease)
	})
}

// TestLeaseRunsOut: while no service answers, another instance may come to hold the listener.
func TestLeaseRunsOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network, service := newNetwork(), newService(t)
		address := network.at(t, "a", service.Handler())
		stop := network.serve(t, "b:1", service.Handler())
		old := mustHold(t, network.client(t, "http://b:1", 0), client.Report{InstanceID: "old", Port: 9119})
		stop()
		mustHold(t, network.client(t, address, 0), client.Report{InstanceID: "new", Port: 9120})
		network.wantElapsed(t, 15*time.Second)
		pass(time.Minute)
		wantLive(t, old)
		network.serve(t, "b:1", service.Handler())
		pass(2 * time.Second)
		wantLost(t, old, client.ReasonListenerHeld)
		wantHeld(t, service, "new", 9120)
	})
}

// TestUpdateIsRefused: a lease of what is wrong is no lease, and what was right before is withdrawn.
func TestUpdateIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network, service := newNetwork(), newService(t)
		lease := mustHold(t, network.client(t, network.at(t, "a", service.Handler()), 0), client.Report{InstanceID: "i", Port: 9119})
		lease.Update(client.Report{Host: "0.0.0.0:9120", Port: 9120})
		synctest.Wait()
		wantMessage(t, wantLost(t, lease, client.ReasonFieldInvalid), `instance "i" has lost its lease: bind.host: "0.0.0.0:9120"`)
		if err := lease.Close(); err != nil {
			t.Error(err)
		}
		wantHeld(t, service, "", 0)
	})
}

// TestLeaseEnds: the report is withdrawn in a bounded time, and what becomes of that is the error of Close.
func TestLeaseEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		// instead is what answers at the end. Nothing is instead of the real service where same is set.
		same    bool
		instead http.Handler
		took    time.Duration
		code    connect.Code
	}{
		"service":          {same: true},
		"held by another":  {instead: refusing(t, connect.CodeAborted, client.ReasonListenerHeld)},
		"unknown listener": {instead: refusing(t, connect.CodeNotFound, client.ReasonListenerUnknown)},
		"no service":       {code: connect.CodeUnavailable},
		"silent service":   {instead: black, took: 2 * time.Second, code: connect.CodeUnavailable},
		"token is refused": {instead: refusing(t, connect.CodeUnauthenticated, client.ReasonCredentialInvalid), code: connect.CodeUnauthenticated},
		"role is too low":  {instead: refusing(t, connect.CodePermissionDenied, client.ReasonRoleForbidden), code: connect.CodePermissionDenied},
	} {
		for way, end := range map[string]func(context.CancelFunc, *client.Lease){
			"context": func(cancel context.CancelFunc, _ *client.Lease) { cancel() },
			"close":   func(_ context.CancelFunc, lease *client.Lease) { _ = lease.Close() },
		} {
			t.Run(name+"/"+way, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					network, service := newNetwork(), newService(t)
					stage := newStage(service.Handler())
					stop := network.serve(t, "a:1", stage)
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					lease, err := network.client(t, "http://a:1", 0).Hold(ctx, client.Report{Port: 9119})
					if err != nil {
						t.Fatal(err)
					}
					pass(time.Second)
					switch {
					case test.instead != nil:
						stage.set(test.instead)
					case !test.same:
						stop()
					}
					end(cancel, lease)
					<-lease.Done()
					network.wantElapsed(t, time.Second+test.took)
					if lease.Err() != nil {
						t.Errorf("lost: %v", lease.Err())
					}
					for range 2 {
						if err := lease.Close(); (err != nil) != (test.code != 0) || err != nil && asError(t, err).Code != test.code {
							t.Errorf("close: %v, want %s", err, test.code)
						}
					}
					if test.same {
						wantHeld(t, service, "", 0)
					}
				})
			})
		}
	}
}

// TestLeaseEndsAmidARenewal: a service that is silent keeps nobody longer than one that is not.
func TestLeaseEndsAmidARenewal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network, service := newNetwork(), newService(t)
		stage := newStage(service.Handler())
		network.serve(t, "a:1", stage)
		network.serve(t, "b:1", service.Handler())
		lease := mustHold(t, network.client(t, "http://a:1,http://b:1", 0), client.Report{Port: 9119})
		stage.set(black)
		pass(6 * time.Second)
		if err := lease.Close(); err != nil {
			t.Error(err)
		}
		// A second for the renewal, and one for each of the two services.
		network.wantElapsed(t, 8*time.Second)
		wantHeld(t, service, "", 0)
	})
}

// TestLeaseEndsAfterARenewal that is under way: it must not get in after the withdrawal.
func TestLeaseEndsAfterARenewal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network, service := newNetwork(), newService(t)
		stage := newStage(service.Handler())
		lease := mustHold(t, network.client(t, network.at(t, "a", stage), 0), client.Report{Port: 9119})
		stage.set(lateReports(service, 500*time.Millisecond))
		pass(5*time.Second + 100*time.Millisecond)
		if err := lease.Close(); err != nil {
			t.Error(err)
		}
		network.wantElapsed(t, 5500*time.Millisecond)
		pass(time.Second)
		wantHeld(t, service, "", 0)
	})
}

// TestLeaseEndsWithItsDeadline: it is that of the whole lease.
func TestLeaseEndsWithItsDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network, service := newNetwork(), newService(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		lease, err := network.client(t, network.at(t, "a", service.Handler()), 0).Hold(ctx, client.Report{Port: 9119})
		if err != nil {
			t.Fatal(err)
		}
		<-lease.Done()
		network.wantElapsed(t, time.Hour)
		wantHeld(t, service, "", 0)
		if lease.Err() != nil || lease.Close() != nil {
			t.Errorf("over with %v, %v", lease.Err(), lease.Close())
		}
	})
}
