package access_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"dialpoint/server/access"
	"dialpoint/server/rules"
)

func TestTokensAreMadeOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	child, operator, err := access.EnsureTokens(dir)
	must(t, err)
	if child == operator {
		t.Error("both roles have one token")
	}
	for name, token := range map[string]rules.Secret{access.ChildTokenFile: child, access.OperatorTokenFile: operator} {
		info, err := os.Lstat(filepath.Join(dir, name))
		must(t, err)
		text, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		random, err := hex.DecodeString(token.Reveal())
		if info.Mode() != 0o600 || string(text) != token.Reveal()+"\n" || err != nil || len(random) != 32 {
			t.Errorf("%s has mode %v, %d bytes, %v", name, info.Mode(), len(random), err)
		}
	}
	wantFiles(t, dir, access.ChildTokenFile, access.OperatorTokenFile)

	childAgain, operatorAgain, err := access.EnsureTokens(dir)
	must(t, err)
	if childAgain != child || operatorAgain != operator {
		t.Error("another start makes other tokens")
	}
	must(t, os.Remove(filepath.Join(dir, access.ChildTokenFile)))
	childAgain, operatorAgain, err = access.EnsureTokens(dir)
	must(t, err)
	if childAgain == child || operatorAgain != operator {
		t.Error("what was removed is the same, or what was not is another")
	}
}

func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the directory holds %v, want %v", got, want)
	}
}

func TestTokensThatAreThere(t *testing.T) {
	t.Parallel()
	const token = "made-by-an-operator"
	tests := map[string]struct {
		text string
		mode fs.FileMode
	}{
		"as made":       {token + "\n", 0o600},
		"no line break": {token, 0o600},
		"white space":   {"\t" + token + "\r\n\n", 0o600},
		"read-only":     {token + "\n", 0o400},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, access.ChildTokenFile), []byte(test.text), test.mode))
			child, _, err := access.EnsureTokens(dir)
			if err != nil || child.Reveal() != token {
				t.Errorf("got %q, %v", child.Reveal(), err)
			}
		})
	}
}

func TestTokenFilesRefused(t *testing.T) {
	t.Parallel()
	const token = "hunter2-0123456789"
	write := func(text string, mode fs.FileMode) func(string) error {
		return func(path string) error {
			return errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode))
		}
	}
	tests := map[string]struct {
		put  func(path string) error
		want string
	}{
		"empty":               {write("", 0o600), "a token must be 16 to 4096 characters long"},
		"blank":               {write("\n", 0o600), "a token must be 16 to 4096 characters long"},
		"short":               {write("hunter2-0123456\n", 0o600), "a token must be 16 to 4096 characters long"},
		"long":                {write(strings.Repeat("x", 4097), 0o600), "a token must be 16 to 4096 characters long"},
		"far too long":        {write(strings.Repeat("x", 1<<20), 0o600), "it is larger than 4352 bytes"},
		"much behind it":      {write(token+strings.Repeat("\n", 5000)+"x", 0o600), "it is larger than 4352 bytes"},
		"white space inside":  {write(token+" "+token, 0o600), "a token may hold only the characters"},
		"two lines":           {write(token+"\n"+token, 0o600), "a token may hold only the characters"},
		"control character":   {write(token+"\x00", 0o600), "a token may hold only the characters"},
		"not ASCII":           {write(token+"é", 0o600), "a token may hold only the characters"},
		"group may read":      {write(token, 0o640), "its mode is 0640"},
		"others may read":     {write(token, 0o604), "its mode is 0604"},
		"group may write":     {write(token, 0o620), "its mode is 0620"},
		"others may execute":  {write(token, 0o601), "its mode is 0601"},
		"symbolic link":       {linkTo(write(token, 0o600)), "it is a symbolic link"},
		"link to nothing":     {func(path string) error { return os.Symlink("nowhere", path) }, "it is a symbolic link"},
		"directory":           {func(path string) error { return os.Mkdir(path, 0o700) }, "it is no regular file"},
		"FIFO without writer": {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "it is no regular file"},
		"socket":              {bind, ": openat "},
		"another user's":      {giveAway(write(token, 0o600)), "it belongs to user 65533"},
	}
	for name, test := range tests {
		for _, file := range []string{access.ChildTokenFile, access.OperatorTokenFile} {
			t.Run(name+" "+file, func(t *testing.T) {
				t.Parallel()
				dir, err := os.MkdirTemp("", "access") //nolint:usetesting // The path of a socket may not be long.
				must(t, err)
				t.Cleanup(func() { _ = os.RemoveAll(dir) })
				path := filepath.Join(dir, file)
				if err := test.put(path); errors.Is(err, fs.ErrPermission) {
					t.Skipf("it takes root: %v", err)
				} else if err != nil {
					t.Fatal(err)
				}
				child, operator, err := access.EnsureTokens(dir)
				if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), test.want) ||
					!strings.Contains(err.Error(), "remove it") || strings.Contains(err.Error(), "hunter2") {
					t.Errorf("error %v, want %q", err, test.want)
				}
				if !child.IsZero() || !operator.IsZero() {
					t.Error("there is a token beside the error")
				}
			})
		}
	}
}

func linkTo(put func(string) error) func(string) error {
	return func(path string) error { return errors.Join(put(path+".real"), os.Symlink(path+".real", path)) }
}

func giveAway(put func(string) error) func(string) error {
	return func(path string) error { return errors.Join(put(path), os.Chown(path, 65533, -1)) }
}

// bind leaves a socket file behind.
func bind(path string) error {
	socket, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return err
	}
	socket.SetUnlinkOnClose(false)
	return socket.Close()
}

func TestTokenDirectory(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing")
	if _, _, err := access.EnsureTokens(missing); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("a missing directory: %v", err)
	}
	for name, test := range map[string]struct {
		spoil func(t *testing.T, directory string) string
		says  string
	}{
		"others may write": {func(t *testing.T, directory string) string {
			t.Helper()
			must(t, os.Chmod(directory, 0o777))
			return directory
		}, "others may write to it (mode 0777)"},
		"a link": {func(t *testing.T, directory string) string {
			t.Helper()
			must(t, os.Symlink(directory, directory+".link"))
			return directory + ".link"
		}, "it is a symbolic link"},
		"another user's": {func(t *testing.T, directory string) string {
			t.Helper()
			if err := os.Chown(directory, 65533, -1); err != nil {
				t.Skipf("only root can give a directory away: %v", err)
			}
			return directory
		}, "it belongs to user 65533"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := test.spoil(t, t.TempDir())
			if _, _, err := access.EnsureTokens(directory); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %v, want %q", err, test.says)
			}
			if left, err := os.ReadDir(directory); err != nil || len(left) > 0 {
				t.Errorf("left there: %v, %v", left, err)
			}
		})
	}
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	closed := t.TempDir()
	must(t, os.Chmod(closed, 0o500))
	if _, _, err := access.EnsureTokens(closed); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a directory that is closed: %v", err)
	}
}

// Services that start at once agree, and whoever looks meanwhile sees a whole token or none.
func TestTokensAreMadeByOne(t *testing.T) {
	t.Parallel()
	for range 5 {
		dir := t.TempDir()
		path := filepath.Join(dir, access.ChildTokenFile)
		answers := make([]string, 12)
		var group sync.WaitGroup
		for i := range answers {
			group.Go(func() {
				if i < 3 {
					answer, err := process(t, "-access.tokens", dir).Output()
					if err != nil {
						t.Error(err)
					}
					answers[i] = strings.TrimSpace(string(answer))
					return
				}
				child, operator, err := access.EnsureTokens(dir)
				if err != nil {
					t.Error(err)
				}
				answers[i] = child.Reveal() + " " + operator.Reveal()
			})
		}
		group.Go(func() { watchFile(t, path) })
		group.Wait()
		for _, answer := range answers {
			if answer != answers[0] || len(answer) != 2*64+1 {
				t.Errorf("one has %q, another %q", answers[0], answer)
			}
		}
		wantFiles(t, dir, access.ChildTokenFile, access.OperatorTokenFile)
	}
}

// watchFile reads a file from before it is there until it is.
func watchFile(t *testing.T, path string) {
	t.Helper()
	for t.Context().Err() == nil {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || len(text) != 65 || !bytes.HasSuffix(text, []byte("\n")) {
			t.Errorf("the file holds %d bytes, %v", len(text), err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
			t.Errorf("the file has %v, %v", info.Mode(), err)
		}
		return
	}
}
