package limit

import (
	"net/http"
	"sync"
	"time"
)

// clock bounds what is read from a caller, or what is written to it. Errors of deadlines are ignored: a response without
// them belongs to no connection that could be slow.
type clock interface {
	// start gives so much time from now on.
	start(timeout time.Duration)
	// stop takes the bound away again, where net/http does not do so itself.
	stop()
}

// clocks are the clocks of a request. What a deadline is differs between the versions of HTTP.
func clocks(control *http.ResponseController, http2 bool) (read, write clock) {
	if http2 {
		return &streamClock{set: control.SetReadDeadline}, &streamClock{set: control.SetWriteDeadline}
	}
	return connClock{control.SetReadDeadline}, connClock{control.SetWriteDeadline}
}

// connClock is a deadline of an HTTP/1.1 connection. It only counts while there is something to read or to write.
// net/http takes that for reading away when it has read a body to its end, since from then on it waits for the caller
// to hang up; and both before the next request.
type connClock struct {
	set func(time.Time) error
}

func (c connClock) start(timeout time.Duration) { _ = c.set(time.Now().Add(timeout)) }

func (connClock) stop() {}

// streamClock sets a deadline of an HTTP/2 stream only when it is over. Set before, it would be a timer of the stream:
// it would reset the stream even if nobody was writing, and keep a stream in memory that was closed before it was set,
// which in a flood of streams that are reset at once are most.
type streamClock struct {
	set func(time.Time) error

	mu    sync.Mutex
	timer *time.Timer
	// due is when the time is over, and zero while nobody waits.
	due time.Time
}

func (c *streamClock) start(timeout time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.due = time.Now().Add(timeout)
	if c.timer == nil {
		c.timer = time.AfterFunc(timeout, c.ring)
		return
	}
	c.timer.Reset(timeout)
}

// stop returns when the deadline is not set any more: the response must not be touched after its handler.
func (c *streamClock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.due = time.Time{}
	if c.timer != nil {
		c.timer.Stop()
	}
}

func (c *streamClock) ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); !c.due.IsZero() && !now.Before(c.due) {
		_ = c.set(now.Add(-time.Second))
	}
}
