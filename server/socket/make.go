package socket

import "path/filepath"

// MakeDirectory makes a directory for its owner alone, or checks that it is one, as [ListenUnix] does for that of a
// socket. The path is absolute.
func MakeDirectory(path string) error {
	directory, _, err := reach(filepath.Clean(path), Allow{})
	if err != nil {
		return err
	}
	defer directory.close()
	return directory.claim(false)
}
