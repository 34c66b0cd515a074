package client

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	// firstPause is short, since children and service often start together.
	firstPause = 50 * time.Millisecond
	// longestPause is what each child may lose after the service has come back.
	longestPause = 2 * time.Second
)

// backoff is the pauses between tries. They double, and each is drawn by chance from the upper half of its range, so
// that many children do not come back at the same moment.
type backoff struct {
	random func() float64
	span   time.Duration
}

func (c *Client) newBackoff() *backoff {
	random := c.random
	if random == nil {
		random = rand.Float64
	}
	return &backoff{random: random, span: firstPause}
}

// next is the pause before the next try: at least what a service asked for, up to the longest pause, and then what
// chance adds.
func (b *backoff) next(retryAfter time.Duration) time.Duration {
	half := b.span / 2
	b.span = min(2*b.span, longestPause)
	return max(half, min(retryAfter, longestPause)) + time.Duration(b.random()*float64(half))
}

// reset begins again with the shortest pause.
func (b *backoff) reset() { b.span = firstPause }

// sleep reports whether the pause was over before the context.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ended(ctx) == nil
	case <-ctx.Done():
		return false
	}
}
