package socket

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	root = "/"
	// maxLinks is how many symbolic links a path may have, as for the kernel (path_resolution(7)).
	maxLinks = 40
	// maxTarget is more than a path can have, in bytes (limits.h, PATH_MAX).
	maxTarget = 4096
	// passable is the mode of directories that are made on the way to one which others shall reach.
	passable = 0o711
)

// way is a walk from the root to the directory of a socket, one name at a time.
type way struct {
	here  *directory
	ahead []string
	links int
	// parents is the mode of directories that are made before the last.
	parents uint32
	// barred is the first directory on the way that nobody but its owner can pass.
	barred string
}

// reach opens the directory of a socket, and makes what is missing on the way. All of it must be of root and us, and no
// symbolic link counts but those which root alone could have made. The warning is empty unless those who are allowed in
// cannot get there.
func reach(path string, allow Allow) (last *directory, warning string, err error) {
	w := &way{ahead: names(path), parents: directoryMode}
	if !allow.nobody() {
		w.parents = passable
	}
	if w.here, err = openDirectory(unix.AT_FDCWD, root, root, searchOnly); err != nil {
		return nil, "", err
	}
	defer func() { w.here.close() }()
	for len(w.ahead) > 0 {
		if err := w.step(); err != nil {
			return nil, "", err
		}
	}
	if err := w.here.own(); err != nil {
		return nil, "", err
	}
	if !allow.nobody() && w.barred != "" {
		warning = fmt.Sprintf("nobody but its owner can pass the directory %s: whom serve.unix_allow names cannot reach the socket; "+
			"let them pass it, or choose another path with --unix", w.barred)
	}
	last, err = openDirectory(w.here.fd, ".", w.here.path, unix.O_RDONLY)
	return last, warning, err
}

func names(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == filepath.Separator })
}

// step goes to the next name, if nobody else could have changed where that leads.
func (w *way) step() error {
	if err := w.here.trusted(); err != nil {
		return err
	}
	if w.barred == "" && w.here.stat.Mode&othersPass == 0 {
		w.barred = w.here.path
	}
	name := w.ahead[0]
	w.ahead = w.ahead[1:]
	path := filepath.Join(w.here.path, name)
	next, err := openDirectory(w.here.fd, name, path, searchOnly)
	if errors.Is(err, unix.ENOENT) {
		next, err = w.make(name, path)
	}
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return w.follow(name, path)
	}
	if err != nil {
		return err
	}
	w.move(next)
	return nil
}

func (w *way) move(next *directory) {
	w.here.close()
	w.here = next
}

// make makes a directory and opens it, whoever was faster. It changes the mode once more, since the umask may have taken
// from it what its owner needs.
func (w *way) make(name, path string) (*directory, error) {
	mode := w.parents
	if len(w.ahead) == 0 {
		mode = directoryMode
	}
	err := unix.Mkdirat(w.here.fd, name, mode)
	if err == nil {
		err = unix.Fchmodat(w.here.fd, name, mode, 0)
	}
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return nil, pathError("mkdir", path, err)
	}
	return openDirectory(w.here.fd, name, path, searchOnly)
}

// follow puts the target of a symbolic link ahead. What was checked of the link cannot change before it is read, as it
// lies where only root can write.
func (w *way) follow(name, path string) error {
	var stat unix.Stat_t
	if err := unix.Fstatat(w.here.fd, name, &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return pathError("stat", path, err)
	}
	switch {
	case stat.Mode&unix.S_IFMT != unix.S_IFLNK:
		return fmt.Errorf("%s is no directory; choose another path with --unix", path)
	case len(w.ahead) == 0:
		return fmt.Errorf("the directory %s is a symbolic link; name the one that it leads to with --unix", path)
	case stat.Uid != 0 || !w.here.rootsAlone():
		return fmt.Errorf("%s on the way there is a symbolic link that others than root can change; name where it leads with --unix", path)
	case w.links == maxLinks:
		return pathError("open", path, unix.ELOOP)
	}
	w.links++
	target := make([]byte, maxTarget)
	n, err := unix.Readlinkat(w.here.fd, name, target)
	if err != nil {
		return pathError("readlink", path, err)
	}
	return w.turn(string(target[:n]))
}

// turn goes on along the target of a link.
func (w *way) turn(target string) error {
	w.ahead = append(names(target), w.ahead...)
	if !filepath.IsAbs(target) {
		return nil
	}
	start, err := openDirectory(unix.AT_FDCWD, root, root, searchOnly)
	if err != nil {
		return err
	}
	w.move(start)
	return nil
}
