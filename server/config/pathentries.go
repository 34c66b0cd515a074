package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxLinks is how many symlinks a path may hold, as on Linux (path_resolution(7)).
const maxLinks = 40

// step is one directory entry on the way to a file. No part of the directory is a symlink.
type step struct{ dir, name string }

// path is the entry's own path, and the name under which its events come.
func (s step) path() string { return filepath.Join(s.dir, s.name) }

// pathEntries is every entry whose change may lead a path to another file, in the order in which the system looks them up:
// each directory, each symlink and what it points to, the file itself. It ends at the first that is missing, which is
// then the one to wait for.
func pathEntries(path string) []step {
	w := walk{}
	w.turn(absolute(path))
	for len(w.ahead) > 0 && w.advance() {
	}
	return w.steps
}

// absolute does not clean the path, as [filepath.Abs] does: ".." after a symlink is the parent of its target.
func absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	// Without a working directory the path leads nowhere, and there is nothing to watch.
	dir, _ := os.Getwd()
	return dir + string(filepath.Separator) + path
}

// walk is how far a path has been followed.
type walk struct {
	steps []step
	// links is how many symlinks it has followed.
	links int
	// dir is where it stands, ahead are the names to come.
	dir   string
	ahead []string
}

// advance takes one name. It is false where the path cannot be followed further.
func (w *walk) advance() bool {
	next := step{w.dir, w.ahead[0]}
	w.ahead = w.ahead[1:]
	if next.name == ".." {
		w.dir = filepath.Dir(w.dir)
		return true
	}
	w.steps = append(w.steps, next)
	info, err := os.Lstat(next.path())
	if err != nil {
		return false
	}
	if info.Mode()&os.ModeSymlink == 0 {
		w.dir = next.path()
		return true
	}
	target, err := os.Readlink(next.path())
	w.links++
	w.turn(target)
	return err == nil && w.links <= maxLinks
}

// turn goes to a path from where it stands, and after it to what lay ahead.
func (w *walk) turn(path string) {
	if filepath.IsAbs(path) {
		volume := filepath.VolumeName(path)
		path, w.dir = path[len(volume):], volume+string(filepath.Separator)
	}
	names := strings.FieldsFunc(filepath.ToSlash(path), func(r rune) bool { return r == '/' })
	names = slices.DeleteFunc(names, func(name string) bool { return name == "." })
	w.ahead = append(names, w.ahead...)
}
