package listener

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrNotConfigured is the error about a listener that no configuration names.
	ErrNotConfigured = errors.New("is not configured")
	// ErrClosed is the error of a report to a registry that was closed.
	ErrClosed = errors.New("the registry is closed")
)

// Report says what a listener really bound. It wins over the configuration for as long as the lease lives, which this
// begins or renews. A renewal that says nothing new is no change: it has no revision, and nobody is told.
//
// While another instance's lease is live the error is a [*HeldError], unless the report asks for a takeover. What the
// program itself has said is not taken over. Further errors are [ErrNotConfigured] and [ErrClosed].
func (r *Registry) Report(report Report) (Listener, error) {
	report.Name, report.Bind = nameOr(report.Name), ownBind(report.Bind)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return Listener{}, ErrClosed
	}
	held, err := r.holder(report.Name)
	if err != nil {
		return Listener{}, err
	}
	if held == nil || held.InstanceID != report.InstanceID {
		if held != nil && !report.wins(held) {
			return Listener{}, held.heldError()
		}
		held = r.claim(report.Name, held)
	}
	held.Report = report
	r.renew(held)
	r.refresh(report.Name)
	found, _ := r.Snapshot().Get(report.Name)
	return found, nil
}

// Withdraw ends the lease of an instance: the configured bind counts again. Without a lease there is nothing to do, so
// that a call can be repeated. While another instance's lease is live the error is a [*HeldError]. A further one is
// [ErrNotConfigured].
func (r *Registry) Withdraw(name, instanceID string) error {
	name = nameOr(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	held, err := r.holder(name)
	switch {
	case err != nil || held == nil:
		return err
	case held.InstanceID != instanceID:
		return held.heldError()
	}
	r.drop(held)
	r.refresh(name)
	return nil
}

// Close ends the timers of all leases, so that what is known stays as it is. Further reports are refused.
func (r *Registry) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, held := range r.leases {
		held.stop()
	}
}

// holder is the live lease of a configured listener, if there is one. It does not rely on the timer, which may be about
// to take the lock.
func (r *Registry) holder(name string) (*lease, error) {
	if _, configured := r.configs[name]; !configured {
		return nil, fmt.Errorf("listener %q %w", name, ErrNotConfigured)
	}
	if held := r.leases[name]; held != nil {
		r.endIfOver(held)
	}
	return r.leases[name], nil
}

// wins reports whether a report takes a listener from another instance.
func (r Report) wins(held *lease) bool {
	return r.InstanceID == "" || r.Takeover && held.InstanceID != ""
}

// claim begins a lease in the place of another's.
func (r *Registry) claim(name string, other *lease) *lease {
	if other != nil {
		other.stop()
	}
	r.leases[name] = new(lease)
	return r.leases[name]
}

// renew sets the end anew.
func (r *Registry) renew(held *lease) {
	if held.InstanceID == "" {
		return
	}
	held.end.Store(new(time.Now().Add(held.TTL)))
	if held.timer == nil {
		held.timer = time.AfterFunc(held.TTL, func() { r.expire(held) })
	} else {
		held.timer.Reset(held.TTL)
	}
}

// expire is what a lease's timer calls. The lease may have been renewed, withdrawn or taken over meanwhile.
func (r *Registry) expire(held *lease) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed && r.leases[held.Name] == held {
		r.endIfOver(held)
	}
}

func (r *Registry) endIfOver(held *lease) {
	if held.isOver(time.Now()) {
		r.drop(held)
		r.refresh(held.Name)
	}
}

// drop forgets a lease.
func (r *Registry) drop(held *lease) {
	held.stop()
	delete(r.leases, held.Name)
}

func (l *lease) heldError() error {
	return &HeldError{Name: l.Name, InstanceID: l.InstanceID, Expires: l.expires()}
}
