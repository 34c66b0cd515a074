package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
)

// change gives a file new content.
type change func(t *testing.T, content string)

// ways are how files change in practice. Each prepares a directory, and gives the path to follow and what changes it.
var ways = map[string]func(t *testing.T, dir string) (path string, change change){
	"written in place":            writeInPlace,
	"renamed over":                renameOver,
	"backed up and renamed":       backUp,
	"removed and made anew":       removeAndWrite,
	"a ConfigMap":                 changeConfigMap,
	"a target elsewhere":          changeTarget,
	"a symlink to another file":   changeLink,
	"a symlinked directory":       changeLinkedDirectory,
	"a directory made anew":       remakeDirectory,
	"a directory above made anew": remakeDirectoryAbove,
	"a directory moved in":        moveDirectory,
}

// writeInPlace truncates and writes, as a shell does.
func writeInPlace(t *testing.T, dir string) (string, change) {
	t.Helper()
	path := filepath.Join(dir, "a.yaml")
	return path, func(t *testing.T, content string) {
		t.Helper()
		put(t, path, content)
	}
}

// renameOver is what careful programs do.
func renameOver(t *testing.T, dir string) (string, change) {
	t.Helper()
	path := filepath.Join(dir, "a.yaml")
	return path, swapper(path)
}

// backUp is what editors do: the old file gets another name, and a new one is written.
func backUp(t *testing.T, dir string) (string, change) {
	t.Helper()
	path := filepath.Join(dir, "a.yaml")
	return path, func(t *testing.T, content string) {
		t.Helper()
		must(t, ignoreMissing(os.Rename(path, path+"~")))
		put(t, path, content)
	}
}

// removeAndWrite leaves a time without a file.
func removeAndWrite(t *testing.T, dir string) (string, change) {
	t.Helper()
	path := filepath.Join(dir, "a.yaml")
	return path, func(t *testing.T, content string) {
		t.Helper()
		must(t, ignoreMissing(os.Remove(path)))
		put(t, path, content)
	}
}

// changeConfigMap is what Kubernetes does.
func changeConfigMap(t *testing.T, dir string) (string, change) {
	t.Helper()
	path := filepath.Join(dir, "a.yaml")
	must(t, os.Symlink("..data/a.yaml", path))
	return path, func(t *testing.T, content string) {
		t.Helper()
		swapConfigMap(t, dir, "a.yaml", content)
	}
}

// changeTarget changes what a symlink points to, in a directory that the path does not name.
func changeTarget(t *testing.T, dir string) (string, change) {
	t.Helper()
	path, target := filepath.Join(dir, "a.yaml"), filepath.Join(t.TempDir(), "b.yaml")
	must(t, os.Symlink(target, path))
	return path, func(t *testing.T, content string) {
		t.Helper()
		swap(t, target, content)
	}
}

// changeLink lets a symlink point to another file.
func changeLink(t *testing.T, dir string) (string, change) {
	t.Helper()
	link := filepath.Join(dir, "a.yaml")
	return link, func(t *testing.T, content string) {
		t.Helper()
		target := filepath.Join(dir, fmt.Sprintf("%d.yaml", versions.Add(1)))
		put(t, target, content)
		relink(t, target, link)
	}
}

// changeLinkedDirectory is what deployments do that keep each release.
func changeLinkedDirectory(t *testing.T, dir string) (string, change) {
	t.Helper()
	link := filepath.Join(dir, "current")
	return filepath.Join(link, "a.yaml"), func(t *testing.T, content string) {
		t.Helper()
		release := filepath.Join(dir, fmt.Sprintf("release-%d", versions.Add(1)))
		must(t, os.Mkdir(release, 0o700))
		put(t, filepath.Join(release, "a.yaml"), content)
		relink(t, release, link)
	}
}

// remakeDirectory ends every watch on the directory.
func remakeDirectory(t *testing.T, dir string) (string, change) {
	t.Helper()
	sub := filepath.Join(dir, "sub")
	return filepath.Join(sub, "a.yaml"), func(t *testing.T, content string) {
		t.Helper()
		must(t, os.RemoveAll(sub))
		must(t, os.Mkdir(sub, 0o700))
		put(t, filepath.Join(sub, "a.yaml"), content)
	}
}

// remakeDirectoryAbove does so further up.
func remakeDirectoryAbove(t *testing.T, dir string) (string, change) {
	t.Helper()
	above := filepath.Join(dir, "x")
	return filepath.Join(above, "y/z/a.yaml"), func(t *testing.T, content string) {
		t.Helper()
		must(t, os.RemoveAll(above))
		must(t, os.MkdirAll(filepath.Join(above, "y/z"), 0o700))
		put(t, filepath.Join(above, "y/z/a.yaml"), content)
	}
}

// moveDirectory puts another directory in the place of one that lives on elsewhere.
func moveDirectory(t *testing.T, dir string) (string, change) {
	t.Helper()
	sub := filepath.Join(dir, "sub")
	return filepath.Join(sub, "a.yaml"), func(t *testing.T, content string) {
		t.Helper()
		must(t, os.Mkdir(sub+".new", 0o700))
		put(t, filepath.Join(sub+".new", "a.yaml"), content)
		must(t, ignoreMissing(os.Rename(sub, filepath.Join(t.TempDir(), "old"))))
		must(t, os.Rename(sub+".new", sub))
	}
}

// swap makes a file whole beside its place, and renames it there.
func swap(t *testing.T, path, content string) {
	t.Helper()
	put(t, path+".new", content)
	must(t, os.Rename(path+".new", path))
}

func swapper(path string) change {
	return func(t *testing.T, content string) {
		t.Helper()
		swap(t, path, content)
	}
}

func relink(t *testing.T, target, link string) {
	t.Helper()
	must(t, os.Symlink(target, link+".new"))
	must(t, os.Rename(link+".new", link))
}

// versions tells apart the directories of [swapConfigMap].
var versions atomic.Int64

// swapConfigMap changes a directory as the kubelet does: a new directory, and a symlink to it that is renamed over the
// old one, which is then removed.
func swapConfigMap(t *testing.T, dir, name, content string) {
	t.Helper()
	before, _ := os.Readlink(filepath.Join(dir, "..data"))
	version := filepath.Join(dir, fmt.Sprintf("..version-%d", versions.Add(1)))
	must(t, os.Mkdir(version, 0o700))
	put(t, filepath.Join(version, name), content)
	relink(t, filepath.Base(version), filepath.Join(dir, "..data"))
	if before != "" {
		must(t, os.RemoveAll(filepath.Join(dir, before)))
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	must(t, writeOver(path, content))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func ignoreMissing(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return err
}
