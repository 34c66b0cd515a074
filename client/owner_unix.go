//go:build unix

package client

import (
	"io/fs"
	"syscall"
)

// ownerOf is the id of the user to whom a file belongs, where the system says.
func ownerOf(info fs.FileInfo) (uid int, isKnown bool) {
	stat, isKnown := info.Sys().(*syscall.Stat_t)
	if !isKnown {
		return 0, false
	}
	return int(stat.Uid), true
}
