package socket_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"dialpoint/server/socket"
)

func TestDirectory(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		mode fs.FileMode
		// stale is whether a socket was left in it.
		stale bool
		says  string
	}{
		"its owner's alone":              {0o700, false, ""},
		"its owner's alone, again":       {0o700, true, ""},
		"open to the group, after a run": {0o710, true, ""},
		"open to all, after a run":       {0o711, true, ""},

		"that the group may pass":               {0o710, false, "is open to others (mode 0710)"},
		"that all may pass":                     {0o711, false, "is open to others (mode 0711)"},
		"that all may list":                     {0o755, false, "is open to others (mode 0755)"},
		"that all may list, after a run":        {0o755, true, "is open to others (mode 0755)"},
		"that the group may list, after a run":  {0o740, true, "is open to others (mode 0740)"},
		"that the group may write to":           {0o730, true, "is open to others (mode 0730)"},
		"that others may write to":              {0o703, true, "is open to others (mode 0703)"},
		"that all may put files into but their": {0o777 | fs.ModeSticky, true, "is open to others (mode 1777)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := mkdir(t, filepath.Join(base(t), "d"), 0o700)
			path := filepath.Join(directory, "s")
			if test.stale {
				leaveStale(t, path)
			}
			must(t, os.Chmod(directory, test.mode))
			if test.says == "" {
				open(t, path, socket.Allow{})
				wantMode(t, directory, fs.ModeDir|0o700)
				return
			}
			wantRefused(t, path, test.says)
			wantRefused(t, path, "choose a path with --unix whose directory does not exist yet, or, if it is for this alone, chmod 700 it")
			wantMode(t, directory, fs.ModeDir|test.mode)
			if _, err := os.Lstat(path); (err == nil) != test.stale {
				t.Errorf("the socket: %v", err)
			}
		})
	}
}

func TestDirectoryOfAnother(t *testing.T) {
	t.Parallel()
	needRoot(t)
	directory := mkdir(t, filepath.Join(base(t), "d"), 0o700)
	must(t, os.Chown(directory, nobody, nobody))
	wantRefused(t, filepath.Join(directory, "s"), fmt.Sprintf("the directory %s belongs to user %d", directory, nobody))
}

// TestDirectoryOfRoot: what is root's is safe, but not ours.
func TestDirectoryOfRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("we are root")
	}
	wantRefused(t, "/usr/s", "the directory /usr belongs to user 0")
}

func TestMakeDirectory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "parent", "d")
	for range 2 {
		must(t, socket.MakeDirectory(path))
		wantMode(t, path, fs.ModeDir|0o700)
	}
	must(t, os.Chmod(path, 0o711))
	wantError(t, socket.MakeDirectory(path), "the directory "+path+" is open to others (mode 0711)", "chmod 700")
}
