package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// fileNames are looked for in each directory. Two of them in one are refused, since nobody could tell which counts.
var fileNames = []string{"dialpoint.yaml", "dialpoint.yml", "dialpoint.toml", "dialpoint.json"}

// locate is the path of the configuration file, and who named it where somebody did. Both are empty when there is none.
// A file that is named must exist; one that is searched need not.
func (s Sources) locate() (path, source string, err error) {
	if path := strings.TrimSpace(s.Path); path != "" {
		return path, "flag --config", nil
	}
	if path := s.env("DIALPOINT_CONFIG"); path != "" {
		return path, "env DIALPOINT_CONFIG", nil
	}
	for _, dir := range s.SearchDirs {
		if path, err = search(dir); path != "" || err != nil {
			return path, "", err
		}
	}
	return "", "", nil
}

// search is the one configuration file in a directory, or empty. A symlink counts even if it leads nowhere: somebody
// means it to be the configuration, so that to pass it over would start with another one.
func search(dir string) (string, error) {
	var found []string
	for _, name := range fileNames {
		path := filepath.Join(dir, name)
		_, err := os.Lstat(path)
		switch {
		case err == nil:
			found = append(found, path)
		case !isMissing(err):
			return "", fmt.Errorf("no configuration file can be looked for: %w: make the directory readable, or name the file with --config", err)
		}
	}
	switch len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("there are several configuration files, %s: keep one of them, or name it with --config",
		strings.Join(found, " and "))
}

// candidates are the files that a search looks for, in all its directories.
func (s Sources) candidates() []string {
	var paths []string
	for _, dir := range s.SearchDirs {
		for _, name := range fileNames {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}

// isMissing reports whether nothing is there: the path, or a directory on the way.
func isMissing(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
