package listener_test

import (
	"testing"
	"testing/synctest"
	"time"

	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// pass lets synthetic time go by, and all that is due then come to its end.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// by is a report of the default listener by an instance: every interface, on a port, for 15 seconds.
func by(t testing.TB, instance string, port rules.Port) listener.Report {
	t.Helper()
	return listener.Report{InstanceID: instance, Bind: bind(t, "0.0.0.0", port), TTL: listener.DefaultTTL}
}

// onPort is a registry whose default listener has a configured port, or none. It is closed at the end of the test.
func onPort(t *testing.T, port rules.Port) *listener.Registry {
	t.Helper()
	registry := registry(t, config(t, "default", "0.0.0.0", port))
	t.Cleanup(registry.Close)
	return registry
}

// wantPort checks what the default listener is bound to, and who said so.
func wantPort(t *testing.T, registry *listener.Registry, port rules.Port, source listener.BindSource) {
	t.Helper()
	if found := get(t, registry, ""); found.Bind.Port != port || found.BindSource != source {
		t.Errorf("port is %d by %d, want %d by %d", found.Bind.Port, found.BindSource, port, source)
	}
}

// A lease lives to its last nanosecond and no further. Nobody has to ask for that.
func TestLeaseEndsExactly(t *testing.T) {
	t.Parallel()
	after := map[string]struct {
		port   rules.Port
		source listener.BindSource
	}{
		"configured bind": {9119, listener.FromConfig},
		"unbound":         {0, listener.FromNobody},
	}
	for _, ttl := range []time.Duration{listener.MinTTL, 1500*time.Millisecond + 1, listener.DefaultTTL, listener.MaxTTL} {
		for name, want := range after {
			t.Run(ttl.String()+", then "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					registry := onPort(t, want.port)
					report := by(t, "a", 80)
					report.TTL = ttl
					claim(t, registry, report)
					watch := registry.Watch("")
					defer watch.Close()
					pass(ttl - 1)
					wantPort(t, registry, 80, listener.FromReport)
					if noticed(watch) {
						t.Error("told before the lease is over")
					}
					pass(1)
					wantPort(t, registry, want.port, want.source)
					if found := get(t, registry, ""); found.InstanceID != "" || !found.LeaseExpires().IsZero() || found.Revision != first+3 {
						t.Errorf("instance %q until %v at revision %d", found.InstanceID, found.LeaseExpires(), found.Revision)
					}
					if !noticed(watch) {
						t.Error("not told that the lease is over")
					}
					pass(2 * listener.MaxTTL)
					if noticed(watch) || registry.Snapshot().Revision != first+3 {
						t.Error("told twice")
					}
				})
			})
		}
	}
}

// A renewal that says nothing new moves the end, to sooner if it says so, and nothing else.
func TestRenewal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := onPort(t, 0)
		report := by(t, "a", 80)
		claim(t, registry, report)
		watch, all, before := registry.Watch(""), registry.WatchAll(), registry.Snapshot()
		defer watch.Close()
		defer all.Close()
		for _, ttl := range []time.Duration{15 * time.Second, time.Hour, time.Second, 40 * time.Second} {
			pass(500 * time.Millisecond)
			report.TTL = ttl
			// A renewal reads everything anew, and may well ask for a takeover every time.
			report.Bind = bind(t, "0.0.0.0", 80)
			report.Takeover = !report.Takeover
			renewed := claim(t, registry, report)
			if want := time.Now().Add(ttl); !renewed.LeaseExpires().Equal(want) || !get(t, registry, "").LeaseExpires().Equal(want) {
				t.Errorf("the lease ends at %v, want %v", renewed.LeaseExpires(), want)
			}
			if registry.Snapshot() != before || noticed(watch) || noticed(all) {
				t.Errorf("the renewal for %v is a change", ttl)
			}
		}
		pass(40*time.Second - 1)
		wantPort(t, registry, 80, listener.FromReport)
		pass(1)
		wantPort(t, registry, 0, listener.FromNobody)
	})
}

func TestRenewalThatSaysSomethingNew(t *testing.T) {
	t.Parallel()
	changes := map[string]func(*listener.Report){
		"host":       func(r *listener.Report) { r.Bind = bind(t, "127.0.0.1", 80) },
		"spelling":   func(r *listener.Report) { r.Bind = bind(t, "0", 80) },
		"port":       func(r *listener.Report) { r.Bind.Port = 81 },
		"ipv6_only":  func(r *listener.Report) { r.Bind.IPv6Only = new(false) },
		"tls":        func(r *listener.Report) { r.Bind.TLS = true },
		"credential": func(r *listener.Report) { r.Credential = rules.NewSecret("other") },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				registry := onPort(t, 9119)
				report := by(t, "a", 80)
				claim(t, registry, report)
				watch := registry.Watch("")
				defer watch.Close()
				pass(10 * time.Second)
				change(&report)
				changed := claim(t, registry, report)
				if changed.Revision != first+3 || !noticed(watch) {
					t.Errorf("revision is %d, want %d and a notice", changed.Revision, first+3)
				}
				pass(15*time.Second - 1)
				wantPort(t, registry, report.Bind.Port, listener.FromReport)
				pass(1)
				wantPort(t, registry, 9119, listener.FromConfig)
			})
		})
	}
}

// A wall clock that is set must not end a lease, or keep it.
func TestLeaseIsOnTheMonotonicClock(t *testing.T) {
	t.Parallel()
	registry := onPort(t, 0)
	//nolint:staticcheck // What differs in nothing but the monotonic clock is equal for Equal, and not for ==.
	if ends := claim(t, registry, by(t, "a", 80)).LeaseExpires(); ends == ends.Round(0) {
		t.Errorf("%v has no reading of the monotonic clock", ends)
	}
}

// A reload leaves a lease alone, and its end where it is.
func TestLeaseOutlivesReloads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := onPort(t, 0)
		report := by(t, "a", 80)
		claim(t, registry, report)
		ends := time.Now().Add(report.TTL)
		for port := range rules.Port(14) {
			pass(time.Second)
			configure(t, registry, config(t, "default", "0.0.0.0", port+9000), config(t, "other", "0.0.0.0", port))
			wantPort(t, registry, 80, listener.FromReport)
			if found := get(t, registry, ""); found.InstanceID != "a" || !found.LeaseExpires().Equal(ends) {
				t.Fatalf("held by %q until %v, want a until %v", found.InstanceID, found.LeaseExpires(), ends)
			}
		}
		pass(time.Second - 1)
		wantPort(t, registry, 80, listener.FromReport)
		pass(1)
		wantPort(t, registry, 9013, listener.FromConfig)
	})
}

// The lease of a listener that is removed is over, and its end cannot touch one of the same instance that follows.
func TestLeaseEndsWithItsListener(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := onPort(t, 0)
		claim(t, registry, by(t, "a", 80))
		configure(t, registry)
		pass(10 * time.Second)
		configure(t, registry, config(t, "default", "0.0.0.0", 9119))
		wantPort(t, registry, 9119, listener.FromConfig)
		claim(t, registry, by(t, "a", 80))
		revision := registry.Snapshot().Revision
		pass(15*time.Second - 1)
		wantPort(t, registry, 80, listener.FromReport)
		if now := registry.Snapshot().Revision; now != revision {
			t.Errorf("revision went from %d to %d", revision, now)
		}
	})
}

// What a closed registry knows stays as it is: nothing happens by itself any more.
func TestCloseEndsTimers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := onPort(t, 0)
		claim(t, registry, by(t, "a", 80))
		before := registry.Snapshot()
		registry.Close()
		registry.Close()
		pass(time.Hour)
		if registry.Snapshot() != before {
			t.Error("a lease ended after all")
		}
		for _, instance := range []string{"a", "b", ""} {
			//nolint:errorlint // The very error is promised.
			if _, err := registry.Report(by(t, instance, 81)); err != listener.ErrClosed {
				t.Errorf("a report by %q: error is %v", instance, err)
			}
		}
		pass(time.Hour)
		if registry.Snapshot() != before {
			t.Error("a refused report changed something")
		}
	})
}
