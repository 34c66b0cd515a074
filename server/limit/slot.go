package limit

import "context"

// slot is the place that one call takes, from when it is here until it is answered.
type slot struct {
	limiter    *Limiter
	peer       string
	connection *conn

	// The limiter's lock guards these.
	kind     kind
	taken    bool
	released bool
}

type slotKey struct{}

// Hold makes a call that waits count as a stream from now on, so that those who wait do not use up the calls. Where the
// streams are used up the error is RESOURCE_EXHAUSTED, with [ReasonExceeded], and the call should end with it. It does
// nothing for a call that counts as a stream already, and for a context that is of no call under a [Limiter].
func Hold(ctx context.Context) error {
	held, ok := ctx.Value(slotKey{}).(*slot)
	if !ok {
		return nil
	}
	if err := held.hold(); err != nil {
		return exceeded(err)
	}
	return nil
}

// take takes the slot. The error is that of the call.
func (s *slot) take() error {
	s.limiter.mu.Lock()
	err := s.limiter.admit(s.kind, s.peer)
	s.taken = err == nil
	s.limiter.mu.Unlock()
	if err != nil {
		return exceeded(err)
	}
	s.connection.enter()
	return nil
}

func (s *slot) hold() error {
	s.limiter.mu.Lock()
	defer s.limiter.mu.Unlock()
	if !s.taken || s.released || s.kind == stream {
		return nil
	}
	if err := s.limiter.admit(stream, s.peer); err != nil {
		return err
	}
	s.limiter.used[call].remove(s.peer)
	s.kind = stream
	return nil
}

// release gives the slot back, the first time.
func (s *slot) release() {
	s.limiter.mu.Lock()
	wasTaken := s.taken && !s.released
	s.released = true
	if wasTaken {
		s.limiter.used[s.kind].remove(s.peer)
	}
	s.limiter.mu.Unlock()
	if wasTaken {
		s.connection.leave()
	}
}
