package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dialpoint/server/config"
)

// show is everything that can be printed, logged and marshalled about a load, pointers followed.
func show(t *testing.T, from config.Sources) string {
	t.Helper()
	loaded, err := config.NewLoader(from).Load()
	if loaded == nil {
		loaded = &config.Config{}
	}
	var shown bytes.Buffer
	for _, part := range []any{loaded, loaded.Serve, loaded.Serve.TLS, loaded.Serve.Tokens, loaded.Listeners, loaded.Settings, err} {
		fmt.Fprintf(&shown, "%v %+v %#v %s\n", part, part, part, part)
		slog.New(slog.NewTextHandler(&shown, nil)).Info("text", "part", part)
		slog.New(slog.NewJSONHandler(&shown, nil)).Info("JSON", "part", part)
		must(t, json.NewEncoder(&shown).Encode(part))
	}
	if loaded.Serve.TLS != nil {
		fmt.Fprintf(&shown, "%v %+v %#v", *loaded.Serve.TLS, *loaded.Serve.TLS, *loaded.Serve.TLS)
	}
	return shown.String()
}

// TestSettings is the whole list, in its order, of a configuration that everybody has a word in.
func TestSettings(t *testing.T) {
	t.Parallel()
	from := fileSources(t, "dialpoint.yaml", `
serve: {tls: {cert_file: pair.pem, key_file: pair.pem}, allowed_hosts: [Edge.example, "[::1]"], limits: {streams: 9}}
listeners:
  - {name: hermes, bind: {host: "", port: 80, ipv6_only: true}, override: edge.example, auth: {mode: none}}
  - {bind: {host: "::"}, base_path: /x}
log: {format: json}
`)
	dir := filepath.Dir(from.Path)
	write(t, dir, "pair.pem", newPair(t).both())
	from.Flags = map[string]string{"unix": "none", "bind-port": "9443"}
	from.LookupEnv = vars{"DIALPOINT_CREDENTIAL": "s3cr3t", "DIALPOINT_LOG_LEVEL": "debug", "HERMES_DASHBOARD_WS_HOST": "10.0.0.7"}.lookup
	file := func(key string) string { return "file " + from.Path + " " + key }
	want := []config.Setting{
		{"serve.unix", "none", "flag --unix"},
		{"serve.tcp", "127.0.0.1:9118", "default"},
		{"serve.tcp_plaintext", "false", "default"},
		{"serve.tls.cert_file", filepath.Join(dir, "pair.pem"), file("serve.tls.cert_file")},
		{"serve.tls.key_file", filepath.Join(dir, "pair.pem"), file("serve.tls.key_file")},
		{"serve.tls.client_ca_file", "", "default"},
		{"serve.tls.min_version", "1.3", "default"},
		{"serve.allowed_hosts", "Edge.example, [::1]", file("serve.allowed_hosts")},
		{"serve.limits.calls", "1024", "default"},
		{"serve.limits.streams", "9", file("serve.limits.streams")},
		{"serve.limits.streams_per_peer", "9", "default"},
		{"serve.unix_allow", "", "default"},
		{"serve.child_token_file", filepath.Join(filepath.Dir(defaultUnix), "child.token"), "default"},
		{"serve.operator_token_file", filepath.Join(filepath.Dir(defaultUnix), "operator.token"), "default"},
		{"listeners[hermes].bind.host", "", file("listeners[0].bind.host")},
		{"listeners[hermes].bind.port", "80", file("listeners[0].bind.port")},
		{"listeners[hermes].bind.ipv6_only", "true", file("listeners[0].bind.ipv6_only")},
		{"listeners[hermes].bind.tls", "false", "default"},
		{"listeners[hermes].override", "edge.example", file("listeners[0].override")},
		{"listeners[hermes].advertise", "", "default"},
		{"listeners[hermes].base_path", "", "default"},
		{"listeners[hermes].gateway_path", "/api/ws", "default"},
		{"listeners[hermes].sidecar_path", "/api/pub", "default"},
		{"listeners[hermes].auth.credential", "", "default"},
		{"listeners[hermes].auth.credential_file", "", "default"},
		{"listeners[hermes].auth.mode", "none", file("listeners[0].auth.mode")},
		{"listeners[default].bind.host", "::", file("listeners[1].bind.host")},
		{"listeners[default].bind.port", "9443", "flag --bind-port"},
		{"listeners[default].bind.ipv6_only", "", "default"},
		{"listeners[default].bind.tls", "false", "default"},
		{"listeners[default].override", "10.0.0.7", "env HERMES_DASHBOARD_WS_HOST"},
		{"listeners[default].advertise", "", "default"},
		{"listeners[default].base_path", "/x", file("listeners[1].base_path")},
		{"listeners[default].gateway_path", "/api/ws", "default"},
		{"listeners[default].sidecar_path", "/api/pub", "default"},
		{"listeners[default].auth.credential", "REDACTED", "env DIALPOINT_CREDENTIAL"},
		{"listeners[default].auth.credential_file", "", "default"},
		{"listeners[default].auth.mode", "token", "default"},
		{"store", "memory", "default"},
		{"log.level", "debug", "env DIALPOINT_LOG_LEVEL"},
		{"log.format", "json", file("log.format")},
	}
	if diff := cmp.Diff(want, load(t, from).Settings); diff != "" {
		t.Errorf("settings differ (-want +got):\n%s", diff)
	}
}

// TestFilePathInSources checks that what is found in the working directory is named without one.
func TestFilePathInSources(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, "dialpoint.yaml", "listeners: [{override: 10.0.0.7}, {name: a, override: 0.0.0.0}]")
	from := sources(nil)
	from.SearchDirs = []string{"./"}
	if got := loadError(t, from); !strings.HasPrefix(got, "file dialpoint.yaml: listeners[1].override: ") {
		t.Errorf("got %s", got)
	}
	write(t, dir, "dialpoint.yaml", "listeners: [{override: 10.0.0.7}]")
	wantText(t, only(t, load(t, from)).Override.Source, "file dialpoint.yaml listeners[0].override")
}
