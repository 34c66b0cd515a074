package listener_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// wantHeld checks that a refusal says who holds the default listener, and until when.
func wantHeld(t *testing.T, err error, instance string, left time.Duration) {
	t.Helper()
	want := &listener.HeldError{Name: "default", InstanceID: instance}
	if instance != "" {
		want.Expires = time.Now().Add(left)
	}
	held, is := errors.AsType[*listener.HeldError](err)
	if diff := cmp.Diff(want, held); !is || diff != "" {
		t.Errorf("error is %v: -want +got\n%s", err, diff)
	}
}

// Who may do what once instance a has reported at zero seconds for 15 seconds.
func TestWhoHoldsTheListener(t *testing.T) {
	t.Parallel()
	const soon, lastInstant, over = 5 * time.Second, 15*time.Second - 1, 15 * time.Second
	tests := map[string]struct {
		after    time.Duration
		instance string
		takeover bool
		refused  bool
	}{
		"renewal":                        {soon, "a", false, false},
		"renewal at the last instant":    {lastInstant, "a", false, false},
		"late renewal, nobody else came": {over, "a", false, false},
		"another":                        {soon, "b", false, true},
		"another at the last instant":    {lastInstant, "b", false, true},
		"another when the lease is over": {over, "b", false, false},
		"another long after":             {time.Hour, "b", false, false},
		"takeover":                       {soon, "b", true, false},
		"takeover at once":               {0, "b", true, false},
		"takeover when the lease is over": {
			over, "b", true, false,
		},
		"takeover of its own lease": {soon, "a", true, false},
		"another by case":           {soon, "A", false, true},
		"the program itself":        {soon, "", false, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				registry := onPort(t, 0)
				claim(t, registry, by(t, "a", 80))
				pass(test.after)
				before := registry.Snapshot()
				report := by(t, test.instance, 81)
				report.Takeover = test.takeover
				found, err := registry.Report(report)
				if test.refused {
					wantHeld(t, err, "a", over-test.after)
					if registry.Snapshot() != before {
						t.Error("a refused report must change nothing")
					}
					return
				}
				if err != nil || found.InstanceID != test.instance || found.Bind.Port != 81 {
					t.Errorf("held by %q on port %d, error %v", found.InstanceID, found.Bind.Port, err)
				}
				wantPort(t, registry, 81, listener.FromReport)
			})
		})
	}
}

// Who was overtaken, or slept too long, changes nothing: neither by what it says nor by the end of its lease.
func TestOldInstanceIsRefused(t *testing.T) {
	t.Parallel()
	overtaken := map[string]func(*testing.T, *listener.Registry){
		"by takeover": func(t *testing.T, registry *listener.Registry) {
			t.Helper()
			report := by(t, "b", 81)
			report.Takeover = true
			claim(t, registry, report)
		},
		"after its lease": func(t *testing.T, registry *listener.Registry) {
			t.Helper()
			pass(15 * time.Second)
			claim(t, registry, by(t, "b", 81))
		},
		"after it withdrew": func(t *testing.T, registry *listener.Registry) {
			t.Helper()
			if err := registry.Withdraw("", "a"); err != nil {
				t.Fatal(err)
			}
			claim(t, registry, by(t, "b", 81))
		},
	}
	for name, overtake := range overtaken {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				registry := onPort(t, 0)
				claim(t, registry, by(t, "a", 80))
				pass(time.Second)
				overtake(t, registry)
				before := registry.Snapshot()
				_, err := registry.Report(by(t, "a", 80))
				wantHeld(t, err, "b", 15*time.Second)
				wantHeld(t, registry.Withdraw("", "a"), "b", 15*time.Second)
				pass(15*time.Second - 1)
				if registry.Snapshot() != before {
					t.Error("the old instance changed something")
				}
				pass(1)
				wantPort(t, registry, 0, listener.FromNobody)
				claim(t, registry, by(t, "a", 80))
			})
		})
	}
}

// A call may be repeated when its answer got lost: what is gone is withdrawn.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := onPort(t, 9119)
		watch := registry.Watch("")
		defer watch.Close()
		for _, name := range []string{"", "default"} {
			claim(t, registry, by(t, "a", 80))
			noticed(watch)
			wantHeld(t, registry.Withdraw(name, "b"), "a", 15*time.Second)
			wantHeld(t, registry.Withdraw(name, ""), "a", 15*time.Second)
			wantPort(t, registry, 80, listener.FromReport)
			for try, told := range []bool{true, false} {
				if err := registry.Withdraw(name, "a"); err != nil || noticed(watch) != told {
					t.Errorf("try %d: error %v, or a wrong notice", try, err)
				}
				wantPort(t, registry, 9119, listener.FromConfig)
			}
		}
		revision := registry.Snapshot().Revision
		claim(t, registry, by(t, "a", 80))
		pass(15 * time.Second)
		if err := registry.Withdraw("", "a"); err != nil {
			t.Errorf("withdrawn when it was over: %v", err)
		}
		if now := registry.Snapshot().Revision; now != revision+2 {
			t.Errorf("revision went from %d to %d, want a step for the report and one for its end", revision, now)
		}
	})
}

// The timer and another's report come at the same instant, in whichever order: the lease is over in both.
func TestReportAtTheInstantALeaseEnds(t *testing.T) {
	t.Parallel()
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			registry := onPort(t, 0)
			claim(t, registry, by(t, "a", 80))
			<-time.After(15 * time.Second)
			if found := claim(t, registry, by(t, "b", 81)); found.Revision != first+4 {
				t.Errorf("revision is %d, want %d: a step for the end, and one for the claim", found.Revision, first+4)
			}
			synctest.Wait()
			wantPort(t, registry, 81, listener.FromReport)
		})
	}
}

// What the program itself says wins over everything, for as long as it says so.
func TestProgramItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := onPort(t, 9119)
		claim(t, registry, by(t, "a", 80))
		own := by(t, "", 81)
		found := claim(t, registry, own)
		if found.InstanceID != "" || !found.LeaseExpires().IsZero() || found.BindSource != listener.FromReport {
			t.Errorf("held by %q until %v", found.InstanceID, found.LeaseExpires())
		}
		pass(3 * listener.MaxTTL)
		wantPort(t, registry, 81, listener.FromReport)
		other := by(t, "a", 80)
		for _, other.Takeover = range []bool{false, true} {
			_, err := registry.Report(other)
			wantHeld(t, err, "", 0)
		}
		wantHeld(t, registry.Withdraw("", "a"), "", 0)
		own.Bind.Port = 82
		claim(t, registry, own)
		wantPort(t, registry, 82, listener.FromReport)
		withdraw(t, registry, "")
		wantPort(t, registry, 9119, listener.FromConfig)
		claim(t, registry, other)
		wantPort(t, registry, 80, listener.FromReport)
	})
}

// Of those who claim at once, one gets it, and all others hear who.
func TestClaimIsCompareAndSwap(t *testing.T) {
	t.Parallel()
	registry := onPort(t, 0)
	for round := range 50 {
		var winners atomic.Int32
		var holder atomic.Pointer[string]
		told := make([]string, 16)
		var all sync.WaitGroup
		for i := range told {
			all.Go(func() {
				report := by(t, fmt.Sprintf("instance-%d", i), rules.Port(i+1))
				if _, err := registry.Report(report); err == nil {
					winners.Add(1)
					holder.Store(&report.InstanceID)
				} else if held, is := errors.AsType[*listener.HeldError](err); is {
					told[i] = held.InstanceID
				}
			})
		}
		all.Wait()
		if winners.Load() != 1 {
			t.Fatalf("round %d: %d won", round, winners.Load())
		}
		winner := *holder.Load()
		for i, heard := range told {
			if itself := fmt.Sprintf("instance-%d", i) == winner; heard != winner && !itself {
				t.Errorf("instance-%d heard of %q, but %q won", i, heard, winner)
			}
		}
		if err := registry.Withdraw("", winner); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHeldErrorSaysWho(t *testing.T) {
	t.Parallel()
	ends := time.Date(2026, time.May, 4, 12, 30, 0, 45_000_000, time.FixedZone("", 2*60*60))
	tests := map[string]struct {
		held listener.HeldError
		want string
	}{
		"instance": {
			listener.HeldError{Name: "chat", InstanceID: "run-7", Expires: ends},
			`listener "chat" is held by instance "run-7", whose lease ends at 2026-05-04T10:30:00.045Z unless it is renewed`,
		},
		"program": {
			listener.HeldError{Name: "chat"},
			`listener "chat" is held by the program that the service is part of`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.held.Error(); got != test.want {
				t.Errorf("error is %s, want %s", got, test.want)
			}
		})
	}
}

// No refusal shows a credential, the holder's or the caller's.
func TestNoErrorShowsACredential(t *testing.T) {
	t.Parallel()
	registry := onPort(t, 0)
	report := by(t, "a", 80)
	report.Credential = rules.NewSecret("MARKED-CREDENTIAL")
	claim(t, registry, report)
	report.InstanceID = "b"
	_, err := registry.Report(report)
	if text := fmt.Sprintf("%v %+v %#v", err, err, err); err == nil || strings.Contains(text, "MARKED") {
		t.Errorf("error is %s", text)
	}
}
