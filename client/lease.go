package client

import (
	"context"
	"sync/atomic"
	"time"
)

// Lease keeps a report alive. It renews it after a third of the time to live that the service has granted, a little
// earlier by chance, so that two more tries fit in before its end; with 15 seconds that is every 5. Its methods may be
// called by several goroutines at once.
//
// A service that is not there, stops or starts again is no end: the lease tries again, after pauses that grow up to 2
// seconds, with all of the client's addresses. A service that has started again knows the listener again once the report
// is in. Where it ends a connection that the client kept, which takes a time to live of up to 90 seconds, that is tried
// at once, else it takes until the next renewal. Refusals are no end either: a listener that a reload has removed may
// come back, and a token may be replaced. Client.Waiting hears of each renewal that failed.
//
// Two answers end a lease for good. [ReasonListenerHeld]: another instance has the listener, since it took it over, or
// since this process was stopped for longer than the lease lived. It is never taken back. [ReasonFieldInvalid]: what
// was reported is wrong.
type Lease struct {
	client             *Client
	listener, instance string
	// report is what to report next. A pointer, so that a lease which is printed does not show the credential.
	report  atomic.Pointer[Report]
	changed chan struct{}
	backoff *backoff

	// sent is when the last report went out that got in, ttl how long it holds, and restart is closed when the service
	// may have forgotten it.
	sent    time.Time
	ttl     time.Duration
	restart <-chan struct{}
	// unheard is set when a report went out that nobody answered: it may have got in.
	unheard bool

	stop context.CancelFunc
	// over is called at the end, and then done is closed. What stands below is written before that.
	over func()
	done chan struct{}
	// lost is why the lease was lost, and kept why it could not be withdrawn.
	lost, kept *Error
}

// InstanceID is the name of this run of the dashboard: that of the report, or the one that was chosen.
func (l *Lease) InstanceID() string { return l.instance }

// Update has the lease report something else from now on, such as the port after a restart of the dashboard. It does not
// wait for the service. Listener and InstanceID stay what they were, whatever the report says, and Takeover means
// nothing. When the lease is over it does nothing.
func (l *Lease) Update(report Report) {
	l.set(report)
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// set keeps a report to renew the lease with.
func (l *Lease) set(report Report) {
	report.Listener, report.InstanceID, report.Takeover = l.listener, l.instance, false
	l.report.Store(&report)
}

// Done is closed once the lease is over: it was closed, its context has ended, or it was lost.
func (l *Lease) Done() <-chan struct{} { return l.done }

// Err is an [*Error] that says why the lease was lost, and who holds the listener instead. It is nil while the lease
// lives, and when it was closed or its context has ended.
func (l *Lease) Err() error {
	select {
	case <-l.done:
		return orNil(l.lost)
	default:
		return nil
	}
}

// Close withdraws the report, so that nobody is sent to the dashboard any more, and returns once that is done. It takes
// about 3 seconds at most: one for a report that is under way, and two for the withdrawal. The error is an [*Error] that
// says why the report could not be withdrawn; it ends by itself then. After the end of the lease's context, Close returns
// what came of that. A lease that another instance has taken needs no withdrawal.
//
// It may be called more than once, but not by Client.Waiting, which the lease waits for.
func (l *Lease) Close() error {
	l.stop()
	<-l.done
	return orNil(l.kept)
}

// orNil is an error that is nil where there is none.
func orNil(failure *Error) error {
	if failure == nil {
		return nil
	}
	return failure
}

// run keeps the lease alive until its context ends or it is lost.
func (l *Lease) run(ctx context.Context) {
	defer close(l.done)
	defer l.over()
	defer l.stop()
	l.lost = l.keep(ctx)
	// What a service refuses to renew may live on with it for a while.
	if !l.lost.isHeld() {
		l.kept = l.withdraw(ctx)
	}
}
