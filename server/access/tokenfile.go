package access

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"dialpoint/server/rules"
)

// The names of the files that [EnsureTokens] keeps.
const (
	ChildTokenFile    = "child.token"
	OperatorTokenFile = "operator.token"
)

const (
	// tokenEntropy is how many random bytes a token is made of.
	tokenEntropy = 32
	// maxTokenFile bounds a token file, in bytes: the longest token, and some white space around it.
	maxTokenFile  = 4096 + 256
	tokenFileMode = 0o600
	// othersAccess is any permission of group and others, and othersWrite theirs to put files into a directory.
	othersAccess = 0o077
	othersWrite  = 0o022
)

// EnsureTokens reads the tokens in a directory, and makes those that are missing: 32 random bytes in hexadecimal, in a
// file of mode 0600. Processes that do so at the same time agree on one. The directory must be there, belong to this
// process's user, and be writable for nobody else. A file is refused if it is a symbolic link or no regular file, belongs to
// another user than this process's or root, can be accessed by others, or does not hold a token alone (see
// [rules.ParseToken]). The error names the file and never shows what is in it.
func EnsureTokens(dir string) (child, operator rules.Secret, err error) {
	place, err := openDirectory(dir)
	if err != nil {
		return rules.Secret{}, rules.Secret{}, fmt.Errorf("the directory of the tokens, %s: %w", dir, err)
	}
	defer func() { _ = place.Close() }()
	if child, err = ensureToken(place, ChildTokenFile); err != nil {
		return rules.Secret{}, rules.Secret{}, err
	}
	if operator, err = ensureToken(place, OperatorTokenFile); err != nil {
		return rules.Secret{}, rules.Secret{}, err
	}
	return child, operator, nil
}

// openDirectory holds a directory, so that what was checked is what is used.
func openDirectory(dir string) (*os.Root, error) {
	place, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	if err := checkDirectory(place, dir); err != nil {
		return nil, errors.Join(err, place.Close())
	}
	return place, nil
}

func checkDirectory(place *os.Root, dir string) error {
	named, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	held, err := place.Stat(".")
	if err != nil {
		return err
	}
	owner, known := held.Sys().(*syscall.Stat_t)
	switch {
	case !os.SameFile(named, held):
		return errors.New("it is a symbolic link: name where it leads with serve.unix")
	case known && int(owner.Uid) != os.Geteuid():
		return fmt.Errorf("it belongs to user %d, who could put other tokens there: remove it, or choose another with serve.unix", owner.Uid)
	case held.Mode().Perm()&othersWrite != 0:
		return fmt.Errorf("others may write to it (mode %04o): chmod 700 it", held.Mode().Perm())
	}
	return nil
}

func ensureToken(place *os.Root, name string) (rules.Secret, error) {
	path := filepath.Join(place.Name(), name)
	token, err := readToken(place, name)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeToken(place, name); err != nil {
			return rules.Secret{}, fmt.Errorf("token file %s cannot be made: %w", path, err)
		}
		token, err = readToken(place, name)
	}
	if err != nil {
		return rules.Secret{}, fmt.Errorf("token file %s: %w: remove it, and another is made", path, err)
	}
	return token, nil
}

// readToken opens first and looks then, so that what was looked at is what is read.
func readToken(place *os.Root, name string) (rules.Secret, error) {
	if info, err := place.Lstat(name); err == nil && info.Mode().Type() == fs.ModeSymlink {
		return rules.Secret{}, errors.New("it is a symbolic link")
	}
	// A FIFO must not make the service wait for who writes to it.
	file, err := place.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return rules.Secret{}, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return rules.Secret{}, err
	}
	if err := checkTokenFile(info); err != nil {
		return rules.Secret{}, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxTokenFile))
	if err != nil {
		return rules.Secret{}, err
	}
	return rules.ParseToken(string(text))
}

func checkTokenFile(info fs.FileInfo) error {
	owner, is := info.Sys().(*syscall.Stat_t)
	switch mode := info.Mode(); {
	case !mode.IsRegular():
		return errors.New("it is no regular file")
	case is && owner.Uid != 0 && int(owner.Uid) != os.Geteuid():
		return fmt.Errorf("it belongs to user %d, who can read and change it", owner.Uid)
	case mode.Perm()&othersAccess != 0:
		return fmt.Errorf("its mode is %04o, so that others may have read or changed it", mode.Perm())
	case info.Size() > maxTokenFile:
		return fmt.Errorf("it is larger than %d bytes, and a token file holds a token alone", maxTokenFile)
	}
	return nil
}

// makeToken puts a new token in place whole, or not at all if there is one by then.
func makeToken(place *os.Root, name string) error {
	unfinished := "." + name + "." + randomHex()
	file, err := place.OpenFile(unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL, tokenFileMode)
	if err != nil {
		return err
	}
	defer func() { _ = place.Remove(unfinished) }()
	_, err = file.WriteString(randomHex() + "\n")
	// An empty file after a crash would keep the service from starting.
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	// A rename would replace the token of a process that was faster.
	if err = place.Link(unfinished, name); errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func randomHex() string {
	random := make([]byte, tokenEntropy)
	_, _ = rand.Read(random) // It never fails.
	return hex.EncodeToString(random)
}
