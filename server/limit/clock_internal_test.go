package limit

import (
	"testing"
	"testing/synctest"
	"time"
)

// A timer may go off while its clock is started again or stopped: then it is too late, and means nothing.
func TestStreamClock(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		run  func(*streamClock)
		want int
	}{
		{"time is over", func(c *streamClock) { c.start(time.Second); <-time.After(time.Minute) }, 1},
		{"in time", func(c *streamClock) { c.start(time.Second); c.stop(); <-time.After(time.Minute) }, 0},
		{"started again", func(c *streamClock) {
			for range 10 {
				c.start(time.Second)
				<-time.After(time.Second - 1)
			}
			c.stop()
		}, 0},
		{"started again, and over", func(c *streamClock) { c.start(time.Hour); c.start(time.Second); <-time.After(time.Minute) }, 1},
		{"went off while it was started again", func(c *streamClock) { c.start(time.Hour); c.ring(); c.stop() }, 0},
		{"went off while it was stopped", func(c *streamClock) { c.due = time.Now(); c.stop(); c.ring() }, 0},
		{"stopped before it was started", func(c *streamClock) { c.stop(); c.ring() }, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var got int
				test.run(&streamClock{set: func(deadline time.Time) error {
					got++
					if !deadline.Before(time.Now()) {
						t.Error("the deadline is not over")
					}
					return nil
				}})
				synctest.Wait()
				if got != test.want {
					t.Errorf("it rang %d times, want %d", got, test.want)
				}
			})
		})
	}
}
