package socket_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"dialpoint/server/socket"
)

// TestWay: the directories on the way to the socket's own.
func TestWay(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		mode fs.FileMode
		says string
	}{
		"that others may list":               {0o755, ""},
		"that nobody may list":               {0o311, ""},
		"that all may put files into":        {0o777 | fs.ModeSticky, ""},
		"where the group may replace files":  {0o770, "(mode 0770)"},
		"where others may replace files":     {0o707, "(mode 0707)"},
		"where others may, if blindly":       {0o703, "(mode 0703)"},
		"of a group whose files are its own": {0o775 | fs.ModeSetgid, "(mode 2775)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parent := mkdir(t, filepath.Join(base(t), "parent"), test.mode)
			t.Cleanup(func() { must(t, os.Chmod(parent, 0o700)) })
			path := filepath.Join(parent, "d", "s")
			if test.says == "" {
				open(t, path, socket.Allow{})
				wantMode(t, parent, fs.ModeDir|test.mode)
				return
			}
			wantRefused(t, path, "others may write to the directory "+parent+" on the way there "+test.says)
			wantGone(t, filepath.Dir(path))
		})
	}
}

func TestWayThroughAnothersDirectory(t *testing.T) {
	t.Parallel()
	needRoot(t)
	parent := mkdir(t, filepath.Join(base(t), "parent"), 0o755)
	mkdir(t, filepath.Join(parent, "d"), 0o700)
	must(t, os.Chown(parent, nobody, nobody))
	wantRefused(t, filepath.Join(parent, "d", "s"), fmt.Sprintf("the directory %s on the way there belongs to user %d", parent, nobody))
}

func TestWayIsNoDirectory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(base(t), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	wantRefused(t, filepath.Join(file, "s"), file+" is no directory")
	wantRefused(t, filepath.Join(file, "d", "s"), file+" is no directory")
}

func TestDirectoryIsNoLink(t *testing.T) {
	t.Parallel()
	dir := base(t)
	mkdir(t, filepath.Join(dir, "real"), 0o700)
	link := filepath.Join(dir, "link")
	must(t, os.Symlink("real", link))
	wantRefused(t, filepath.Join(link, "s"), "the directory "+link+" is a symbolic link")
	wantGone(t, filepath.Join(dir, "real", "s"))
}

// TestLinkOnTheWay: even our own, as whoever can change it leads the socket elsewhere.
func TestLinkOnTheWay(t *testing.T) {
	t.Parallel()
	dir := base(t)
	mkdir(t, filepath.Join(dir, "real"), 0o700)
	link := filepath.Join(dir, "link")
	must(t, os.Symlink("real", link))
	if os.Geteuid() == 0 {
		must(t, os.Lchown(link, nobody, nobody))
	}
	wantRefused(t, filepath.Join(link, "d", "s"), link+" on the way there is a symbolic link that others than root can change")
	wantGone(t, filepath.Join(dir, "real", "d"))
}

func TestRootsLinkOnTheWay(t *testing.T) {
	t.Parallel()
	needRoot(t)
	tests := map[string]struct {
		// mode is that of the directory with the link, and others that of a directory beside it.
		mode, others fs.FileMode
		// target has the directory of the link for %s.
		target, says string
	}{
		"to the directory beside it":     {0o755, 0o755, "others", ""},
		"with a whole path":              {0o755, 0o755, "%s/others", ""},
		"there and back":                 {0o755, 0o755, "others/./../../" + "dir//others/", ""},
		"to what is not there yet":       {0o755, 0o755, "others/new", ""},
		"over another link":              {0o755, 0o755, "again", ""},
		"to itself":                      {0o755, 0o755, "link", "too many levels of symbolic links"},
		"to where others write":          {0o755, 0o777, "others", "others may write to the directory"},
		"over where others write":        {0o755, 0o777, "others/../others", "others may write to the directory"},
		"where others may put links too": {0o777 | fs.ModeSticky, 0o755, "others", "a symbolic link that others than root can change"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := mkdir(t, filepath.Join(base(t), "dir"), test.mode)
			mkdir(t, filepath.Join(dir, "others"), test.others)
			must(t, os.Symlink("others", filepath.Join(dir, "again")))
			target := test.target
			if target[0] == '%' {
				target = fmt.Sprintf(target, dir)
			}
			must(t, os.Symlink(target, filepath.Join(dir, "link")))
			path := filepath.Join(dir, "link", "d", "s")
			if test.says != "" {
				wantRefused(t, path, test.says)
				return
			}
			go answer(open(t, path, socket.Allow{}), "we")
			if got, err := ask(path); got != "we" {
				t.Errorf("%q answers, %v", got, err)
			}
		})
	}
}

// TestLinkMayNotBecomeTheDirectory: what is last in the target of a link is not last on the way.
func TestLinkMayNotBecomeTheDirectory(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := base(t)
	mkdir(t, filepath.Join(dir, "real"), 0o755)
	must(t, os.Symlink("real", filepath.Join(dir, "first")))
	must(t, os.Symlink("first", filepath.Join(dir, "second")))
	must(t, os.Symlink(dir, filepath.Join(dir, "real", "back")))
	wantRefused(t, filepath.Join(dir, "second", "back", "s"), "is a symbolic link; name the one that it leads to")
	open(t, filepath.Join(dir, "second", "back", "real", "d", "s"), socket.Allow{})
}
