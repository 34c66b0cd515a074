package config

import (
	"strconv"
)

// What is served at a time where nothing is said.
const (
	defaultCalls          = 1024
	defaultStreams        = 16384
	defaultStreamsPerPeer = 4096
	// maxLimit is more than one process serves, so that a larger number is a slip.
	maxLimit = 1_000_000
)

// Limits is how much is served at a time. Each is from 1 to 1,000,000.
type Limits struct {
	// Calls is how many calls there may be that are no streams. The default is 1024.
	Calls int
	// Streams is how many streams there may be. The default is 16,384.
	Streams int
	// StreamsPerPeer is how many of them one peer may have, and never more than Streams. The default is 4096.
	StreamsPerPeer int
}

// limits reads how much is served. More streams for one peer than for all are brought down to those, since that is what
// they would come to.
func (r *reading) limits() Limits {
	said := r.document.Serve.Limits
	limits := Limits{
		Calls:   r.limit(keyCalls, said.Calls, defaultCalls),
		Streams: r.limit(keyStreams, said.Streams, defaultStreams),
	}
	perPeer := defaultStreamsPerPeer
	if limits.Streams > 0 {
		perPeer = min(perPeer, limits.Streams)
	}
	limits.StreamsPerPeer = r.limit(keyStreamsPerPeer, said.StreamsPerPeer, perPeer)
	if limits.StreamsPerPeer > limits.Streams {
		r.warn("serve.limits.streams_per_peer is more than serve.limits.streams, so that one peer may have all " +
			strconv.Itoa(limits.Streams) + " streams")
		limits.StreamsPerPeer = limits.Streams
	}
	return limits
}

func (r *reading) limit(at key, said *number, otherwise int) int {
	return parse(r, r.server(at, written(said)), strconv.Itoa(otherwise), parseLimit)
}

// parseLimit is 0 beside an error.
func parseLimit(text string) (int, error) {
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 || limit > maxLimit {
		return 0, badValue(text, "must be a whole number from 1 to "+strconv.Itoa(maxLimit))
	}
	return limit, nil
}
