package config

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// maxFileSize bounds what is read of a file, in bytes: a wrong path must not fill the memory.
const maxFileSize = 1 << 20

// byteOrderMark is what some editors write before UTF-8. No decoder of all three formats takes it.
var byteOrderMark = []byte("\ufeff")

// files reads files, and remembers which and what it saw, so that a change can be told.
type files struct {
	// paths are all that were tried, those that could not be read included: they may be written later.
	paths []string
	// seen is a line for each. It holds hashes and no content.
	seen strings.Builder
}

// read is the content of a regular file, without a byte order mark, and its permissions.
func (f *files) read(path string) (content []byte, mode fs.FileMode, err error) {
	content, mode, err = readFile(path)
	f.paths = append(f.paths, path)
	fmt.Fprintf(&f.seen, "%q %o %x %v\n", path, mode, sha256.Sum256(content), err)
	return content, mode, err
}

// await remembers files that were looked for and may be written later.
func (f *files) await(paths []string) { f.paths = append(f.paths, paths...) }

// readFile looks before it opens: to open a pipe would wait for somebody to write.
func readFile(path string) ([]byte, fs.FileMode, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, cannotRead(err)
	}
	switch {
	case info.IsDir():
		return nil, 0, errors.New("it is a directory: name a file")
	case !info.Mode().IsRegular():
		return nil, 0, errors.New("it is no regular file, so it cannot be read again when it changes")
	case info.Size() > maxFileSize:
		return nil, 0, fmt.Errorf("it is longer than %d bytes", maxFileSize)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, cannotRead(err)
	}
	return bytes.TrimPrefix(content, byteOrderMark), info.Mode().Perm(), nil
}

// cannotRead is the error without the path, which the message around it names.
func cannotRead(err error) error {
	if detail, is := errors.AsType[*fs.PathError](err); is {
		err = detail.Err
	}
	return fmt.Errorf("it cannot be read: %w", err)
}
