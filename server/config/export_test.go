package config

import "time"

// NewEventLoader is a loader that looks at files when an event says so or somebody asks, and at no other time.
func NewEventLoader(sources Sources) *Loader {
	loader := NewLoader(sources)
	loader.routine = time.Hour
	return loader
}
