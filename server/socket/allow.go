package socket

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Allow names who may connect to a unix socket beside its owner and root, by user and group ids. The zero value is
// nobody. It opens the file's permissions only: who is served, and what they may do, is for the server to decide.
type Allow struct {
	Users, Groups []uint32
}

// entry is what a file lets its owner do, and what it lets those do whom [Allow] names. Others can do nothing.
type entry struct {
	owner, named uint16
	// all is the mode where the file system knows no lists, so that only everybody can be named.
	all fs.FileMode
}

var (
	passDirectory = entry{owner: 0o7, named: 0o1, all: 0o711}
	useSocket     = entry{owner: 0o6, named: 0o6, all: 0o666}
)

func (a Allow) nobody() bool { return len(a.Users)+len(a.Groups) == 0 }

// open lets those who are named connect to the socket of a directory, the directory last. The warning is empty unless it
// had to let in everybody.
func (a Allow) open(directory, socket string) (warning string, err error) {
	if a.nobody() {
		return "", nil
	}
	exact := true
	for _, file := range []struct {
		path  string
		entry entry
	}{{socket, useSocket}, {directory, passDirectory}} {
		err := setACL(file.path, file.entry, a)
		if errors.Is(err, errors.ErrUnsupported) {
			exact = false
			err = os.Chmod(file.path, file.entry.all)
		}
		if err != nil {
			return "", fmt.Errorf("open %s to serve.unix_allow: %w", file.path, err)
		}
	}
	if exact {
		return "", nil
	}
	return fmt.Sprintf("there are no access control lists in %s, so every local user may connect to the socket: "+
		"only the service itself refuses those whom serve.unix_allow does not name", directory), nil
}
