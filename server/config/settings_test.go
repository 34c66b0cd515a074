package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dialpoint/server/config"
)

// show is everything that can be printed about a load.
func show(from config.Sources) string {
	loaded, err := config.NewLoader(from).Load()
	return fmt.Sprintf("%v %+v %#v %v", loaded, loaded, loaded, err)
}

// TestSettings is the whole list, in its order, of a configuration that everybody has a word in.
func TestSettings(t *testing.T) {
	t.Parallel()
	from := fileSources(t, "dialpoint.yaml", `
listeners:
  - {name: hermes, bind: {host: "", port: 80, ipv6_only: true}, override: edge.example, auth: {mode: none}}
  - {bind: {host: "::"}, base_path: /x}
log: {format: json}
`)
	from.Flags = map[string]string{"unix": "none", "bind-port": "9443"}
	from.LookupEnv = vars{"DIALPOINT_CREDENTIAL": "s3cr3t", "DIALPOINT_LOG_LEVEL": "debug", "HERMES_DASHBOARD_WS_HOST": "10.0.0.7"}.lookup
	file := func(key string) string { return "file " + from.Path + " " + key }
	want := []config.Setting{
		{"serve.unix", "none", "flag --unix"},
		{"serve.tcp", "127.0.0.1:9118", "default"},
		{"serve.tcp_plaintext", "false", "default"},
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
