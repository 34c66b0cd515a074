package listener

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"dialpoint/server/rules"
)

// How long a report holds unless it is renewed: what it may ask for, and what it gets when it asks for nothing.
const (
	MinTTL     = time.Second
	DefaultTTL = 15 * time.Second
	MaxTTL     = time.Hour
)

// notUsed warns of a dashboard and an operator who do not agree.
const notUsed = "auth.mode is none, so the credential that the dashboard reported is not used"

// Report is what a dashboard has bound.
type Report struct {
	// Name is the listener's name. Empty is "default".
	Name string
	// InstanceID is the run of the dashboard that reports, in the form that [CheckInstanceID] asks for. Empty is the
	// program that the registry is part of. Its word needs no renewal: it takes the place of any other, and stands until
	// the program withdraws it.
	InstanceID string
	// Bind takes the place of the configured bind.
	Bind rules.Bind
	// Credential takes the place of the configured one. The zero Secret leaves that in force.
	Credential rules.Secret
	// TTL is how long the report holds unless it is renewed, from MinTTL to MaxTTL. Who takes reports checks it.
	TTL time.Duration
	// Takeover takes the listener from another instance whose lease is live.
	Takeover bool
}

// lease is a live report. It is the same one for as long as one instance holds the listener.
type lease struct {
	// Report is the newest. The registry's lock guards it.
	Report

	// timer ends the lease. The program itself has none.
	timer *time.Timer
	// end is on the monotonic clock, as the timer is: a clock that is set leaves the lease alone. Both stand still while
	// the machine is suspended, so that a dashboard that slept as well has its time to renew.
	end atomic.Pointer[time.Time]
}

// expires is when the lease ends. Zero is never.
func (l *lease) expires() time.Time {
	if end := l.end.Load(); end != nil {
		return *end
	}
	return time.Time{}
}

// isOver reports whether the lease has ended: at its last instant it has.
func (l *lease) isOver(now time.Time) bool {
	end := l.end.Load()
	return end != nil && !now.Before(*end)
}

// isOver reports whether the lease behind what is known of a listener has ended.
func (l Listener) isOver() bool { return l.lease != nil && l.lease.isOver(time.Now()) }

// stop ends the timer for good.
func (l *lease) stop() {
	if l.timer != nil {
		l.timer.Stop()
	}
}

// applyTo puts what was reported in the place of what is configured.
func (l *lease) applyTo(listener *Listener) {
	listener.lease, listener.InstanceID, listener.Bind = l, l.InstanceID, l.Bind
	if l.Credential.IsZero() {
		return
	}
	listener.Auth.Credential = l.Credential
	switch listener.Auth.Mode {
	case "":
		listener.Auth.Mode = rules.DefaultAuthMode(l.Credential)
	case rules.AuthNone:
		listener.Warnings = append(slices.Clip(listener.Warnings), notUsed)
	default:
	}
}

// HeldError says that another instance holds a listener.
type HeldError struct {
	// Name is the listener's name.
	Name string
	// InstanceID is who holds it. Empty is the program that the registry is part of.
	InstanceID string
	// Expires is when the lease ends unless it is renewed. Zero is never.
	Expires time.Time
}

// Error implements error.
func (h *HeldError) Error() string {
	if h.Expires.IsZero() {
		return fmt.Sprintf("listener %q is held by the program that the service is part of", h.Name)
	}
	const milliseconds = "2006-01-02T15:04:05.000Z07:00"
	return fmt.Sprintf("listener %q is held by instance %q, whose lease ends at %s unless it is renewed",
		h.Name, h.InstanceID, h.Expires.UTC().Format(milliseconds))
}
