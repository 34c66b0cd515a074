package config

import (
	"context"
	"time"
)

// settle is how long a change may take to be whole: an editor truncates, writes and renames. It is counted from the
// first event, so that a file that is never quiet is read all the same.
const settle = 50 * time.Millisecond

// reason is why files are looked at.
type reason uint8

const (
	// routine is a look without a cause.
	routine reason = iota
	// changed is an event.
	changed
	// requested is somebody's wish.
	requested
)

// debouncer says when to look at files. It knows nothing of files, so that a test can run it on a clock of its own.
//
// Both channels are mailboxes of one: what comes in while it looks is seen by the look after it.
type debouncer struct{ changed, requested <-chan struct{} }

// run is where a Follow spends its time. It checks at once, and then for each reason there is, until the context ends.
// The check says how long until the next routine one.
func (p debouncer) run(ctx context.Context, check func(reason) time.Duration) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		why, alive := p.next(ctx, timer)
		if !alive {
			return
		}
		timer.Reset(check(why))
	}
}

// next waits for a reason. It is not alive when the context has ended. What is requested does not wait for events to
// settle: whoever requests it has finished writing.
func (p debouncer) next(ctx context.Context, timer *time.Timer) (why reason, alive bool) {
	select {
	case <-ctx.Done():
		return routine, false
	case <-p.requested:
		return requested, true
	case <-timer.C:
		return routine, true
	case <-p.changed:
	}
	timer.Reset(settle)
	select {
	case <-ctx.Done():
		return routine, false
	case <-timer.C:
		p.drain()
		return changed, true
	}
}

// drain forgets events that the check to come will see the result of.
func (p debouncer) drain() {
	select {
	case <-p.changed:
	default:
	}
}
