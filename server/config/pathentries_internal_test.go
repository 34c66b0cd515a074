package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree makes files, directories (names that end in a slash) and symlinks ("name -> target") in a directory whose own
// path holds no symlink.
func tree(t *testing.T, entries ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name, target, isLink := strings.Cut(entry, " -> ")
		path := filepath.Join(dir, name)
		switch {
		case isLink:
			err = os.Symlink(strings.ReplaceAll(target, "DIR", dir), path)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o700)
		default:
			err = os.WriteFile(path, nil, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// below is the part of the path entries in a directory, as one line.
func below(dir string, steps []step) string {
	var found []string
	for _, one := range steps {
		if relative, isBelow := strings.CutPrefix(one.path(), dir+"/"); isBelow {
			found = append(found, relative)
		}
	}
	return strings.Join(found, " ")
}

func TestPathEntries(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		entries []string
		path    string
		want    string
	}{
		"file":                 {[]string{"a"}, "a", "a"},
		"missing":              {nil, "a", "a"},
		"in a directory":       {[]string{"d/", "d/a"}, "d/a", "d d/a"},
		"directory missing":    {nil, "d/e/a", "d"},
		"below a file":         {[]string{"f"}, "f/a", "f f/a"},
		"symlink":              {[]string{"b", "a -> b"}, "a", "a b"},
		"dangling symlink":     {[]string{"a -> b"}, "a", "a b"},
		"absolute symlink":     {[]string{"d/", "d/b", "a -> DIR/d/b"}, "a", "a d d/b"},
		"symlink up":           {[]string{"d/", "b", "d/a -> ../b"}, "d/a", "d d/a b"},
		"chain":                {[]string{"c", "b -> c", "a -> b"}, "a", "a b c"},
		"ConfigMap":            {[]string{"..1/", "..1/a", "..data -> ..1", "a -> ..data/a"}, "a", "a ..data ..1 ..1/a"},
		"symlinked directory":  {[]string{"real/", "real/a", "d -> real"}, "d/a", "d real real/a"},
		"parent of a target":   {[]string{"x/", "x/y/", "x/a", "l -> x/y"}, "l/../a", "l x x/y x/a"},
		"dots that do nothing": {[]string{"d/", "d/a"}, "./d/./a", "d d/a"},
		"slashes":              {[]string{"d/", "d/a"}, "d//a/", "d d/a"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, test.entries...)
			if got := below(dir, pathEntries(dir+"/"+test.path)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestTrailBeginsAtTheRoot checks that any directory may be the one that is swapped.
func TestPathEntriesBeginsAtTheRoot(t *testing.T) {
	t.Parallel()
	dir := tree(t, "a")
	steps := pathEntries(filepath.Join(dir, "a"))
	var want []step
	for path := filepath.Join(dir, "a"); path != "/"; path = filepath.Dir(path) {
		want = append([]step{{filepath.Dir(path), filepath.Base(path)}}, want...)
	}
	if !slices.Equal(steps, want) {
		t.Errorf("got %v, want %v", steps, want)
	}
}

func TestPathEntriesOfLoop(t *testing.T) {
	t.Parallel()
	dir := tree(t, "a -> b", "b -> a")
	if steps := pathEntries(filepath.Join(dir, "a")); len(steps) > 100 {
		t.Errorf("there are %d steps, want an end after %d symlinks", len(steps), maxLinks)
	}
}

// TestTrailOfRelativePath checks that a path is looked up from the working directory.
func TestPathEntriesOfRelativePath(t *testing.T) {
	dir := tree(t, "d/", "a")
	t.Chdir(filepath.Join(dir, "d"))
	if got := below(dir, pathEntries("../a")); got != "d a" {
		t.Errorf("got %s, want d a", got)
	}
}

// TestTrailHoldsNoLinkOnTheWay checks that a watched directory is the one that the system would find.
func TestPathEntriesHoldsNoLinkOnTheWay(t *testing.T) {
	t.Parallel()
	dir := tree(t, "..1/", "..1/a", "..data -> ..1", "a -> ..data/a", "l -> .")
	for _, one := range pathEntries(filepath.Join(dir, "l/l/a")) {
		if physical, err := filepath.EvalSymlinks(one.dir); err != nil || physical != one.dir {
			t.Errorf("%s is %s, error %v", one.dir, physical, err)
		}
	}
}
