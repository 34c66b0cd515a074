package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFilesSee checks what makes a difference between two looks at a file.
func TestFilesSee(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(path string) error
		differ bool
	}{
		"nothing":          {func(string) error { return nil }, false},
		"the same again":   {func(path string) error { return os.WriteFile(path, []byte("a"), 0o600) }, false},
		"another inode":    {func(path string) error { return anew(path, "a") }, false},
		"content":          {func(path string) error { return os.WriteFile(path, []byte("b"), 0o600) }, true},
		"emptied":          {func(path string) error { return os.Truncate(path, 0) }, true},
		"mode":             {func(path string) error { return os.Chmod(path, 0o644) }, true},
		"removed":          {os.Remove, true},
		"now a directory":  {mkdirFor, true},
		"now a symlink":    {linkFor, false},
		"longer than read": {func(path string) error { return os.Truncate(path, maxFileSize+1) }, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "a")
			put(t, path, "a")
			before := glance(path)
			if err := test.change(path); err != nil {
				t.Fatal(err)
			}
			if differs := glance(path) != before; differs != test.differ {
				t.Errorf("differs is %v, want %v", differs, test.differ)
			}
		})
	}
}

func glance(path string) string {
	var f files
	f.look(path)
	return f.seen.String()
}

// look reads for the sake of what is remembered.
func (f *files) look(path string) {
	if _, _, err := f.read(path); err != nil {
		return
	}
}

func anew(path, content string) error {
	if err := os.WriteFile(path+".new", []byte(content), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func mkdirFor(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.Mkdir(path, 0o700)
}

func linkFor(path string) error {
	if err := os.Rename(path, path+".target"); err != nil {
		return err
	}
	return os.Symlink(filepath.Base(path)+".target", path)
}

// TestFilesKeepNoContent checks that what is kept to compare is no copy of a credential.
func TestFilesKeepNoContent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "token")
	put(t, path, "s3cr3t")
	if seen := glance(path); strings.Contains(seen, "s3cr3t") {
		t.Errorf("kept %s", seen)
	}
}

// TestFilesRememberPaths checks that a file is remembered even if it could not be read: it may be written later.
func TestFilesRememberPaths(t *testing.T) {
	t.Parallel()
	dir := tree(t, "a")
	var f files
	want := []string{dir + "/a", dir + "/missing", dir}
	for _, path := range want {
		f.look(path)
	}
	if !slices.Equal(f.paths, want) {
		t.Errorf("got %v, want %v", f.paths, want)
	}
}

// TestLongestFile checks the bound on both sides.
func TestLongestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	for size, fits := range map[int]bool{maxFileSize: true, maxFileSize + 1: false} {
		put(t, path, strings.Repeat("x", size))
		if content, _, err := readFile(path); (err == nil) != fits || fits && len(content) != size {
			t.Errorf("%d bytes: %d are read, error %v", size, len(content), err)
		}
	}
}
