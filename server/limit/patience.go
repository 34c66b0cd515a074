package limit

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	// BodyTimeout is how long the body of a request may take to arrive unless [Patience] says otherwise. The largest is
	// some kilobytes.
	BodyTimeout = 10 * time.Second
	// WriteTimeout is how long a caller may take to accept what is written to it unless [Patience] says otherwise.
	WriteTimeout = 30 * time.Second
)

// Patience is how long the server waits for a caller to do its part. It never waits for a stream to say something, nor
// for a caller to ask: these may be idle for as long as they like.
type Patience struct {
	// Body is how long the body of a request may take to arrive, from its headers on. 0 is [BodyTimeout].
	Body time.Duration
	// Write is how long each write may take until the caller accepts it. 0 is [WriteTimeout].
	Write time.Duration
	// Talks reports whether a request is of a stream on which the caller goes on to send, and has Body for each read
	// anew. Nil means that none is.
	Talks func(*http.Request) bool
}

// Middleware gives up on a caller whose time is over: what it has not sent cannot be read, and what it has not accepted
// cannot be written, which ends its call. It belongs around all other handlers, and reaches through writers that have
// an Unwrap method, as [http.ResponseController] does. It does nothing for requests that come from no [http.Server].
func (p Patience) Middleware(next http.Handler) http.Handler {
	if p.Body <= 0 {
		p.Body = BodyTimeout
	}
	if p.Write <= 0 {
		p.Write = WriteTimeout
	}
	ending := new(atomic.Int64)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		patient := newWriter(w, r, p.Write, ending)
		defer patient.finish()
		if r.Body != nil && r.Body != http.NoBody {
			patient.read.start(p.Body)
			if p.Talks != nil && p.Talks(r) {
				r = r.WithContext(r.Context()) // net/http looks at the body of its own
				r.Body = &talk{ReadCloser: r.Body, clock: patient.read, timeout: p.Body}
			}
		}
		next.ServeHTTP(patient, r)
	})
}

// talk is the body of a stream on which the caller goes on to send.
type talk struct {
	io.ReadCloser

	clock   clock
	timeout time.Duration
}

// Read implements [io.Reader].
func (t *talk) Read(p []byte) (int, error) {
	t.clock.start(t.timeout)
	defer t.clock.stop()
	return t.ReadCloser.Read(p)
}
