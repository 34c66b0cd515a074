package limit

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"dialpoint/server/failure"
)

// retryAfter says in seconds what RetryInfo says, for callers that speak plain HTTP (RFC 9110, section 10.2.3).
const retryAfter = "Retry-After"

var retrySeconds = strconv.Itoa(int(failure.RetryDelay / time.Second))

// Middleware lets a request through when there is a slot for it, and refuses it otherwise with RESOURCE_EXHAUSTED and
// [ReasonExceeded], in the protocol of the caller; one that speaks none is answered 429 with the same as JSON. Nothing
// of the body is read before. Peer names who is counted together: an address, or a user. IsStream reports whether a
// request opens a stream.
func (l *Limiter) Middleware(next http.Handler, peer func(*http.Request) string, isStream func(*http.Request) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wanted := call
		if isStream(r) {
			wanted = stream
		}
		taken, err := l.take(wanted, peer(r))
		if err != nil {
			l.refuse(w, r, err)
			return
		}
		defer taken.release()
		connection := connOf(r.Context())
		connection.enter()
		defer connection.leave()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), slotKey{}, taken)))
	})
}

// refuse answers with an error. A caller that cannot be told is gone, and nobody else wants to know.
func (l *Limiter) refuse(w http.ResponseWriter, r *http.Request, cause error) {
	w.Header().Set(retryAfter, retrySeconds)
	_ = l.answer.Write(w, r, exceeded(cause))
}
