package limit

import (
	"container/list"
	"errors"
	"io"
	"net/http"
	"time"
)

// arrival is the body of a request on its way here. It takes a slot when it is here: who sends slowly, or nothing at all,
// keeps no slot from those who do send. There may be as many arrivals as calls; one more ends the oldest, which has had
// more time than the others. All of a good caller's request comes at once, as a rule.
type arrival struct {
	io.ReadCloser

	slot    *slot
	control *http.ResponseController
	place   *list.Element
	// settled is set once it has arrived, and refused is what it was then told.
	settled bool
	refused error
}

// longAgo is a deadline that is over.
var longAgo = time.Unix(1, 0)

// await begins to count a request among those that arrive. It ends another if there are too many. Where there is no slot
// now the error is that of the call: nothing need be read to say so.
func (l *Limiter) await(incoming *arrival) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.room(incoming.slot.kind, incoming.slot.peer); err != nil {
		return exceeded(err)
	}
	incoming.place = l.arriving.PushBack(incoming)
	if l.arriving.Len() <= l.limits.Calls {
		return nil
	}
	if oldest, ok := l.arriving.Remove(l.arriving.Front()).(*arrival); ok {
		oldest.place = nil
		// Without deadlines it ends by itself, or never: it waits for its place no longer in any case.
		_ = oldest.control.SetReadDeadline(longAgo)
	}
	return nil
}

// leave ends the wait, if another has not ended it before.
func (a *arrival) leave() {
	a.slot.limiter.mu.Lock()
	defer a.slot.limiter.mu.Unlock()
	if a.place != nil {
		a.slot.limiter.arriving.Remove(a.place)
		a.place = nil
	}
}

// Read implements [io.Reader]. Its end is an error where there is no slot.
func (a *arrival) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		if !a.settled {
			a.settled = true
			a.leave()
			a.refused = a.slot.take()
		}
		if a.refused != nil {
			return n, a.refused
		}
	}
	return n, err
}
