package client

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// setting is a file that a client may be told of: what it is called, and the flag and the variable that name it.
type setting struct{ kind, flag, env string }

var (
	tokenFile = setting{"token file", "--token-file", TokenFileEnv}
	caFile    = setting{"CA file", "--ca-file", CAFileEnv}
	certFile  = setting{"certificate file", "--cert-file", CertFileEnv}
	keyFile   = setting{"key file", "--key-file", KeyFileEnv}
)

// file is one that a client was told of. A path that is empty is none.
type file struct {
	setting

	path string
	// given is set where the caller named the file, and not the environment.
	given bool
}

// at is the file at the path that was given, or where that is blank, at the one that the environment names.
func (s setting) at(given string, lookupEnv func(string) (string, bool)) file {
	if !isBlank(given) {
		return file{s, given, true}
	}
	return file{s, said(lookupEnv, s.env), false}
}

// isSet reports whether there is such a file.
func (f file) isSet() bool { return f.path != "" }

// String is what errors call the file, with who named it.
func (f file) String() string {
	if f.given {
		return fmt.Sprintf("the given %s %q", f.kind, f.path)
	}
	return fmt.Sprintf("the %s %q of env %s", f.kind, f.path, f.env)
}

// read is what stands in the file, at most so many bytes.
func (f file) read(limit int64) ([]byte, error) {
	// A pipe that nobody writes to would hold whoever opens it for ever.
	if info, err := os.Stat(f.path); err == nil && !info.Mode().IsRegular() {
		return nil, f.wrong("is no regular file", nil)
	}
	text, err := readUpTo(f.path, limit+1)
	switch {
	case err != nil:
		return nil, f.wrong("cannot be read: "+withoutPath(err), err)
	case int64(len(text)) > limit:
		return nil, f.wrong(fmt.Sprintf("has more than %d bytes", limit), nil)
	}
	return text, nil
}

func readUpTo(path string, limit int64) ([]byte, error) {
	opened, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	// Nothing was written that closing could lose.
	defer func() { _ = opened.Close() }()
	return io.ReadAll(io.LimitReader(opened, limit))
}

// withoutPath is what went wrong, for a message that names the path already.
func withoutPath(err error) string {
	if failure, found := errors.AsType[*fs.PathError](err); found {
		return failure.Err.Error()
	}
	return err.Error()
}

// wrong is the error of a file that cannot be used.
func (f file) wrong(problem string, cause error) error {
	advice := "put that right"
	if errors.Is(cause, fs.ErrNotExist) {
		advice = "start what makes it"
	}
	return misconfigured(f.String()+" "+problem, fmt.Sprintf("%s, or name another with %s or %s", advice, f.flag, f.env), cause)
}
