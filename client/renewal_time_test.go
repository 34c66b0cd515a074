package client_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/durationpb"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// TestRenewal: it comes after a third of the time to live, or up to a fifth of that sooner.
func TestRenewal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ttl    time.Duration
		chance float64
		want   time.Duration
	}{
		"default, latest":  {0, 0, 5 * time.Second},
		"default, soonest": {0, 1, 4 * time.Second},
		"shortest":         {time.Second, 0, time.Second / 3},
		"longest":          {time.Hour, 0, 20 * time.Minute},
		"longest, soonest": {time.Hour, 1, 16 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network, service := newNetwork(), newService(t)
				journal := network.journal(service.Handler())
				network.serve(t, "a:1", journal)
				lease := mustHold(t, network.client(t, "http://a:1", test.chance), client.Report{Port: 9119, TTL: test.ttl})
				pass(4*test.want - time.Millisecond)
				wantEqual(t, journal.of("ReportListener"), []time.Duration{0, test.want, 2 * test.want, 3 * test.want})
				wantLive(t, lease)
				wantHeld(t, service, lease.InstanceID(), 9119)
			})
		})
	}
}

// TestGrantedTTL: it counts, and not the one that was asked for. What is no time to live is the shortest there is.
func TestGrantedTTL(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ granted, want time.Duration }{
		"longer":   {time.Minute, 20 * time.Second},
		"shorter":  {3 * time.Second, time.Second},
		"none":     {0, time.Second / 3},
		"negative": {-time.Hour, time.Second / 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				journal := network.journal(granting(test.granted).handler())
				network.serve(t, "a:1", journal)
				mustHold(t, network.client(t, "http://a:1", 0), client.Report{Port: 9119})
				pass(2*test.want - time.Millisecond)
				wantEqual(t, journal.of("ReportListener"), []time.Duration{0, test.want})
			})
		})
	}
}

// TestLongAnswer: the time that an answer takes is part of the lease.
func TestLongAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		journal := network.journal(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			pass(2 * time.Second)
			granting(15*time.Second).handler().ServeHTTP(w, request)
		}))
		network.serve(t, "a:1", journal)
		mustHold(t, network.client(t, "http://a:1", 0), client.Report{Port: 9119})
		pass(9 * time.Second)
		wantEqual(t, journal.of("ReportListener"), pauses(11*time.Second, 5000))
	})
}

// TestRenewalFails: it is tried again after pauses that grow, and Waiting hears why.
func TestRenewalFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		instead http.Handler
		reason  client.Reason
		code    connect.Code
	}{
		"no service":       {nil, "", connect.CodeUnavailable},
		"another service":  {answer(http.StatusNotFound, "text/html", "<html>"), "", connect.CodeUnimplemented},
		"shuts down":       {refusing(t, connect.CodeUnavailable, client.ReasonShuttingDown), client.ReasonShuttingDown, connect.CodeUnavailable},
		"unknown listener": {refusing(t, connect.CodeNotFound, client.ReasonListenerUnknown), client.ReasonListenerUnknown, connect.CodeNotFound},
		"token is refused": {refusing(t, connect.CodeUnauthenticated, client.ReasonCredentialInvalid), client.ReasonCredentialInvalid, connect.CodeUnauthenticated},
		"role is too low":  {refusing(t, connect.CodePermissionDenied, client.ReasonRoleForbidden), client.ReasonRoleForbidden, connect.CodePermissionDenied},
		"fault":            {refusing(t, connect.CodeInternal, ""), "", connect.CodeInternal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network, service := newNetwork(), newService(t)
				stop := network.serve(t, "a:1", service.Handler())
				caller := network.client(t, "http://a:1", 0)
				var heard []time.Duration
				caller.Waiting = func(err error) {
					heard = append(heard, network.elapsed()-time.Second)
					if failure := asError(t, err); failure.Reason != test.reason || failure.Code != test.code {
						t.Errorf("waited for %v", err)
					}
				}
				lease := mustHold(t, caller, client.Report{Port: 9119})
				pass(time.Second)
				stop()
				if test.instead != nil {
					stop = network.serve(t, "a:1", test.instead)
				}
				pass(time.Minute)
				wantLive(t, lease)
				wantHeld(t, service, "", 0)
				stop()
				restarted := newService(t)
				network.serve(t, "a:1", restarted.Handler())
				pass(time.Second)
				synctest.Wait()
				wantHeld(t, restarted, lease.InstanceID(), 9119)
				wantEqual(t, heard, pauses(time.Minute, 25, 50, 100, 200, 400, 800, 1000))
				// From here on, all is as it was.
				pass(time.Hour)
				wantHeld(t, restarted, lease.InstanceID(), 9119)
			})
		})
	}
}

// TestPausesBeginAnew: what went wrong before the last report does not make those after it longer.
func TestPausesBeginAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network, service := newNetwork(), newService(t)
		caller := network.client(t, "http://a:1", 0)
		var heard []time.Duration
		var began time.Time
		caller.Waiting = func(error) { heard = append(heard, time.Since(began)) }
		var stop func()
		time.AfterFunc(10*time.Second, func() { stop = network.serve(t, "a:1", service.Handler()) })
		lease := mustHold(t, caller, client.Report{Port: 9119})
		for range 3 {
			pass(2 * time.Second)
			synctest.Wait()
			heard, began = nil, time.Now()
			stop()
			pass(10*time.Second - time.Millisecond)
			synctest.Wait()
			wantEqual(t, heard, pauses(10*time.Second, 25, 50, 100, 200, 400, 800, 1000))
			stop = network.serve(t, "a:1", service.Handler())
			pass(time.Second)
			wantHeld(t, service, lease.InstanceID(), 9119)
		}
	})
}

// TestLeaseOutlastsFailures: what goes wrong for a while ends no lease that another try within it could save.
func TestLeaseOutlastsFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		// instead is what answers at a:1 from the first second on. The service at b:1 is the same all the time.
		instead http.Handler
		forGood bool
		addr    string
	}{
		"away, then back":                     {nil, false, "http://a:1"},
		"silent, then back":                   {black, false, "http://a:1"},
		"refuses, then back":                  {refusing(t, connect.CodeUnauthenticated, client.ReasonCredentialInvalid), false, "http://a:1"},
		"away, the next is there":             {nil, true, "http://a:1,http://b:1"},
		"silent, the next is there":           {black, true, "http://a:1,http://b:1"},
		"shuts down, next is there":           {refusing(t, connect.CodeUnavailable, client.ReasonShuttingDown), true, "http://a:1,http://b:1"},
		"silent, not there, next is there":    {black, true, "http://a:1,http://c:1,http://b:1"},
		"silent, silent as well, next there":  {black, true, "http://a:1,http://d:1,http://b:1"},
		"silent, and there are many of those": {black, true, "http://a:1,http://d:1,http://d:1,http://d:1,http://b:1"},
	} {
		for _, ttl := range []time.Duration{15 * time.Second, time.Minute, time.Hour} {
			t.Run(name+"/"+ttl.String(), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					network, service := newNetwork(), newService(t)
					first := newStage(service.Handler())
					stop := network.serve(t, "a:1", first)
					network.serve(t, "b:1", service.Handler())
					network.serve(t, "d:1", black)
					lease := mustHold(t, network.client(t, test.addr, 0), client.Report{Port: 9119, TTL: ttl})
					bound := service.Listeners()[0].Revision
					pass(time.Second)
					if test.instead == nil {
						stop()
					} else {
						first.set(test.instead)
					}
					pass(ttl * 12 / 15)
					if !test.forGood {
						stop()
						network.serve(t, "a:1", service.Handler())
					}
					pass(3 * ttl)
					wantHeld(t, service, lease.InstanceID(), 9119)
					if last := service.Listeners()[0].Revision; last != bound {
						t.Errorf("the listener has changed %d times", last-bound)
					}
				})
			})
		}
	}
}

// TestSilentRenewals: each may take half of what is left of the lease, and once there is little left, what any call may.
func TestSilentRenewals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork()
		stage := newStage(granting(24 * time.Second).handler())
		mustHold(t, network.client(t, network.at(t, "a", stage), 0), client.Report{Port: 9119})
		journal := network.journal(black)
		stage.set(journal)
		pass(time.Minute)
		// Half of 16 s, a pause of 25 ms, half of what is left, a pause of 50 ms, and 10 s with a pause from then on.
		want := []time.Duration{8000, 16025, 20063, 30163, 40363, 50763}
		got := journal.of("ReportListener")
		for i := range got {
			got[i] = (got[i] + time.Millisecond/2) / time.Millisecond
		}
		wantEqual(t, got, want)
	})
}

// TestRestart: a service that ends the connection may have forgotten, and hears from the lease at once.
func TestRestart(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ ttl, after, away, want time.Duration }{
		"at once":                {0, 4 * time.Second, 0, 50 * time.Millisecond},
		"right after the report": {0, 0, 0, time.Second},
		"back after a while":     {0, 4 * time.Second, 10 * time.Second, time.Second},
		"shortest":               {time.Second, 0, 0, time.Second / 3},
		"long":                   {90 * time.Second, 25 * time.Second, 0, 50 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				stop := network.serve(t, "a:1", newService(t).Handler())
				mustHold(t, network.client(t, "http://a:1", 0), client.Report{InstanceID: "i", Port: 9119, TTL: test.ttl})
				pass(test.after)
				stop()
				pass(test.away)
				restarted := newService(t)
				network.serve(t, "a:1", restarted.Handler())
				pass(test.want)
				synctest.Wait()
				wantHeld(t, restarted, "i", 9119)
			})
		})
	}
}

// TestConnectionsThatDoNotLast: a server that ends each after one call is called a little more often, and no more.
func TestConnectionsThatDoNotLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network, service := newNetwork(), newService(t)
		journal := network.journal(service.Handler())
		server := &http.Server{Handler: journal, IdleTimeout: time.Nanosecond, ReadHeaderTimeout: time.Minute}
		defer func() { _ = server.Close() }()
		socket := network.listen("a:1")
		go func() { _ = server.Serve(socket) }()
		mustHold(t, network.client(t, "http://a:1", 0), client.Report{Port: 9119})
		pass(10 * time.Second)
		wantEqual(t, journal.of("ReportListener"), pauses(10*time.Second, 1000))
	})
}

// TestUpdate: what is new is reported at once, or with the next try while no service answers.
func TestUpdate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network, service := newNetwork(), newService(t)
		journal := network.journal(service.Handler())
		stop := network.serve(t, "a:1", journal)
		lease := mustHold(t, network.client(t, "http://a:1", 0), client.Report{Port: 9119, InstanceID: "i", Takeover: true})
		pass(time.Second)
		lease.Update(client.Report{Port: 9120, Listener: "another", InstanceID: "another", Takeover: true})
		synctest.Wait()
		wantHeld(t, service, "i", 9120)
		pass(5*time.Second - time.Millisecond)
		wantEqual(t, journal.of("ReportListener"), []time.Duration{0, time.Second})
		stop()
		pass(time.Second)
		lease.Update(client.Report{Port: 9121})
		lease.Update(client.Report{Port: 9122})
		pass(time.Second)
		network.serve(t, "a:1", journal)
		pass(2 * time.Second)
		wantHeld(t, service, "i", 9122)
		wantLive(t, lease)
	})
}

// granting is a service that takes every report, and grants the same time to live.
func granting(ttl time.Duration) service {
	granting := complete()
	report := granting.report
	granting.report = func(ctx context.Context, request *dialpointv1.ReportListenerRequest) (*dialpointv1.ReportListenerResponse, error) {
		response, err := report(ctx, request)
		response.Ttl = durationpb.New(ttl)
		return response, err
	}
	return granting
}

// refusing is a service that answers every call with this error.
func refusing(t *testing.T, code connect.Code, reason client.Reason) http.Handler {
	t.Helper()
	return failing(said(t, code, info(reason))).handler()
}
