package probe_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"dialpoint/server/listener"
	"dialpoint/server/probe"
	"dialpoint/server/rules"
)

// report is what an instance has bound, for fifteen seconds.
func (s *scene) report(instance string, bind rules.Bind) listener.Listener {
	s.Helper()
	bind.Source = "report"
	found, err := s.registry.Report(listener.Report{InstanceID: instance, Bind: bind, TTL: 15 * time.Second, Takeover: true})
	must(s, err)
	return found
}

// want takes what was found next, and checks what children are told from then on.
func (s *scene) want(found, answer string) {
	s.Helper()
	if got := <-s.found; got != found {
		s.Errorf("%s, want that %s", got, found)
	}
	wantAnswer(s, s.registry, answer)
}

// Whoever watches is told with a revision of its own, and the bind stays as it was said.
func TestFindingIsAChange(t *testing.T) {
	t.Parallel()
	play(t, bind(t, "::", 9119), ipv6Alone(9119), func(t *scene) {
		watch := t.registry.Watch("")
		defer watch.Close()
		<-watch.Changed()
		found, _ := watch.Get()
		if got := answer(t, found); got != toIPv6 || found.Revision != 102 || found.BindRevision != 101 {
			t.Errorf("a watch sees %q at revision %d, bound since %d", got, found.Revision, found.BindRevision)
		}
		said := found.Bind
		said.OnlyIPv6Answers = false
		if said != bind(t, "::", 9119) {
			t.Errorf("the bind is %+v", said)
		}
		pass(time.Hour)
		if revision := t.registry.Snapshot().Revision; revision != 102 {
			t.Errorf("revision is %d", revision)
		}
	})
}

// What was found of one bind says nothing of another, nor of the same one at another time or by another holder.
func TestForgotten(t *testing.T) {
	t.Parallel()
	const (
		reported  = "ws://127.0.0.1:9119/api/ws by report"
		reported2 = "ws://127.0.0.1:9000/api/ws by report"
	)
	play(t, bind(t, "::", 9119), ipv6Alone(9119), func(t *scene) {
		t.want(foundIPv6, toIPv6)
		steps := []struct {
			name string
			do   func()
			// now is what children are told before there was time to look, and then after.
			now, then, found string
		}{
			{"a report of the same", func() { t.report("a", bind(t, "::", 9119)) }, reported, toIPv6, foundIPv6},
			{"another instance", func() { t.report("b", bind(t, "::", 9119)) }, reported, toIPv6, foundIPv6},
			{"another port, on both", func() { both(9000)(t.network); t.report("b", bind(t, "::", 9000)) }, reported2, reported2, foundIPv4},
			{"the first port again", func() { t.report("b", bind(t, "::", 9119)) }, reported, toIPv6, foundIPv6},
			{"there and back", func() { t.report("b", bind(t, "::", 9000)); t.report("b", bind(t, "::", 9119)) }, reported, toIPv6, foundIPv6},
			{"the end of the lease", func() { pass(15*time.Second - 250*time.Millisecond) }, toIPv4, toIPv6, foundIPv6},
			{"a reload", func() { configure(t, t.registry, bind(t, "[::]", 9119)) }, toIPv4, toIPv6, foundIPv6},
		}
		for _, step := range steps {
			step.do()
			wantAnswer(t, t.registry, step.now)
			if got := <-t.found; got != step.found {
				t.Errorf("%s: %s", step.name, got)
			}
			wantAnswer(t, t.registry, step.then)
			if t.Failed() {
				t.Fatal(step.name)
			}
		}
	})
}

// A renewal says nothing new, so that a dashboard is not connected to each time it renews its lease.
func TestRenewalIsNoReason(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*network){"IPv6 alone": ipv6Alone(9119), "both": both(9119)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t, rules.Bind{}, set, func(t *scene) {
				t.report("a", bind(t, "::", 9119))
				<-t.found
				t.called()
				before := t.registry.Snapshot()
				for range 100 {
					pass(5 * time.Second)
					t.report("a", bind(t, "::", 9119))
				}
				if calls := t.called(); calls != nil || t.registry.Snapshot() != before {
					t.Errorf("connected %q, and the revision went from %d to %d", calls, before.Revision, t.registry.Snapshot().Revision)
				}
			})
		})
	}
}

// What changes while a probe is under way is not mixed up with what it finds.
func TestChangeDuringProbe(t *testing.T) {
	t.Parallel()
	play(t, bind(t, "::", 9119), ipv6Alone(9119), func(t *scene) {
		both(9000)(t.network)
		pass(100 * time.Millisecond)
		configure(t, t.registry, bind(t, "::", 9000))
		t.want(foundIPv4, "ws://127.0.0.1:9000/api/ws by flag --bind-host")
		pass(time.Hour)
		want := []string{"0s 127.0.0.1:9119", "0s [::1]:9119", "100ms 127.0.0.1:9000"}
		if diff := cmp.Diff(want, t.called()); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
}

// overridden says what children must dial, beside a bind that could be probed.
func overridden(t *scene) {
	t.Helper()
	override, err := rules.ParseTarget("10.0.0.7")
	must(t, err)
	must(t, t.registry.Configure([]listener.Config{{Name: "default", Listener: rules.Listener{
		Bind: bind(t, "::", 9119), Override: override,
	}}}))
}

// A probe ends with what it was for.
func TestProbeEnds(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *scene){
		"an override":      overridden,
		"no wildcard":      func(t *scene) { configure(t, t.registry, bind(t, "10.0.0.7", 9119)) },
		"no port":          func(t *scene) { configure(t, t.registry, bind(t, "::", 0)) },
		"no such listener": func(t *scene) { must(t, t.registry.Configure(nil)) },
		"the prober's end": func(t *scene) { t.stop() },
		"what is then said": func(t *scene) {
			said := bind(t, "::", 9119)
			said.IPv6Only = new(false)
			configure(t, t.registry, said)
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t, bind(t, "::", 9119), nothing, func(t *scene) {
				pass(time.Second)
				t.called()
				change(t)
				ipv6Alone(9119)(t.network)
				wantNoCall(t)
			})
		})
	}
}

// An override that goes leaves a bind to look at.
func TestOverrideThatGoes(t *testing.T) {
	t.Parallel()
	play(t, rules.Bind{}, ipv6Alone(9119), func(t *scene) {
		overridden(t)
		wantNoCall(t)
		configure(t, t.registry, bind(t, "::", 9119))
		t.want(foundIPv6, toIPv6)
	})
}

// Again looks anew, and leaves what was found in force until something else is.
func TestAgain(t *testing.T) {
	t.Parallel()
	play(t, bind(t, "::", 9119), both(9119), func(t *scene) {
		t.want(foundIPv4, toIPv4)
		ipv6Alone(9119)(t.network)
		pass(time.Hour)
		wantAnswer(t, t.registry, toIPv4)
		t.prober.Again()
		t.want(foundIPv6, toIPv6)

		t.answers(9119, []error{errRefused}, []error{errRefused})
		t.called()
		t.prober.Again()
		pass(time.Second)
		if calls := t.called(); len(calls) != 6 {
			t.Errorf("connected %q", calls)
		}
		wantAnswer(t, t.registry, toIPv6)
		both(9119)(t.network)
		t.want(foundIPv4, toIPv4)
	})
}

// However often a listener changes, there is one probe of it, and the one before has ended.
func TestOneProbeAtATime(t *testing.T) {
	t.Parallel()
	play(t, bind(t, "::", 9119), func(n *network) { n.answers(9119, []error{errSilent}, nil) }, func(t *scene) {
		for i := range 100 {
			pass(100 * time.Millisecond)
			if i%2 == 0 {
				t.prober.Again()
			} else {
				configure(t, t.registry, bind(t, []string{"[::]", "::"}[i/2%2], 9119))
			}
		}
		var want []string
		for i := range 101 {
			want = append(want, fmt.Sprintf("%v 127.0.0.1:9119", time.Duration(i)*100*time.Millisecond))
		}
		if diff := cmp.Diff(want, t.called()); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
}

// Each listener has its own probe, and waits for no other.
func TestListenersDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	play(t, rules.Bind{}, func(n *network) { n.answers(1, []error{errSilent}, nil) }, func(t *scene) {
		ipv6Alone(9119)(t.network)
		both(9000)(t.network)
		var configs []listener.Config
		for name, port := range map[string]rules.Port{"silent": 1, "both": 9000, "default": 9119} {
			configs = append(configs, listener.Config{Name: name, Listener: rules.Listener{Bind: bind(t, "::", port)}})
		}
		must(t, t.registry.Configure(configs))
		t.want(foundIPv4, toIPv4)
		t.want(foundIPv6, toIPv6)
		for _, other := range t.registry.Snapshot().List() {
			if want := other.Name == "default"; other.Bind.OnlyIPv6Answers != want {
				t.Errorf("%s: only IPv6 answers: %t", other.Name, other.Bind.OnlyIPv6Answers)
			}
		}
	})
}

// Nothing is under way any more once Run has returned, even if connecting takes a while to give up.
func TestRunWaitsForItsProbes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		prober := probe.New(registry(t, bind(t, "::", 9119)), slog.New(slog.DiscardHandler))
		var gaveUp atomic.Bool
		prober.SetConnect(func(ctx context.Context, _ netip.AddrPort) error {
			<-ctx.Done()
			<-time.After(time.Second)
			gaveUp.Store(true)
			return ctx.Err()
		})
		stop := run(t, prober)
		synctest.Wait()
		stop()
		if !gaveUp.Load() {
			t.Error("a probe is still under way")
		}
	})
}
