package limit

import (
	"fmt"
	"math"
)

const (
	// DefaultCalls is how many calls are answered at a time unless serve.limits.calls says otherwise. A call takes well
	// below a millisecond: so many at once are a flood.
	DefaultCalls = 1024
	// DefaultStreams is how many streams are open at a time unless serve.limits.streams says otherwise.
	DefaultStreams = 16384
	// DefaultStreamsPerPeer is how many of them one peer may have unless serve.limits.streams_per_peer says otherwise.
	DefaultStreamsPerPeer = 4096
	// ReservedFiles is how many of the files that the process may open are left for what is no connection: sockets that
	// listen, the configuration, credentials, a store.
	ReservedFiles = 64
)

// Limits are the numbers of serve.limits. One that is below 1 is its default.
type Limits struct {
	// Calls is how many calls are in flight at most. One peer may have half of them, rounded up.
	Calls int
	// Streams is how many streams are open at most: watches, and calls that wait. See [Hold].
	Streams int
	// StreamsPerPeer is how many of the streams one peer may have.
	StreamsPerPeer int
}

// Within are the limits with numbers in place of defaults, and cut so that streams leave a quarter of the connections to
// calls where there are few files: see [MaxConns]. One peer may have half of them then, at most.
func (l Limits) Within(files uint64) Limits {
	l = l.orDefault()
	most := MaxConns(l, files)
	if most >= l.Calls+l.Streams {
		return l
	}
	l.Streams = positive(min(l.Streams, most*3/4), 1)             //nolint:mnd // See above.
	l.StreamsPerPeer = positive(min(l.StreamsPerPeer, most/2), 1) //nolint:mnd // See above.
	return l
}

// MaxConns is how many connections may be open at a time: one for each call and each stream, or what files leaves after
// [ReservedFiles], if that is less. It is at least 1. Files is the soft limit of RLIMIT_NOFILE (getrlimit(2)).
func MaxConns(limits Limits, files uint64) int {
	limits = limits.orDefault()
	spare := uint64(1)
	if files > ReservedFiles {
		spare = files - ReservedFiles
	}
	return min(limits.Calls+limits.Streams, int(min(spare, math.MaxInt)))
}

// orDefault has each number that is not said from the defaults.
func (l Limits) orDefault() Limits {
	return Limits{
		Calls:          positive(l.Calls, DefaultCalls),
		Streams:        positive(l.Streams, DefaultStreams),
		StreamsPerPeer: positive(l.StreamsPerPeer, DefaultStreamsPerPeer),
	}
}

func positive(said, otherwise int) int {
	if said < 1 {
		return otherwise
	}
	return said
}

// kind is what a slot is for.
type kind int

const (
	call kind = iota
	stream
	kinds
)

// of is how many slots of a kind there are, in all and for one peer.
func (l Limits) of(wanted kind) (all, each int) {
	if wanted == stream {
		return l.Streams, l.StreamsPerPeer
	}
	return l.Calls, l.Calls - l.Calls/2
}

// overAll says that all slots of a kind are taken.
func (l Limits) overAll(wanted kind) error {
	if wanted == stream {
		return fmt.Errorf("serve.limits.streams is %d, and so many streams are open; ask again later, or raise it", l.Streams)
	}
	return fmt.Errorf("serve.limits.calls is %d, and so many calls are in flight; ask again later, or raise it", l.Calls)
}

// overEach says that one peer has all the slots of a kind that it may have.
func (l Limits) overEach(wanted kind) error {
	all, each := l.of(wanted)
	if wanted == stream {
		return fmt.Errorf("serve.limits.streams_per_peer is %d, and this caller has so many streams open; close some, or raise it", each)
	}
	return fmt.Errorf("serve.limits.calls is %d, of which one caller may have %d, and this one has so many in flight; ask again later, or raise it", all, each)
}
