package client

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"connectrpc.com/connect"
)

// othersWrite is the permission of group and others to put files into a directory.
const othersWrite = 0o022

// checkDirectory refuses the directory of the default socket where somebody else may have put a socket of his own, and
// would hand out whatever URLs he likes. A shared directory such as /tmp lets anyone come first. One that is not there, or
// cannot be looked at, is left to the dialler.
func checkDirectory(socket string) error {
	path := filepath.Dir(socket)
	// Whoever made a symbolic link can point it elsewhere as soon as it has been checked.
	info, err := os.Lstat(path)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	owner, isKnown := ownerOf(info)
	switch {
	case !isKnown:
		return nil
	case !info.IsDir():
		return distrusted(path, "is no directory but a "+kindOf(info))
	case owner != 0 && owner != os.Geteuid():
		return distrusted(path, fmt.Sprintf("belongs to user %d", owner))
	case info.Mode().Perm()&othersWrite != 0:
		return distrusted(path, fmt.Sprintf("can be written to by others (mode %04o)", info.Mode().Perm()))
	}
	return nil
}

func kindOf(info fs.FileInfo) string {
	if info.Mode().Type() == fs.ModeSymlink {
		return "symbolic link"
	}
	return "file"
}

// distrusted is the obstacle that a directory is. Who knows better names the socket.
func distrusted(path, problem string) error {
	return &obstacle{
		code:    connect.CodePermissionDenied,
		problem: fmt.Sprintf("the directory %s of the default socket %s, so that the service in it may be anybody's", path, problem),
		advice:  "remove it, or if that is the service you mean, say so with --addr or " + AddressEnv,
	}
}
