package limit

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"dialpoint/server/failure"
)

// Kind is what a request opens.
type Kind int

// The kinds of requests.
const (
	// Call is one question and one answer.
	Call Kind = iota
	// Stream is one question and answers for as long as the caller likes.
	Stream
	// Talk is a stream on which the caller goes on to send.
	Talk
)

// slot is the kind of slot that a request needs.
func (k Kind) slot() kind {
	if k == Call {
		return call
	}
	return stream
}

// retryAfter says in seconds what RetryInfo says, for callers that speak plain HTTP (RFC 9110, section 10.2.3).
const retryAfter = "Retry-After"

var retrySeconds = strconv.Itoa(int(failure.RetryDelay / time.Second))

// Middleware lets a request through when there is a slot for it, and refuses it otherwise with RESOURCE_EXHAUSTED and
// [ReasonExceeded], in the protocol of the caller; one that speaks none is answered 429 with the same as JSON. A request
// takes its slot when its body is here, so that what the handler reads ends in that error instead; one without a body, or
// on which the caller goes on to send, does so before it is handled. Peer names who is counted together: an address, or a
// user.
func (l *Limiter) Middleware(next http.Handler, peer func(*http.Request) string, kindOf func(*http.Request) Kind) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := kindOf(r)
		slot := &slot{limiter: l, peer: peer(r), connection: connOf(r.Context()), kind: kind.slot()}
		defer slot.release()
		r = r.WithContext(context.WithValue(r.Context(), slotKey{}, slot))
		take := slot.take
		if kind != Talk && r.Body != nil && r.Body != http.NoBody {
			incoming := &arrival{ReadCloser: r.Body, slot: slot, control: http.NewResponseController(w)}
			defer incoming.leave()
			r.Body = incoming
			take = func() error { return l.await(incoming) }
		}
		if err := take(); err != nil {
			l.refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refuse answers with an error. A caller that cannot be told is gone, and nobody else wants to know.
func (l *Limiter) refuse(w http.ResponseWriter, r *http.Request, failed error) {
	_ = l.answer.Write(w, r, failed)
}
