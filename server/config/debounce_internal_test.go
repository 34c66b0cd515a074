package config

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// looks records when a debouncer looked and why, on the clock of a bubble.
type looks struct {
	mu    sync.Mutex
	begin time.Time
	found []look
}

func (l *looks) add(why reason) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found = append(l.found, look{time.Since(l.begin), why})
}

// all is what was seen until now.
func (l *looks) all() []look {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.found)
}

type look struct {
	after time.Duration
	why   reason
}

// running is a debouncer that runs until the test ends, with its mailboxes.
func running(t *testing.T, every time.Duration) (seen *looks, notify, request func()) {
	t.Helper()
	changedBox, requestedBox := make(chan struct{}, 1), make(chan struct{}, 1)
	seen = &looks{begin: time.Now()}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		debouncer{changedBox, requestedBox}.run(ctx, func(why reason) time.Duration {
			seen.add(why)
			return every
		})
	}()
	t.Cleanup(func() { cancel(); <-done })
	return seen, func() { post(changedBox) }, func() { post(requestedBox) }
}

func post(mailbox chan<- struct{}) {
	select {
	case mailbox <- struct{}{}:
	default:
	}
}

// pass lets time pass and everything come to rest.
func pass(t *testing.T, d time.Duration) {
	t.Helper()
	<-time.After(d)
	synctest.Wait()
}

func (l *looks) want(t *testing.T, want ...look) {
	t.Helper()
	if found := l.all(); !slices.Equal(found, want) {
		t.Errorf("looked at %v, want %v", found, want)
	}
}

func TestDebouncerLooksAtOnceAndRoutinely(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen, _, _ := running(t, 5*time.Second)
		pass(t, 12*time.Second)
		seen.want(t, look{0, routine}, look{5 * time.Second, routine}, look{10 * time.Second, routine})
	})
}

func TestDebouncerLetsEventsSettle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen, notify, _ := running(t, time.Minute)
		pass(t, time.Second)
		for range 3 {
			notify()
			pass(t, 10*time.Millisecond)
		}
		pass(t, time.Second)
		seen.want(t, look{0, routine}, look{time.Second + settle, changed})
	})
}

// TestDebouncerIsNotStarved notifies without a pause: each settling ends all the same.
func TestDebouncerIsNotStarved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen, notify, _ := running(t, time.Minute)
		synctest.Wait()
		for range 1000 {
			notify()
			pass(t, time.Millisecond)
		}
		pass(t, time.Second)
		if looked := len(seen.all()); looked < 15 || looked > 21 {
			t.Errorf("looked %d times in a second of events, want about one each %v", looked, settle)
		}
	})
}

func TestDebouncerDoesAsRequested(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen, notify, request := running(t, time.Minute)
		pass(t, time.Second)
		request()
		pass(t, time.Second)
		notify()
		request()
		request()
		pass(t, time.Second)
		if seen.all()[1] != (look{time.Second, requested}) {
			t.Errorf("looked at %v, want at once when asked", seen.all())
		}
		if asks := count(seen.all(), requested); asks != 2 {
			t.Errorf("looked %d times because asked, want 2: %v", asks, seen.all())
		}
		if stirs := count(seen.all(), changed); stirs != 1 {
			t.Errorf("looked %d times because stirred, want 1: %v", stirs, seen.all())
		}
	})
}

func count(found []look, why reason) int {
	n := 0
	for _, one := range found {
		if one.why == why {
			n++
		}
	}
	return n
}

// TestDebouncerEnds checks that a debouncer ends with its context, while it waits and while events settle.
func TestDebouncerEnds(t *testing.T) {
	t.Parallel()
	for name, events := range map[string]int{"waiting": 0, "settling": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				changedBox := make(chan struct{}, 1)
				for range events {
					changedBox <- struct{}{}
				}
				ctx, cancel := context.WithTimeout(t.Context(), settle/2)
				defer cancel()
				begin := time.Now()
				debouncer{changed: changedBox}.run(ctx, func(reason) time.Duration { return time.Minute })
				if took := time.Since(begin); took != settle/2 {
					t.Errorf("ended after %v, want %v", took, settle/2)
				}
			})
		})
	}
}
