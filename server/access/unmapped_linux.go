package access

import (
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
)

const (
	// defaultOverflow is the overflow id of a kernel that was told no other (DEFAULT_OVERFLOWUID).
	defaultOverflow = 65534
	// mapFields is how many numbers a line of an id map has: an id here, the same outside, and how many follow.
	mapFields = 3
)

// unmappedHere are the unmapped ids of this process.
func unmappedHere() unmapped { return unmappedIn(os.DirFS("/proc")) }

func unmappedIn(proc fs.FS) unmapped {
	return unmapped{
		user:  overflowID(proc, "self/uid_map", "sys/kernel/overflowuid"),
		group: overflowID(proc, "self/gid_map", "sys/kernel/overflowgid"),
	}
}

// overflowID is what unmapped ids read as, or noID where every id is mapped. What cannot be read counts as a namespace.
func overflowID(proc fs.FS, mapFile, overflowFile string) int64 {
	table, err := fs.ReadFile(proc, mapFile)
	if err == nil && mapsEveryID(string(table)) {
		return noID
	}
	text, err := fs.ReadFile(proc, overflowFile)
	if err != nil {
		return defaultOverflow
	}
	id, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 32)
	if err != nil {
		return defaultOverflow
	}
	return int64(id)
}

// mapsEveryID reports whether an id map has all ids there are: 2³²-1, since the highest number is no id. The ranges of
// a map never overlap.
func mapsEveryID(table string) bool {
	var mapped uint64
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) != mapFields {
			return false
		}
		count, err := strconv.ParseUint(fields[mapFields-1], 10, 32)
		if err != nil {
			return false
		}
		mapped += count
	}
	return mapped == math.MaxUint32
}
