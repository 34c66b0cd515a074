// Package listener holds what is known of each listener, and tells who watches when it changes.
//
// A [Registry] publishes immutable snapshots: reading one takes no lock, and what was read never changes. Each change
// has a revision of its own. What a dashboard reports holds for as long as its lease does.
package listener

import (
	"reflect"
	"time"

	"dialpoint/server/rules"
)

// DefaultName is the name of the listener that a caller means who names none.
const DefaultName = "default"

// Config is a listener as it is configured.
//
// An empty auth mode means that none was said and no credential is known: none is asked for, until a dashboard reports
// one.
type Config struct {
	rules.Listener

	// Name tells it from the others. It has the form that [CheckName] asks for.
	Name string
}

// Listener is what is known of one listener. Nothing that it points to may be changed.
type Listener struct {
	Config

	// BindSource is who said what it listens on. It is FromNobody while that is not known in full.
	BindSource BindSource
	// InstanceID is the dashboard run that holds the lease. Empty without a report, and for one of [Report] without an
	// instance.
	InstanceID string
	// Revision is when it last changed.
	Revision uint64
	// BindRevision is since when this holder has it bound to this. It is a new one whenever either changes, even if it
	// changes back.
	BindRevision uint64

	lease *lease
}

// IsBound reports whether host and port are known.
func (l Listener) IsBound() bool { return l.Bind.IsBound() }

// LeaseExpires is when the lease ends unless it is renewed. Zero without a lease. Other than the rest it is not as it
// was when the snapshot was made, but as it is now: a renewal is no change, and makes no snapshot.
func (l Listener) LeaseExpires() time.Time {
	if l.lease == nil {
		return time.Time{}
	}
	return l.lease.expires()
}

// stamp gives the listener the revision of its change.
func (l *Listener) stamp(revision uint64) {
	l.Revision = revision
	if l.BindRevision == 0 {
		l.BindRevision = revision
	}
}

// sameAs reports whether two listeners differ in nothing but when they last changed. One that is still held by the same
// instance has the same lease.
func (l Listener) sameAs(other Listener) bool {
	l.Revision, l.BindRevision, l.lease = other.Revision, other.BindRevision, other.lease
	return reflect.DeepEqual(l, other)
}

// BindSource is who said what a listener listens on.
type BindSource uint8

// The sources of a bind.
const (
	// FromNobody means that the listener is not bound: its host or its port is not known.
	FromNobody BindSource = iota
	// FromConfig is flags, environment or file.
	FromConfig
	// FromReport is the dashboard itself.
	FromReport
)
