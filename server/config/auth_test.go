package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dialpoint/server/rules"
)

const noCredential = "no credential is known, so auth.mode is none and the URLs carry none: set auth.credential_file " +
	"(for the default listener DIALPOINT_CREDENTIAL_FILE) or have the dashboard report its credential, or set auth.mode to " +
	"none if the dashboard wants no credential"

func TestAuthMode(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		environment vars
		mode        rules.AuthMode
		warnings    []string
	}{
		"nothing said":              {vars{}, "", []string{noCredential}},
		"credential":                {vars{"DIALPOINT_CREDENTIAL": "t"}, rules.AuthToken, nil},
		"credential of Hermes":      {vars{"HERMES_DASHBOARD_SESSION_TOKEN": "t"}, rules.AuthToken, nil},
		"credential, internal":      {vars{"DIALPOINT_CREDENTIAL": "t", "DIALPOINT_AUTH_MODE": "internal"}, rules.AuthInternal, nil},
		"none on purpose":           {vars{"DIALPOINT_AUTH_MODE": "none"}, rules.AuthNone, nil},
		"none beside a credential":  {vars{"DIALPOINT_CREDENTIAL": "t", "DIALPOINT_AUTH_MODE": "none"}, rules.AuthNone, []string{"auth.mode is none, so the credential that is configured is not used"}},
		"token without credential":  {vars{"DIALPOINT_AUTH_MODE": "token"}, rules.AuthToken, nil},
		"blank mode and credential": {vars{"DIALPOINT_AUTH_MODE": " ", "DIALPOINT_CREDENTIAL": "\t"}, "", []string{noCredential}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loaded := load(t, sources(test.environment))
			if got := only(t, loaded).Auth.Mode; got != test.mode {
				t.Errorf("mode is %q, want %q", got, test.mode)
			}
			wantLogged(t, loaded, test.warnings...)
			shown := test.mode
			if shown == "" {
				shown = rules.AuthNone
			}
			value, source := setting(t, loaded, "listeners[default].auth.mode")
			wantText(t, value, string(shown))
			if said := strings.TrimSpace(test.environment["DIALPOINT_AUTH_MODE"]) != ""; said != (source != "default") {
				t.Errorf("the source is %q", source)
			}
		})
	}
}

// TestNoCredentialIsSaidOnce checks that the log and each answer have the same words, and that no answer has them twice.
func TestNoCredentialIsSaidOnce(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]string{"not said": "", "none on purpose": "none"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loaded := load(t, sources(vars{"DIALPOINT_BIND_PORT": "9119", "DIALPOINT_AUTH_MODE": mode}))
			answer, err := rules.Resolve(only(t, loaded).Listener, rules.Caller{Audience: rules.Local})
			if err != nil {
				t.Fatal(err)
			}
			wantLogged(t, loaded, answer.Explanation.Warnings...)
			if want := mode == ""; want != (len(loaded.Warnings) == 1) {
				t.Errorf("warnings: %q", loaded.Warnings)
			}
		})
	}
}

// TestCredentialText checks that a credential is trimmed and otherwise left alone, wherever it is.
func TestCredentialText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ said, want string }{
		"plain":             {"s3cr3t", "s3cr3t"},
		"line break":        {"s3cr3t\n", "s3cr3t"},
		"Windows":           {"\ts3cr3t \r\n\r\n", "s3cr3t"},
		"quotes are kept":   {`"s3cr3t"`, `"s3cr3t"`},
		"signs are kept":    {"a+b/c=d&e%f g#h", "a+b/c=d&e%f g#h"},
		"beyond ASCII":      {"pässwörd", "pässwörd"},
		"as long as can be": {strings.Repeat("x", 4096) + "\n", strings.Repeat("x", 4096)},
		"looks like a path": {"/etc/hostname", "/etc/hostname"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFile := write(t, t.TempDir(), "token", test.said)
			variables := vars{
				"DIALPOINT_CREDENTIAL": test.said, "HERMES_DASHBOARD_SESSION_TOKEN": test.said, "DIALPOINT_CREDENTIAL_FILE": inFile,
			}
			for variable, value := range variables {
				auth := only(t, load(t, sources(vars{variable: value}))).Auth
				wantText(t, auth.Credential.Reveal(), test.want)
			}
		})
	}
}

// TestBadCredential checks that the message names the source, never shows what it holds, and speaks of a file only where
// there is one.
func TestBadCredential(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ said, want string }{
		"line break inside": {"s3cr3t\ns3cr3t", "the credential holds a line break or another control character"},
		"zero byte":         {"s3cr3t\x00s3cr3t", "the credential holds a line break or another control character"},
		"delete":            {"s3cr3t\x7fs3cr3t", "the credential holds a line break or another control character"},
		"not UTF-8":         {"s3cr3t\xff", "the credential is not in UTF-8"},
		"too long":          {strings.Repeat("s3cr3t", 700), "the credential is longer than 4096 bytes"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFile := write(t, t.TempDir(), "token", test.said)
			outright := loadError(t, sources(vars{"DIALPOINT_CREDENTIAL": test.said}))
			wantText(t, outright, "env DIALPOINT_CREDENTIAL: "+test.want)
			asFile := loadError(t, sources(vars{"DIALPOINT_CREDENTIAL_FILE": inFile}))
			wantText(t, asFile, fmt.Sprintf("env DIALPOINT_CREDENTIAL_FILE: %q: %s: is this the right file?", inFile, test.want))
			ofHermes := loadError(t, sources(vars{"HERMES_DASHBOARD_SESSION_TOKEN": test.said}))
			wantText(t, ofHermes, "env HERMES_DASHBOARD_SESSION_TOKEN: "+test.want)
		})
	}
}

func TestBadCredentialFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	makeFIFO(t, filepath.Join(dir, "fifo"))
	write(t, dir, "large", strings.Repeat("s3cr3t\n", 200_000))
	write(t, dir, "empty", "")
	write(t, dir, "blank", "\n \n")
	tests := map[string]struct{ name, want string }{
		"missing":       {"missing", "it cannot be read: no such file or directory"},
		"below a file":  {"empty/token", "it cannot be read: not a directory"},
		"directory":     {".", "it is a directory: name a file"},
		"pipe":          {"fifo", "it is no regular file, so it cannot be read again when it changes"},
		"large":         {"large", "it is longer than 1048576 bytes"},
		"empty":         {"empty", "the credential is empty: write it there, or leave it out"},
		"blank":         {"blank", "the credential is empty: write it there, or leave it out"},
		"name too long": {strings.Repeat("x", 300), "it cannot be read: file name too long"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(dir, test.name)
			shown := path
			if len(shown) > 120 {
				shown = shown[:120] + "…"
			}
			wantText(t, loadError(t, sources(vars{"DIALPOINT_CREDENTIAL_FILE": path})),
				fmt.Sprintf("env DIALPOINT_CREDENTIAL_FILE: %q: %s", shown, test.want))

			from := sources(nil)
			from.Path = write(t, t.TempDir(), "a.yaml", fmt.Sprintf("listeners: [{auth: {credential_file: %q}}]", path))
			wantText(t, loadError(t, from),
				fmt.Sprintf("file FILE: listeners[0].auth.credential_file: %q: %s", shown, test.want))
		})
	}
}

// TestCredentialInPlaceOfItsFile checks that who gives the credential itself for the name of its file does not read it in
// the error. One in base64 may hold a slash.
func TestCredentialInPlaceOfItsFile(t *testing.T) {
	t.Parallel()
	const hidden = "the file that it names (not shown, since it may be the credential itself): it cannot be read: "
	tests := map[string]struct{ said, want string }{
		"token":      {"s3cr3t", hidden + "no such file or directory"},
		"base64":     {"s3cr3t/s3cr3t+A==", hidden + "no such file or directory"},
		"long token": {strings.Repeat("s3cr3t", 100), hidden + "file name too long"},
		"path":       {"./missing", `"./missing": it cannot be read: no such file or directory`},
		"path above": {"../missing/x", `"../missing/x": it cannot be read: no such file or directory`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantText(t, loadError(t, sources(vars{"DIALPOINT_CREDENTIAL_FILE": test.said})), "env DIALPOINT_CREDENTIAL_FILE: "+test.want)
			if !strings.HasPrefix(test.want, hidden) {
				return
			}
			wantText(t, loadErrorYAML(t, fmt.Sprintf("listeners: [{auth: {credential_file: %q}}]", test.said)),
				"file FILE: listeners[0].auth.credential_file: "+test.want)
		})
	}
}

// TestCredentialFileIsRelativeToConfigFile checks both ways in which a relative path is meant.
func TestCredentialFileIsRelativeToConfigFile(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "token", "beside")
	write(t, sub, "token", "in the working directory")
	t.Chdir(sub)

	from := sources(nil)
	from.Path = write(t, dir, "a.yaml", "listeners: [{auth: {credential_file: token}}]")
	loaded := load(t, from)
	wantText(t, only(t, loaded).Auth.Credential.Reveal(), "beside")
	path, _ := setting(t, loaded, "listeners[default].auth.credential_file")
	wantText(t, path, filepath.Join(dir, "token"))

	from.Path = "../a.yaml"
	wantText(t, only(t, load(t, from)).Auth.Credential.Reveal(), "beside")
	from.LookupEnv = vars{"DIALPOINT_CREDENTIAL_FILE": "token"}.lookup
	wantText(t, only(t, load(t, from)).Auth.Credential.Reveal(), "in the working directory")
}

func TestCredentialFileThatOthersCanRead(t *testing.T) {
	t.Parallel()
	for mode, warned := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o640: true, 0o604: true, 0o644: true, 0o620: true} {
		path := write(t, t.TempDir(), "token", "t")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		var want []string
		if warned {
			want = append(want, fmt.Sprintf("the credential file %s (env DIALPOINT_CREDENTIAL_FILE) can be read by others than its "+
				"owner (mode %04o): chmod 600 it", path, mode))
		}
		wantWarnings(t, load(t, sources(vars{"DIALPOINT_CREDENTIAL_FILE": path})), want...)
	}
}

// TestEachListenerHasItsCredential checks that listeners do not share one unless they name the same file.
func TestEachListenerHasItsCredential(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "token-a", "a")
	write(t, dir, "token-b", "b")
	from := sources(nil)
	from.Path = write(t, dir, "x.yaml", `
listeners:
  - {name: a, auth: {credential_file: token-a}}
  - {name: b, auth: {credential_file: token-b, mode: internal}}
  - {name: c, auth: {mode: none}}
`)
	var got []string
	for _, one := range load(t, from).Listeners {
		got = append(got, fmt.Sprintf("%s %s %s", one.Name, one.Auth.Mode, one.Auth.Credential.Reveal()))
	}
	wantList(t, "credentials", got, []string{"a token a", "b internal b", "c none "})
}

// TestNoSecretIsShown prints everything there is about a configuration, good or bad, and looks for the secret.
func TestNoSecretIsShown(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t"
	dir := t.TempDir()
	inFile := write(t, dir, "token", secret)
	configs := map[string]string{
		"good":             fmt.Sprintf("listeners: [{auth: {credential_file: %q}}]", inFile),
		"wrong key":        "listeners: [{auth: {credential: s3cr3t}}]",
		"wrong key, list":  "listeners: [{auth: {tokens: [s3cr3t]}}]",
		"value as section": "listeners: [{auth: s3cr3t}]",
		"section as value": "listeners: [{override: {token: s3cr3t}}]",
		"user info":        "listeners: [{override: 'https://u:s3cr3t@edge.example'}]",
		"query":            "listeners: [{advertise: 'https://edge.example/?token=s3cr3t'}]",
		"endpoints":        "etcd: {endpoints: ['https://u:s3cr3t@etcd.example']}",
		"no section":       "s3cr3t",
		"broken":           "listeners: [{auth: {token: s3cr3t}",
	}
	for name, content := range configs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, environment := range []vars{{}, {"DIALPOINT_CREDENTIAL": secret}, {"HERMES_DASHBOARD_SESSION_TOKEN": secret + "\x00"}} {
				from := sources(environment)
				from.Path = write(t, t.TempDir(), "a.yaml", content)
				if shown := show(t, from); strings.Contains(shown, secret) {
					t.Errorf("the secret is in\n%s", shown)
				}
			}
		})
	}
}
