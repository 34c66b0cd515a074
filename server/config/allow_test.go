package config_test

import (
	"fmt"
	"os/user"
	"testing"

	"dialpoint/server/config"
)

// root is the name of the user and of the group with id 0, which every machine has that can name any.
func root(t *testing.T) (userName, groupName string) {
	t.Helper()
	one, err := user.LookupId("0")
	if err != nil {
		t.Skipf("no user can be looked up here: %v", err)
	}
	group, err := user.LookupGroupId("0")
	if err != nil {
		t.Skipf("no group can be looked up here: %v", err)
	}
	return one.Username, group.Name
}

func TestUnixAllow(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		said          string
		users, groups []uint32
	}{
		"not said":     {"", nil, nil},
		"nobody":       {"[]", nil, nil},
		"user":         {"['user:1000']", []uint32{1000}, nil},
		"group":        {"['group:1000']", nil, []uint32{1000}},
		"in order":     {"['user:3', 'group:9', 'user:1', 'group:8']", []uint32{3, 1}, []uint32{9, 8}},
		"each once":    {"['user:3', 'user:03', 'group:3', 'user:3']", []uint32{3}, []uint32{3}},
		"lowest":       {"['user:0']", []uint32{0}, nil},
		"highest":      {"['user:4294967294']", []uint32{4294967294}, nil},
		"space around": {"[' user:7 ']", []uint32{7}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loaded := loadYAML(t, "serve: {unix_allow: "+test.said+"}\nlisteners: [{auth: {mode: none}}]")
			wantAllowed(t, loaded, test.users, test.groups)
			wantList(t, "warnings", loaded.Warnings, nil)
		})
	}
}

func wantAllowed(t *testing.T, loaded *config.Config, users, groups []uint32) {
	t.Helper()
	wantText(t, fmt.Sprint(loaded.Serve.UnixAllow), fmt.Sprint(config.UnixAllow{Users: users, Groups: groups}))
}

// TestUnixAllowByName looks names up, and takes a name and its id for the same.
func TestUnixAllowByName(t *testing.T) {
	t.Parallel()
	userName, groupName := root(t)
	loaded := loadYAML(t, fmt.Sprintf("serve: {unix_allow: ['user:%s', 'user:0', 'group:%s', 'group:0']}", userName, groupName))
	wantAllowed(t, loaded, []uint32{0}, []uint32{0})
	shown, _ := setting(t, loaded, "serve.unix_allow")
	wantText(t, shown, fmt.Sprintf("user:%s, user:0, group:%s, group:0", userName, groupName))
}

func TestBadUnixAllow(t *testing.T) {
	t.Parallel()
	const (
		form  = ": must be user:NAME, user:ID, group:NAME or group:ID"
		space = ": must name a user or a group without white space in it"
		id    = ": must have an id from 0 to 4294967294"
	)
	tests := map[string]struct{ said, want string }{
		"empty":             {"", `""` + form},
		"name alone":        {"hermes", `"hermes"` + form},
		"id alone":          {"1000", `"1000"` + form},
		"no name":           {"user:", `"user:"` + form},
		"no kind":           {":1000", `":1000"` + form},
		"another kind":      {"uid:1000", `"uid:1000"` + form},
		"capitals":          {"User:1000", `"User:1000"` + form},
		"kind with a space": {"user :1000", `"user :1000"` + form},
		"space before":      {"user: 1000", `"user: 1000"` + space},
		"two names":         {"user:a b", `"user:a b"` + space},
		"zero byte":         {"user:root\x00x", `"user:root\x00x"` + space},
		"line break":        {"user:root\nx", `"user:root\nx"` + space},
		"no id":             {"user:4294967295", `"user:4294967295"` + id},
		"too large":         {"group:4294967296", `"group:4294967296"` + id},
		"too large by far":  {"group:99999999999999999999", `"group:99999999999999999999"` + id},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content := document{"serve": document{"unix_allow": []any{"user:0", test.said}}}
			encoded, err := formats["dialpoint.json"](content)
			must(t, err)
			wantText(t, loadError(t, fileSources(t, "a.json", string(encoded))), "file FILE: serve.unix_allow[1]: "+test.want)
		})
	}
}

// TestUnixAllowUnknown checks names that nobody has, those that look like numbers included.
func TestUnixAllowUnknown(t *testing.T) {
	t.Parallel()
	root(t)
	for _, name := range []string{"nobody-has-this-name", "-1", "+1", "0x0", "1.0", "1e3", "user:0", "１"} {
		wantText(t, loadErrorYAML(t, fmt.Sprintf("serve: {unix_allow: ['user:%s', 'group:%s']}", name, name)), fmt.Sprintf(
			"file FILE: serve.unix_allow[0]: \"user:%s\": there is no such user here: make one, or name another\n"+
				"file FILE: serve.unix_allow[1]: \"group:%s\": there is no such group here: make one, or name another", name, name))
	}
}

func TestUnixAllowWithoutSocket(t *testing.T) {
	t.Parallel()
	loaded := loadYAML(t, "serve: {unix: none, unix_allow: ['group:7']}\nlisteners: [{auth: {mode: none}}]")
	wantList(t, "warnings", loaded.Warnings, []string{"serve.unix_allow has no effect, since serve.unix is none"})
}
