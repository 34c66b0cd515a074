package limit

import (
	"runtime/debug"
	"time"
)

const (
	// floodSize is how many connections at a time are a flood: they leave more memory behind than the service needs.
	floodSize = 2000
	// floodShare is the part of a flood that is still there when it is over.
	floodShare = 10
	// reclaimPause is how long after memory was given back it is not given back again.
	reclaimPause = 10 * time.Second
)

// flood notices that many connections were open and hardly any is left. The runtime keeps the memory of a flood for
// minutes, for the next one: after ten thousand connections that sent half a header each, 130 MB instead of 10.
type flood struct {
	// peak is the most connections since the last flood.
	peak      int
	reclaimed time.Time
}

// over reports that a flood has passed, once for each.
func (f *flood) over(open int, now time.Time) bool {
	if f.peak < floodSize || open > f.peak/floodShare || now.Sub(f.reclaimed) < reclaimPause {
		return false
	}
	f.peak = open
	f.reclaimed = now
	return true
}

// reclaim gives memory back to the system. The second time is for what pools of buffers had kept for one collection
// more (see [sync.Pool]): that is most of it.
func reclaim() {
	debug.FreeOSMemory()
	debug.FreeOSMemory()
}
