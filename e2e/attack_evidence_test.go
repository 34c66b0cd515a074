//go:build e2e

package e2e_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// markerStart is how every marker begins. A part of a secret is too much, too.
const markerStart = "mArKeD"

// secrets are marked texts by what they are, so that a test can name them.
type secrets map[string]string

// in are the names of the secrets that a text shows, in whichever form.
func (s secrets) in(text string) []string {
	var names []string
	for name, secret := range s {
		if slices.ContainsFunc(forms(secret), func(form string) bool { return strings.Contains(text, form) }) {
			names = append(names, name)
		}
	}
	return names
}

// forms are how a secret may stand in a text: as it is, in hexadecimal, or somewhere in what is in base64, as details of
// errors are.
func forms(secret string) []string {
	all := []string{secret, hex.EncodeToString([]byte(secret))}
	for before := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + secret))
		// What is before and behind the secret shares these characters with it.
		begin, end := (before*8+5)/6, len(encoded)
		if (before+len(secret))%3 != 0 {
			end--
		}
		all = append(all, encoded[begin:end], strings.NewReplacer("+", "-", "/", "_").Replace(encoded[begin:end]))
	}
	return all
}

// TestE2EFormsOfSecrets are found in all that they may be wrapped in.
func TestE2EFormsOfSecrets(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"", "a", "ab", "abc", "\xff\xfe"} {
		for _, behind := range []string{"", "a", "ab", "\xff\xfe"} {
			wrapped := []byte(before + childMarker + behind)
			for _, text := range []string{string(wrapped), hex.EncodeToString(wrapped), base64.StdEncoding.EncodeToString(wrapped), base64.RawURLEncoding.EncodeToString(wrapped)} {
				if got := (secrets{"it": childMarker, "another": marker}).in(text); !slices.Equal(got, []string{"it"}) {
					t.Errorf("in %q there is %q, want it alone", text, got)
				}
			}
		}
	}
}

// evidence is everything that was printed, logged or answered, by where. It is safe for concurrent use.
type evidence struct {
	mutex sync.Mutex
	texts map[string]string
}

func newEvidence() *evidence { return &evidence{texts: map[string]string{}} }

// add keeps a text. A place may have several.
func (e *evidence) add(where, text string) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.texts[where] += text + "\n"
}

// shows checks that no text shows a secret, and that there are texts at all.
func (e *evidence) shows(t *testing.T, secrets secrets) {
	t.Helper()
	total := 0
	for where, text := range e.texts {
		total += len(text)
		for line := range strings.Lines(text) {
			if names := secrets.in(line); len(names) > 0 || strings.Contains(line, markerStart) {
				t.Errorf("%s shows %v: %.1000s", where, names, line)
			}
		}
	}
	t.Logf("%d places, %d bytes", len(e.texts), total)
}

// ran keeps what a program wrote.
func (e *evidence) ran(where string, came outcome) outcome {
	e.add(where, fmt.Sprintf("exit %d\n%s", came.code, came.text()))
	return came
}

// files keeps all files below a directory but those below another.
func (e *evidence) files(t *testing.T, root, except string) {
	t.Helper()
	must(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == except:
			return filepath.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		content, err := os.ReadFile(path)
		e.add("file "+path, string(content))
		return err
	}))
}

// arguments keeps the arguments of a process, which every user can list.
func (e *evidence) arguments(t *testing.T, name string, pid int) {
	t.Helper()
	arguments, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	must(t, err)
	if len(arguments) == 0 {
		t.Errorf("%s has no arguments", name)
	}
	e.add("arguments of "+name, string(arguments))
}
