package config_test

import (
	"maps"
	"slices"
	"testing"

	"dialpoint/server/config"
)

// said is one source of a value: the name of the flag or variable, or the document, and what it says.
type said struct{ name, value string }

// precedence is every value that can be configured, with all that may say it. What comes first wins.
var precedence = map[string]struct {
	flag         said
	env1, env2   said
	fileKey      string
	file         said
	defaultValue string
}{
	"serve.unix": {
		flag: said{"unix", "/run/flag.sock"}, env1: said{"DIALPOINT_UNIX", "/run/env.sock"},
		file: said{"serve: {unix: /run/file.sock}", "/run/file.sock"}, defaultValue: defaultUnix,
	},
	"serve.tcp": {
		flag: said{"tcp", "127.0.0.1:1"}, env1: said{"DIALPOINT_TCP", "127.0.0.1:2"},
		file: said{"serve: {tcp: '127.0.0.1:3'}", "127.0.0.1:3"}, defaultValue: "127.0.0.1:9118",
	},
	"serve.tcp_plaintext": {
		flag: said{"tcp-plaintext", "false"},
		file: said{"serve: {tcp_plaintext: true}", "true"}, defaultValue: "false",
	},
	"serve.tls.min_version": {file: said{"serve: {tls: {min_version: '1.2'}}", "1.2"}, defaultValue: "1.3"},
	"serve.allowed_hosts":   {file: said{"serve: {allowed_hosts: [A.example, '[::1]']}", "A.example, [::1]"}},
	"serve.limits.calls":    {file: said{"serve: {limits: {calls: 1}}", "1"}, defaultValue: "1024"},
	"serve.limits.streams":  {file: said{"serve: {limits: {streams: 5000}}", "5000"}, defaultValue: "16384"},
	"serve.limits.streams_per_peer": {
		file: said{"serve: {limits: {streams_per_peer: 1}}", "1"}, defaultValue: "4096",
	},
	"serve.unix_allow": {file: said{"serve: {unix_allow: ['user:7', 'group:07']}", "user:7, group:07"}},
	"listeners[default].bind.host": {
		flag: said{"bind-host", "10.0.0.1"}, env1: said{"DIALPOINT_BIND_HOST", "10.0.0.2"}, env2: said{"HERMES_DASHBOARD_HOST", "10.0.0.3"},
		fileKey: "listeners[0].bind.host", file: said{"listeners: [{bind: {host: 10.0.0.4}}]", "10.0.0.4"},
	},
	"listeners[default].bind.port": {
		flag: said{"bind-port", "1"}, env1: said{"DIALPOINT_BIND_PORT", "2"}, env2: said{"HERMES_DASHBOARD_PORT", "3"},
		fileKey: "listeners[0].bind.port", file: said{"listeners: [{bind: {port: 4}}]", "4"},
	},
	"listeners[default].bind.ipv6_only": {
		fileKey: "listeners[0].bind.ipv6_only", file: said{"listeners: [{bind: {ipv6_only: true}}]", "true"},
	},
	"listeners[default].bind.tls": {
		fileKey: "listeners[0].bind.tls", file: said{"listeners: [{bind: {tls: true}}]", "true"}, defaultValue: "false",
	},
	"listeners[default].override": {
		flag: said{"override", "10.0.0.1"}, env1: said{"DIALPOINT_OVERRIDE", "10.0.0.2"}, env2: said{"HERMES_DASHBOARD_WS_HOST", "10.0.0.3"},
		fileKey: "listeners[0].override", file: said{"listeners: [{override: 10.0.0.4}]", "10.0.0.4"},
	},
	"listeners[default].advertise": {
		flag: said{"advertise", "10.0.0.1"}, env1: said{"DIALPOINT_ADVERTISE", "10.0.0.2"},
		fileKey: "listeners[0].advertise", file: said{"listeners: [{advertise: 10.0.0.4}]", "10.0.0.4"},
	},
	"listeners[default].base_path": {
		fileKey: "listeners[0].base_path", file: said{"listeners: [{base_path: /hermes}]", "/hermes"},
	},
	"listeners[default].gateway_path": {
		fileKey: "listeners[0].gateway_path", file: said{"listeners: [{gateway_path: /ws}]", "/ws"}, defaultValue: "/api/ws",
	},
	"listeners[default].sidecar_path": {
		fileKey: "listeners[0].sidecar_path", file: said{"listeners: [{sidecar_path: /pub}]", "/pub"}, defaultValue: "/api/pub",
	},
	"listeners[default].auth.mode": {
		env1:    said{"DIALPOINT_AUTH_MODE", "internal"},
		fileKey: "listeners[0].auth.mode", file: said{"listeners: [{auth: {mode: token}}]", "token"}, defaultValue: "none",
	},
	"store": {
		env1: said{"DIALPOINT_STORE", "memory"}, file: said{"store: memory", "memory"}, defaultValue: "memory",
	},
	"log.level": {
		env1: said{"DIALPOINT_LOG_LEVEL", "debug"}, file: said{"log: {level: warn}", "warn"}, defaultValue: "info",
	},
	"log.format": {
		env1: said{"DIALPOINT_LOG_FORMAT", "text"}, file: said{"log: {format: json}", "json"}, defaultValue: "text",
	},
}

// TestPrecedence says each value everywhere at once, and takes the winner away until nobody is left.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	for key, test := range precedence {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			from := sources(vars{test.env1.name: test.env1.value, test.env2.name: test.env2.value})
			from.Flags = map[string]string{test.flag.name: test.flag.value}
			from.Path = write(t, t.TempDir(), "dialpoint.yaml", test.file.name)
			if test.fileKey == "" {
				test.fileKey = key
			}

			wantSaid(t, from, key, test.flag.value, "flag --"+test.flag.name)
			from.Flags = nil
			wantSaid(t, from, key, test.env1.value, "env "+test.env1.name)
			from = without(from, test.env1.name, test.env2)
			wantSaid(t, from, key, test.env2.value, "env "+test.env2.name)
			from.LookupEnv = nil
			wantSaid(t, from, key, test.file.value, "file "+from.Path+" "+test.fileKey)
			from.Path = ""
			wantDefault(t, from, key, test.defaultValue)
		})
	}
}

// without is the sources with one variable blank, which is the same as unset, and another as it was.
func without(from config.Sources, blank string, kept said) config.Sources {
	from.LookupEnv = vars{blank: " \t\r\n", kept.name: kept.value}.lookup
	return from
}

// wantSaid checks a source that exists for this value.
func wantSaid(t *testing.T, from config.Sources, key, value, source string) {
	t.Helper()
	if value == "" {
		return
	}
	gotValue, gotSource := setting(t, load(t, from), key)
	if gotValue != value || gotSource != source {
		t.Errorf("got %q from %s, want %q from %s", gotValue, gotSource, value, source)
	}
}

func wantDefault(t *testing.T, from config.Sources, key, value string) {
	t.Helper()
	if gotValue, gotSource := setting(t, load(t, from), key); gotValue != value || gotSource != "default" {
		t.Errorf("got %q from %s, want %q from default", gotValue, gotSource, value)
	}
}

// TestPrecedenceOfCredential is the same for the credential, which may be in a file of its own.
func TestPrecedenceOfCredential(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "named-in-file", "fourth")
	environment := vars{
		"DIALPOINT_CREDENTIAL":           "first",
		"DIALPOINT_CREDENTIAL_FILE":      write(t, dir, "named-in-env", "second\n"),
		"HERMES_DASHBOARD_SESSION_TOKEN": "third",
	}
	from := sources(environment)
	from.Path = write(t, dir, "dialpoint.yaml", "listeners: [{auth: {credential_file: named-in-file}}]")
	steps := []struct{ name, value, source string }{
		{"DIALPOINT_CREDENTIAL", "first", "env DIALPOINT_CREDENTIAL"},
		{"DIALPOINT_CREDENTIAL_FILE", "second", "env DIALPOINT_CREDENTIAL_FILE"},
		{"HERMES_DASHBOARD_SESSION_TOKEN", "third", "env HERMES_DASHBOARD_SESSION_TOKEN"},
		{"file", "fourth", "file " + from.Path + " listeners[0].auth.credential_file"},
	}
	for _, step := range steps {
		from.LookupEnv = maps.Clone(environment).lookup
		loaded := load(t, from)
		value, source := setting(t, loaded, "listeners[default].auth.credential")
		wantText(t, source, step.source)
		wantText(t, value, "REDACTED")
		wantText(t, only(t, loaded).Auth.Credential.Reveal(), step.value)
		delete(environment, step.name)
	}
	from.Path, from.LookupEnv = "", nil
	wantDefault(t, from, "listeners[default].auth.credential", "")
}

// TestNamesNeverRead checks that common variables of containers and shells have no effect.
func TestNamesNeverRead(t *testing.T) {
	t.Parallel()
	environment := vars{"HOST": "10.0.0.1", "PORT": "80", "HOSTNAME": "pod-1", "SERVE_TCP": "none", "LOG_LEVEL": "loud", "STORE": "x"}
	loaded := load(t, sources(environment))
	for _, one := range loaded.Settings {
		if one.Source != "default" {
			t.Errorf("%s is %q from %s, want the default", one.Key, one.Value, one.Source)
		}
	}
}

// namedFiles are the settings that name a file which must be there. They have tests of their own.
var namedFiles = []string{
	"serve.tls.cert_file", "serve.tls.key_file", "serve.tls.client_ca_file", "serve.child_token_file", "serve.operator_token_file",
	"listeners[default].auth.credential", "listeners[default].auth.credential_file",
}

// TestSettingsOfEveryValue checks that the table above leaves nothing out.
func TestSettingsOfEveryValue(t *testing.T) {
	t.Parallel()
	for _, one := range load(t, sources(nil)).Settings {
		_, listed := precedence[one.Key]
		if !listed && !slices.Contains(namedFiles, one.Key) {
			t.Errorf("%s is a setting of which no test shows the precedence", one.Key)
		}
	}
}
