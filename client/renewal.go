package client

import (
	"context"
	"fmt"
	"time"

	"connectrpc.com/connect"
)

const (
	// shortestTTL is the least that a service grants.
	shortestTTL = time.Second
	// restartPause is what lies at least between a report and the next that is made because a connection has ended.
	restartPause = time.Second
	// underWayTimeout and withdrawTimeout bound how long the end of a lease may keep a dashboard that stops: by the report
	// that is under way, and by the withdrawal.
	underWayTimeout = time.Second
	withdrawTimeout = 2 * time.Second
)

// claim makes the first report. A listener that another instance holds may be free at the next try.
func (l *Lease) claim(ctx context.Context, report Report) *Error {
	call := l.reporting(ctx, report)
	call.giveUp = l.client.giveUpAt(ctx, call.begin, 0)
	for {
		settled, failure := call.round(ctx)
		if settled && !failure.isHeld() {
			l.backoff.reset()
			return failure
		}
		if !call.pause(ctx, failure, l.untilClaim(failure)) {
			return failure.atLast(ctx, time.Since(call.begin))
		}
	}
}

// keep renews the lease until its context ends, or returns why it was lost.
func (l *Lease) keep(ctx context.Context) *Error {
	pause, restart := l.untilRenewal(), l.restart
	for l.wait(ctx, pause, restart) {
		failure := l.renew(ctx)
		switch {
		case failure == nil:
			l.backoff.reset()
			pause, restart = l.untilRenewal(), l.restart
		case ended(ctx) != nil: // Whatever came of the renewal, the lease was given up.
		case failure.endsLease():
			return failure.asLoss(l.instance)
		default:
			l.client.waiting(failure)
			// What looks like a restart now is the failure itself.
			pause, restart = l.backoff.next(failure.RetryAfter), nil
		}
	}
	return nil
}

// wait reports whether there is to be another renewal: after a pause, or sooner where there is something new to report or
// a service that may have forgotten.
func (l *Lease) wait(ctx context.Context, pause time.Duration, restart <-chan struct{}) bool {
	due := time.Now().Add(pause)
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.changed:
	case <-restart:
		// Some servers end each connection after one call.
		return sleep(ctx, min(time.Until(due), time.Until(l.sent.Add(restartPause))))
	case <-ctx.Done():
	}
	return ended(ctx) == nil
}

// renew tries each service once.
func (l *Lease) renew(ctx context.Context) *Error {
	call := l.reporting(ctx, *l.report.Load())
	call.giveUp = call.begin.Add(l.timeToTry(call.begin))
	_, failure := call.round(ctx)
	return failure
}

// withdraw tries each service, and once more where a connection that was kept has ended with a service before this one. A
// listener that is another's or no service's any more needs no withdrawal.
func (l *Lease) withdraw(ctx context.Context) *Error {
	// A service has until the last moment, which must not pass for the end of the caller's patience.
	const slack = 100 * time.Millisecond
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTimeout+slack)
	defer cancel()
	call := l.client.newCall()
	call.giveUp = call.begin.Add(withdrawTimeout)
	call.do = func(ctx context.Context, service *service, _ time.Duration) error {
		return service.withdraw(ctx, l.listener, l.instance)
	}
	_, failure := call.round(ctx)
	if failure != nil && !failure.answered && !call.isOver(ctx) {
		_, failure = call.round(ctx)
	}
	if failure.isHeld() || failure != nil && failure.Reason == ReasonListenerUnknown {
		return nil
	}
	return failure
}

// reporting is a call that reports for a lease whose context is given.
func (l *Lease) reporting(lease context.Context, report Report) *call {
	call := l.client.newCall()
	call.do = func(ctx context.Context, service *service, _ time.Duration) error {
		if end := ended(lease); end != nil {
			return end
		}
		trying, cancel := outlasting(lease, ctx)
		defer cancel()
		sent, restart := time.Now(), l.client.ending.wait()
		response, err := service.report(trying, report)
		if err == nil {
			l.sent, l.restart = sent, restart
			l.ttl = max(response.GetTtl().AsDuration(), shortestTTL)
			end := ended(lease)
			l.unheard = l.unheard || end != nil // Nobody waited for this answer.
			return end
		}
		l.unheard = l.unheard || !isDial(err) && (isBroken(err) || ctx.Err() != nil)
		return err
	}
	return call
}

// outlasting is the context of a report that ends with the one of its try, or where that ends with the lease, a little
// later: a report that is given up at once could get in after the withdrawal.
func outlasting(lease, try context.Context) (context.Context, context.CancelFunc) {
	outlasting, cancel := context.WithCancel(context.WithoutCancel(try))
	stop := context.AfterFunc(try, func() {
		if ended(lease) == nil {
			cancel()
			return
		}
		time.AfterFunc(underWayTimeout, cancel)
	})
	return outlasting, func() { stop(); cancel() }
}

// untilClaim is the pause before the next try to get a listener. It is over when the lease of the instance that holds it
// is.
func (l *Lease) untilClaim(failure *Error) time.Duration {
	if !failure.isHeld() || failure.RetryAfter <= 0 {
		return l.backoff.next(failure.RetryAfter)
	}
	return min(l.backoff.next(0), max(failure.RetryAfter, firstPause))
}

// untilRenewal is the pause before the next renewal: a third of the time to live, less up to a fifth of that by chance.
// It counts from the report, for the service's lease begins no sooner.
func (l *Lease) untilRenewal() time.Duration {
	third := l.ttl / 3
	return time.Until(l.sent.Add(third - time.Duration(l.backoff.random()*float64(third)/5)))
}

// timeToTry is how long a renewal may take: half of what is left of the lease, so that others can follow one that comes
// to nothing. Once there is little left to lose, it is as long as for any call.
func (l *Lease) timeToTry(now time.Time) time.Duration {
	left := l.sent.Add(l.ttl).Sub(now)
	if left < l.ttl/6 {
		return time.Duration(len(l.client.services)) * answerTimeout
	}
	return left / 2
}

// isHeld reports whether another instance has the listener.
func (e *Error) isHeld() bool { return e != nil && e.answered && e.Reason == ReasonListenerHeld }

// endsLease reports whether a lease is lost for good.
func (e *Error) endsLease() bool {
	return e.isHeld() || e.answered && e.Code == connect.CodeInvalidArgument
}

// asLoss is the error of a lease that was lost.
func (e *Error) asLoss(instance string) *Error {
	failure := *e
	failure.Message = fmt.Sprintf("instance %q has lost its lease: %s", instance, e.Message)
	return &failure
}
