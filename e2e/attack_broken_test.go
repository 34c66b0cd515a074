//go:build e2e

package e2e_test

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// broken are configurations of operators who have put a secret in a wrong place, or written it so that YAML reads
// something else. In the place of a key's name it would show, since that is what the error is about.
var broken = map[string]string{
	"no mapping":        marker,
	"a list":            "- " + marker,
	"unknown key":       "credential: " + marker,
	"in serve":          "serve: {child_token: " + childMarker + ", operator_token: " + operatorMarker + "}",
	"key of TLS":        "serve: {tls: {key: " + marker + "}}",
	"in a listener":     "listeners: [{name: default, token: " + marker + "}]",
	"auth":              "listeners: [{name: default, auth: " + marker + "}]",
	"in auth":           "listeners: [{name: default, auth: {credential: " + marker + "}}]",
	"in auth, a list":   "listeners: [{name: default, auth: {credential_file: [" + marker + "]}}]",
	"in auth, deeper":   "listeners: [{name: default, auth: {credential_file: {text: " + marker + "}}}]",
	"no YAML":           "listeners: [{name: default, auth: {credential: " + marker,
	"no YAML, a line":   "log: {level: info}\n" + marker + "\nlisteners: []",
	"no YAML, a tab":    "log:\n\tlevel: " + marker,
	"no YAML, twice":    "log: {level: info}\nlog: {format: " + marker + "}",
	"no YAML, a tag":    "log: !" + marker + " x",
	"no YAML, an alias": "log: *" + marker,
	"user info":         "listeners: [{name: default, override: 'ws://user:" + marker + "@127.0.0.1:1'}]",
	"query":             "listeners: [{name: default, override: 'ws://127.0.0.1:1/?token=" + marker + "'}]",
	"fragment":          "listeners: [{name: default, advertise: 'wss://edge.example#" + marker + "'}]",
}

// brokenFormats are files of the other formats. The last part of each name is the file's.
var brokenFormats = map[string]string{
	"bare.toml":         "[[listeners]]\nauth = {credential = " + marker + "}",
	"no end.toml":       "[[listeners]]\nauth = {credential = \"" + marker,
	"no key.toml":       marker,
	"a key alone.toml":  "[log]\nlevel = \"info\"\n\"" + marker + "\"",
	"escape.toml":       "[[listeners]]\nname = \"\\q" + marker + "\"",
	"twice.toml":        "[log]\nlevel = \"info\"\nlevel = \"" + marker + "\"",
	"unknown key.toml":  "[[listeners]]\ncredential = \"" + marker + "\"",
	"wrong type.toml":   "[[listeners]]\nauth = \"" + marker + "\"",
	"bare.json":         `{"listeners": [{"auth": {"credential": ` + marker + `}}]}`,
	"no end.json":       `{"listeners": [{"auth": {"credential": "` + marker,
	"text.json":         `"` + marker + `"`,
	"more.json":         `{} "` + marker + `"`,
	"escape.json":       `{"listeners": [{"name": "\q` + marker + `"}]}`,
	"unknown key.json":  `{"listeners": [{"credential": "` + marker + `"}]}`,
	"wrong type.json":   `{"listeners": "` + marker + `"}`,
	"wrong format.json": "listeners: [{auth: {credential: " + marker + "}}]",
}

// isMisconfigured in ways that keep a service from starting. Each says so, and not what the secret is.
func (m *marked) isMisconfigured(t *testing.T) {
	t.Helper()
	const exitConfig = 78
	configs := maps.Clone(broken)
	maps.Copy(configs, brokenFormats)
	bad := func(name, text string) string { return m.write(t, nil, filepath.Join(m.vault, name), text, 0o600) }
	two := bad("two-lines", marker+"\n"+marker+"\n")
	spaces := bad("spaces", childMarker+" "+operatorMarker)
	short := bad("short", childMarker[:8])
	pem := bad("no-key.pem", "-----BEGIN PRIVATE KEY-----\n"+m.secrets["the key"]+"\n-----END PRIVATE KEY-----\n")
	configs["credential of two lines"] = "listeners: [{name: default, auth: {credential_file: " + two + "}}]"
	configs["token with a space"] = "serve: {child_token_file: " + spaces + "}"
	configs["token that is short"] = "serve: {operator_token_file: " + short + "}"
	configs["key that is none"] = "serve: {tls: {cert_file: certificate.pem, key_file: " + pem + "}}"
	configs["token as a key"] = "serve: {tls: {cert_file: certificate.pem, key_file: vault/child.token}}"
	configs["key as a token"] = "serve: {child_token_file: vault/key.pem}"
	configs["key as a certificate"] = "serve: {tls: {cert_file: vault/key.pem, key_file: vault/key.pem}}"
	for _, name := range slices.Sorted(maps.Keys(configs)) {
		config := m.write(t, nil, filepath.Join(m.home, "wrong"+cmp.Or(filepath.Ext(name), ".yaml")), configs[name], 0o600)
		for _, command := range [][]string{{"config", "check"}, {"config", "show", "--origin"}, {"serve", "--tcp", "127.0.0.1:0", "--unix", "none"}} {
			came := (*account)(nil).run(t, m.env(), "", m.command, append(slices.Clone(command), "--config", config)...)
			m.ran("configuration "+name, came)
			if came.code != exitConfig {
				t.Errorf("%s: %q: exit %d, want %d\n%s", name, command, came.code, exitConfig, came.text())
			}
		}
		m.write(t, nil, config, "", 0o600)
	}
	for name, env := range map[string]string{
		"token with a space": "DIALPOINT_TOKEN=" + childMarker + " " + operatorMarker,
		"file with a space":  "DIALPOINT_TOKEN_FILE=" + spaces,
		"credential":         "DIALPOINT_CREDENTIAL=" + marker + "\n" + marker,
		"port":               "HERMES_DASHBOARD_PORT=tcp://user:" + marker + "@10.0.0.1:80",
		"override":           "DIALPOINT_OVERRIDE=ws://user:" + marker + "@10.0.0.1:80",
		"address":            "DIALPOINT_ADDR=https://user:" + marker + "@127.0.0.1:1",
	} {
		for _, command := range [][]string{{"config", "show", "--origin"}, {"resolve", "--ca-file", m.certificate()}} {
			m.ran("variable "+name, (*account)(nil).run(t, append(m.env(), env), "", m.command, command...))
		}
	}
}

// reloadsBroken files, and keeps the last good one.
func (m *marked) reloadsBroken(t *testing.T) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(broken)) {
		before := m.count("level=ERROR")
		m.configure(t, broken[name])
		must(t, syscall.Kill(m.PID(), syscall.SIGHUP))
		m.awaitMore(t, "level=ERROR", before)
		if came := m.runs(t, append([]string{"resolve"}, m.how["socket"]...)...); came.code != 0 {
			t.Errorf("with %s the service answers no more: %s", name, came.text())
		}
	}
	before := m.count("configuration loaded")
	m.configure(t, m.good()+"# good again\n")
	must(t, syscall.Kill(m.PID(), syscall.SIGHUP))
	m.awaitMore(t, "configuration loaded", before)
}

// count is how many lines of the log hold a text.
func (m *marked) count(text string) int {
	count := 0
	for _, line := range m.Err.Lines() {
		if strings.Contains(line, text) {
			count++
		}
	}
	return count
}

// awaitMore waits until more lines than before hold a text.
func (m *marked) awaitMore(t *testing.T, text string, before int) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := waiting(t).Done()
	for m.count(text) <= before {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("the log has no more lines with %q", text)
		}
	}
}
