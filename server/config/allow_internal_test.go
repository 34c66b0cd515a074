package config

import (
	"errors"
	"os/user"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// TestCannotLookUp checks that a name nobody has is told from one that could not be looked for.
func TestCannotLookUp(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		err  error
		want string
	}{
		"no user":  {user.UnknownUserError("x"), "there is no such user here: make one, or name another"},
		"no group": {user.UnknownGroupError("x"), "there is no such user here: make one, or name another"},
		"trouble":  {errors.New("no network"), "the user cannot be looked up: no network"},
	}
	for name, test := range tests {
		if got := cannotLookUp("user", test.err).Error(); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

func FuzzAccount(f *testing.F) {
	for _, text := range []string{
		"user:root", "group:0", " user:007\n", "user:4294967294", "user:4294967295", "group:99999999999", "user:-1", "user:", ":", "uid:1",
		"user:a b", "user:root\x00", "user:user:0", "User:1", "user:１", "user:\u0085", "user:\xff",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		who, err := parseAccount(text)
		if err != nil {
			if who != (account{}) || err.Error() == "" {
				t.Errorf("%q: got %v beside error %q", text, who, err)
			}
			return
		}
		kind := map[bool]string{true: "group:", false: "user:"}[who.isGroup]
		if strings.TrimSpace(text) != kind+who.name || who.name == "" || strings.ContainsFunc(who.name, unicode.IsSpace) || strings.Contains(who.name, "\x00") {
			t.Errorf("%q is %+v", text, who)
		}
		checkID(t, who)
	})
}

// checkID checks a name that is an id, which needs nobody to look it up.
func checkID(t *testing.T, who account) {
	t.Helper()
	if strings.ContainsFunc(who.name, func(r rune) bool { return r < '0' || r > '9' }) {
		return
	}
	want, problem := strconv.ParseUint(who.name, 10, 64)
	isGood := problem == nil && want < 1<<32-1
	if id, err := who.number(); (err == nil) != isGood || isGood && uint64(id) != want {
		t.Errorf("%q is id %d, error %v", who.name, id, err)
	}
}
