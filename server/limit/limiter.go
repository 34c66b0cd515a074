package limit

import (
	"container/list"
	"sync"

	"connectrpc.com/connect"

	"dialpoint/server/failure"
)

// ReasonExceeded is the reason of every error over a limit, as a google.rpc.ErrorInfo has it.
const ReasonExceeded = "LIMIT_EXCEEDED"

// Limiter counts the calls and streams that are served. It is safe for concurrent use.
type Limiter struct {
	answer *connect.ErrorWriter

	mu     sync.Mutex
	limits Limits
	used   [kinds]usage
	// arriving are the arrivals, the oldest in front.
	arriving list.List
}

// New is a limiter under which nothing is served yet.
func New(limits Limits) *Limiter {
	return &Limiter{answer: connect.NewErrorWriter(), limits: limits.orDefault()}
}

// Set puts other limits in force. What is open stays, even if it is over them.
func (l *Limiter) Set(limits Limits) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limits = limits.orDefault()
}

// InUse is how many calls are in flight and how many streams are open.
func (l *Limiter) InUse() (calls, streams int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.used[call].all, l.used[stream].all
}

// admit counts one more slot of a peer, or says which limit is in the way. The lock is held.
func (l *Limiter) admit(wanted kind, peer string) error {
	if err := l.room(wanted, peer); err != nil {
		return err
	}
	l.used[wanted].add(peer)
	return nil
}

// room says which limit is in the way of one more slot. The lock is held.
func (l *Limiter) room(wanted kind, peer string) error {
	used := &l.used[wanted]
	all, each := l.limits.of(wanted)
	switch {
	case used.each[peer] >= each:
		return l.limits.overEach(wanted)
	case used.all >= all:
		return l.limits.overAll(wanted)
	}
	return nil
}

// exceeded is the error of a call for one of [Limiter.admit].
func exceeded(cause error) *connect.Error {
	failed := failure.New(connect.CodeResourceExhausted, ReasonExceeded, cause, failure.Retry())
	failed.Meta().Set(retryAfter, retrySeconds)
	return failed
}
