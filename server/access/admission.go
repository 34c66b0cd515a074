package access

import (
	"context"
	"net/http"
	"sync"
)

// admission is a request that was let in, for as long as it is served.
type admission struct {
	procedure string
	// conn is set for a unix socket. Otherwise header holds what shows who calls.
	conn   *unixConn
	header http.Header
	revoke context.CancelCauseFunc
}

func admissionOf(r *http.Request) *admission {
	return &admission{
		procedure: r.URL.Path,
		conn:      unixConnOf(r.Context()),
		header:    http.Header{authorization: r.Header[authorization]},
	}
}

// admissions are all requests that are being served.
type admissions struct {
	mu   sync.Mutex
	open map[*admission]struct{}
}

func (a *admissions) add(let *admission) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		a.open = map[*admission]struct{}{}
	}
	a.open[let] = struct{}{}
}

func (a *admissions) remove(let *admission) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, let)
}

// review ends what a new policy would not let in.
func (a *admissions) review(policy *enforced) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for let := range a.open {
		role, refused := policy.role(let)
		if refused == nil {
			refused = authorize(role, let.procedure)
		}
		if refused != nil {
			let.revoke(revoked{refused})
		}
	}
}

// revoked is the cause of the end of a call that its caller may not make any more.
type revoked struct{ *refusal }

// Error implements error.
func (r revoked) Error() string { return r.message }

// revokedOf is why a call has been ended, or nil.
func revokedOf(ctx context.Context) *refusal {
	if cause, is := context.Cause(ctx).(revoked); is { //nolint:errorlint // It is never wrapped.
		return cause.refusal
	}
	return nil
}
