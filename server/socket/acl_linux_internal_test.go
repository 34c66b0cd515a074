//go:build linux

package socket

import (
	"encoding/hex"
	"strings"
	"testing"
)

// TestEncodeACL: the bytes are those that setfacl(1) writes.
func TestEncodeACL(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		entry entry
		allow Allow
		want  string
	}{
		"a user": {
			useSocket,
			Allow{Users: []uint32{65533}},
			"02000000 0100 0600 ffffffff 0200 0600 fdff0000 0400 0000 ffffffff 1000 0600 ffffffff 2000 0000 ffffffff",
		},
		"a group": {
			passDirectory,
			Allow{Groups: []uint32{100}},
			"02000000 0100 0700 ffffffff 0400 0000 ffffffff 0800 0100 64000000 1000 0100 ffffffff 2000 0000 ffffffff",
		},
		"many, in order and once": {
			passDirectory,
			Allow{Users: []uint32{0x01020304, 2, 2}, Groups: []uint32{9, 8, 9}},
			"02000000 0100 0700 ffffffff 0200 0100 02000000 0200 0100 04030201" +
				" 0400 0000 ffffffff 0800 0100 08000000 0800 0100 09000000 1000 0100 ffffffff 2000 0000 ffffffff",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := hex.EncodeToString(encodeACL(test.entry, test.allow))
			if want := strings.ReplaceAll(test.want, " ", ""); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}
