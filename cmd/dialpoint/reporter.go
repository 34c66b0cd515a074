package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"connectrpc.com/connect"

	"dialpoint/client"
)

const (
	// attemptTime is how long one attempt to get the listener goes on, before the newest port is looked at again.
	attemptTime = 5 * time.Second
	// refusalPause is the pause after an attempt that was refused at once, which somebody has to mend.
	refusalPause = 2 * time.Second
)

// reporter reports the ports that a dashboard announces. It never makes the dashboard wait: it runs in a goroutine of its
// own, and its mailbox holds the newest port.
type reporter struct {
	complaints

	service *client.Client
	// said is what is reported.
	said  client.Report
	ports chan int
}

func newReporter(service *client.Client, said client.Report, say func(format string, args ...any)) *reporter {
	r := &reporter{complaints: complaints{say: say}, service: service, said: said, ports: make(chan int, 1)}
	service.Patience, service.Waiting = attemptTime, r.add
	return r
}

// announced takes a port, from one goroutine.
func (r *reporter) announced(port uint16) { replace(r.ports, int(port)) }

// run reports until the context ends, and withdraws then. It is over early where another instance has taken the listener.
func (r *reporter) run(ctx context.Context) {
	select {
	case r.said.Port = <-r.ports:
	case <-ctx.Done():
		return
	}
	lease := r.claim(ctx)
	if lease == nil {
		return
	}
	defer r.close(lease)
	for {
		select {
		case r.said.Port = <-r.ports:
			lease.Update(r.said)
		case <-lease.Done():
			if err := lease.Err(); err != nil {
				r.say("dialpoint: %v; the dashboard runs on, but is not reported any more\n", err)
			}
			return
		}
	}
}

// claim gets the listener with the newest port, however long that takes. It is nil once the context has ended.
func (r *reporter) claim(ctx context.Context) *client.Lease {
	for {
		lease, err := r.service.Hold(ctx, r.said)
		switch {
		case err == nil:
			return lease
		case ctx.Err() != nil:
			return nil
		}
		r.add(err)
		select {
		case r.said.Port = <-r.ports:
		case <-time.After(pauseAfter(err)):
		case <-ctx.Done():
			return nil
		}
	}
}

// pauseAfter is the pause after an attempt. One that has waited itself needs none.
func pauseAfter(err error) time.Duration {
	failure, is := errors.AsType[*client.Error](err)
	if is && (failure.Code == connect.CodeUnavailable || failure.Reason == client.ReasonListenerHeld) {
		return 0
	}
	return refusalPause
}

// complaints are about a report that does not get in. One that goes on is repeated, but not often.
type complaints struct {
	say func(format string, args ...any)

	mu     sync.Mutex
	last   complaint
	silent time.Time
}

// complaint is what tells one trouble from another. Messages differ with each try.
type complaint struct {
	code   connect.Code
	reason client.Reason
}

// complaintPause is how long a complaint is not repeated.
const complaintPause = time.Minute

// add is for Client.Waiting.
func (c *complaints) add(err error) {
	var now complaint
	if failure, is := errors.AsType[*client.Error](err); is {
		now = complaint{failure.Code, failure.Reason}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if now == c.last && time.Now().Before(c.silent) {
		return
	}
	c.last, c.silent = now, time.Now().Add(complaintPause)
	c.say("dialpoint: still trying to report: %v\n", err)
}

// close withdraws the report.
func (c *complaints) close(lease *client.Lease) {
	if err := lease.Close(); err != nil {
		c.say("dialpoint: the report could not be withdrawn, and ends by itself: %v\n", err)
	}
}
