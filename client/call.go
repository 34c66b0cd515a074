package client

import (
	"context"
	"slices"
	"time"
)

// defaultPatience is how long a call looks for a service when nobody said otherwise.
const defaultPatience = 30 * time.Second

// attempt is one try of a call at one service, which may hold it for so long.
type attempt func(ctx context.Context, service *service, hold time.Duration) error

// call is one call of a client, with all of its tries.
type call struct {
	client *Client
	do     attempt
	// hold is how long services may hold the call, all tries together.
	hold time.Duration
	// begin is when the call began, and giveUp when it stops looking for a service.
	begin, giveUp time.Time
	// failures has what is wrong with each service, nil where it was not tried.
	failures []*Error
}

// ask makes a call. What it returns beside an error is zero.
func ask[T any](ctx context.Context, client *Client, hold time.Duration, do func(context.Context, *service, time.Duration) (T, error)) (answer T, err error) {
	if failure := client.ready(); failure != nil {
		return answer, failure
	}
	call := client.newCall()
	call.hold, call.giveUp = hold, client.giveUpAt(ctx, call.begin, hold)
	var answered T
	call.do = func(ctx context.Context, service *service, hold time.Duration) (err error) {
		answered, err = do(ctx, service, hold)
		return err
	}
	if failure := call.run(ctx); failure != nil {
		return answer, failure
	}
	return answered, nil
}

// newCall is a call that begins now.
func (c *Client) newCall() *call {
	return &call{client: c, begin: time.Now(), failures: make([]*Error, len(c.services))}
}

// giveUpAt is when a call stops looking for a service.
func (c *Client) giveUpAt(ctx context.Context, begin time.Time, hold time.Duration) time.Time {
	deadline, limited := ctx.Deadline()
	switch {
	case limited:
		return deadline
	case c.Patience < 0:
		// More than it takes to try all of them.
		return begin.Add(time.Duration(len(c.services)+1) * answerTimeout)
	case c.Patience == 0:
		return begin.Add(max(defaultPatience, hold))
	}
	return begin.Add(max(c.Patience, hold))
}

// run tries all services again and again, until one settles the call or the time is up.
func (c *call) run(ctx context.Context) *Error {
	backoff := c.client.newBackoff()
	for {
		settled, failure := c.round(ctx)
		if settled {
			return failure
		}
		if !c.pause(ctx, failure, backoff.next(failure.RetryAfter)) {
			return failure.atLast(ctx, time.Since(c.begin))
		}
	}
}

// pause waits until the next round, after one that failed. It reports whether there is to be one.
func (c *call) pause(ctx context.Context, failure *Error, pause time.Duration) bool {
	if c.client.Patience < 0 || c.isOver(ctx) {
		return false
	}
	c.client.waiting(failure)
	sleep(ctx, min(pause, time.Until(c.giveUp)))
	return !c.isOver(ctx)
}

func (c *call) isOver(ctx context.Context) bool {
	return ended(ctx) != nil || !time.Now().Before(c.giveUp)
}

// round tries each service once. It reports whether that settled the call, since a service has answered or since there
// is nothing that could become better, and what went wrong.
func (c *call) round(ctx context.Context) (settled bool, failure *Error) {
	services := c.client.inTurn()
	for i, service := range services {
		hold := c.remainingHold()
		failure := service.attempt(ctx, c.limit(hold, len(services)-i), hold, c.do)
		if failure == nil || failure.answered && !failure.isAway() {
			c.client.prefer(service.index)
			return true, failure
		}
		if ended(ctx) == nil {
			c.failures[service.index] = failure
			continue
		}
		// That the caller gave up says less than what was wrong before.
		if c.failures[service.index] == nil {
			c.failures[service.index] = failure
		}
		break
	}
	failures := c.failed()
	return !slices.ContainsFunc(failures, (*Error).isAway), unreachable(failures)
}

// failed is what is wrong with the services that were tried.
func (c *call) failed() []*Error {
	return slices.DeleteFunc(slices.Clone(c.failures), func(failure *Error) bool { return failure == nil })
}

// remainingHold is how long a service may hold the call now. One that is out of bounds is left to the service, which
// names the bounds as it refuses.
func (c *call) remainingHold() time.Duration {
	if c.hold <= 0 {
		return c.hold
	}
	return max(c.hold-time.Since(c.begin), 0).Round(time.Millisecond)
}

// limit is how long the next service has to answer: its share of the time that is left, where that is little, so that
// one which only takes connections does not keep a call from the others.
func (c *call) limit(hold time.Duration, services int) time.Duration {
	left := time.Until(c.giveUp)
	// A service that has held the call may have used up the time: those after it still get their try.
	if hold > 0 || left <= 0 {
		return answerTimeout + max(hold, 0)
	}
	return min(answerTimeout, left/time.Duration(services))
}
