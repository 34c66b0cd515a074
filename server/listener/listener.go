// Package listener holds what is known of each listener, and tells who watches when it changes.
//
// A [Registry] publishes immutable snapshots: reading one takes no lock, and what was read never changes. Each change
// has a revision of its own.
package listener

import (
	"errors"
	"time"

	"dialpoint/server/rules"
)

// DefaultName is the name of the listener that a caller means who names none.
const DefaultName = "default"

var errName = errors.New("a listener's name must be 1 to 128 of the characters A-Z a-z 0-9 . _ -")

// CheckName reports whether a listener may have this name: it has the form of a channel, and is not empty. Names keep
// their case.
func CheckName(name string) error {
	if name == "" || rules.CheckChannel(name) != nil {
		return errName
	}
	return nil
}

// Config is a listener as it is configured.
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
	// InstanceID is the dashboard run that holds the lease. Empty without a report.
	InstanceID string
	// LeaseExpires is when the lease ends. Zero without a report.
	LeaseExpires time.Time
	// Revision is when it last changed.
	Revision uint64
}

// IsBound reports whether host and port are known.
func (l Listener) IsBound() bool { return l.Bind.IsBound() }

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
