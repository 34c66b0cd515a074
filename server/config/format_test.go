package config_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"dialpoint/server/config"
)

// example is the whole of section 5 of the design, word for word.
const example = `serve:
  unix: ""            # path; "" the default socket, "none" off
  tcp: 127.0.0.1:9118 # "none" off
  tcp_plaintext: false
  tls: {cert_file: "", key_file: "", client_ca_file: "", min_version: "1.3"}
  allowed_hosts: []   # Host values accepted on TCP beside loopback names and the bound address
  limits: {calls: 1024, streams: 16384, streams_per_peer: 4096}
  unix_allow: []      # "user:NAME|ID", "group:NAME|ID": may resolve and watch over the socket too
  child_token_file: ""     # may resolve and watch
  operator_token_file: ""  # may do everything
listeners:            # a list: names keep their case
  - name: default
    bind: {host: 0.0.0.0, port: 9119, ipv6_only: false, tls: false}   # ipv6_only left out: not known
    override: ""
    advertise: ""
    base_path: ""
    gateway_path: /api/ws
    sidecar_path: /api/pub
    auth: {mode: token, credential_file: ""}   # token | internal | none
store: memory         # memory | etcd
log: {level: info, format: text}
`

// section8 is what section 8 adds, at what holds without it.
const section8 = `etcd: {endpoints: [], prefix: /dialpoint, username: "", password_file: "", tls: {ca_file: "", cert_file: "", key_file: ""}}
node: {name: "", address: ""}
`

// document is what a file says, for every format.
type document = map[string]any

// formats encode a document.
var formats = map[string]func(any) ([]byte, error){
	"dialpoint.yaml": yaml.Marshal,
	"dialpoint.yml":  yaml.Marshal,
	"dialpoint.toml": toml.Marshal,
	"dialpoint.json": func(content any) ([]byte, error) { return json.MarshalIndent(content, "", "  ") },
}

// inEveryFormat runs a test with a document in each format. The source's path is that of the file.
func inEveryFormat(t *testing.T, content document, test func(*testing.T, config.Sources)) {
	t.Helper()
	for name, encode := range formats {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			encoded, err := encode(content)
			if err != nil {
				t.Fatal(err)
			}
			test(t, fileSources(t, name, string(encoded)))
		})
	}
}

func parseYAML(t *testing.T, text string) document {
	t.Helper()
	var parsed document
	if err := yaml.Unmarshal([]byte(text), &parsed); err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestExample(t *testing.T) {
	t.Parallel()
	loaded := loadYAML(t, example)
	want := config.Serve{
		Unix: defaultUnix, TCP: "127.0.0.1:9118",
		Limits: config.Limits{Calls: 1024, Streams: 16384, StreamsPerPeer: 4096},
		Tokens: config.Tokens{Dir: filepath.Dir(defaultUnix)},
	}
	if diff := cmp.Diff(want, loaded.Serve); diff != "" {
		t.Errorf("serve differs (-want +got):\n%s", diff)
	}
	if want := (config.Log{Level: slog.LevelInfo, Format: "text"}); loaded.Log != want {
		t.Errorf("log is %+v, want %+v", loaded.Log, want)
	}
	bind := only(t, loaded).Bind
	if bind.Text != "0.0.0.0" || bind.Port != 9119 || bind.IPv6Only == nil || *bind.IPv6Only || bind.TLS {
		t.Errorf("bind is %+v", bind)
	}
	wantText(t, loaded.Store, "memory")
	wantText(t, strings.Join(loaded.Warnings, "\n"), "")
}

// TestExampleInEveryFormat checks that no format makes a difference.
func TestExampleInEveryFormat(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"section 5": example, "sections 5 and 8": example + section8} {
		want := loadYAML(t, example).Settings
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inEveryFormat(t, parseYAML(t, text), func(t *testing.T, from config.Sources) {
				t.Helper()
				loaded := load(t, from)
				wantText(t, loaded.File, from.Path)
				if diff := cmp.Diff(keysAndValues(want), keysAndValues(loaded.Settings)); diff != "" {
					t.Errorf("settings differ from those of YAML (-YAML +this):\n%s", diff)
				}
			})
		})
	}
}

func keysAndValues(settings []config.Setting) []string {
	var found []string
	for _, one := range settings {
		found = append(found, one.Key+"="+one.Value)
	}
	return found
}

func TestAcceptedInEveryFormat(t *testing.T) {
	t.Parallel()
	const host, port = "listeners[default].bind.host", "listeners[default].bind.port"
	tests := map[string]struct {
		bind       document
		key, value string
	}{
		"port":                     {document{"port": 9443}, port, "9443"},
		"highest port":             {document{"port": 65535}, port, "65535"},
		"port 0":                   {document{"port": 0}, port, "0"},
		"host as text":             {document{"host": "0"}, host, "0"},
		"host 0 as a number":       {document{"host": 0}, host, "0"},
		"IPv6 wildcard":            {document{"host": "::"}, host, "::"},
		"IPv6 wildcard, bracketed": {document{"host": "[::]"}, host, "[::]"},
		"star":                     {document{"host": "*"}, host, "*"},
		"zone":                     {document{"host": "fe80::1%eth0"}, host, "fe80::1%eth0"},
		"host with a port, empty":  {document{"host": "", "port": 1}, host, ""},
		"ipv6_only said":           {document{"ipv6_only": false}, "listeners[default].bind.ipv6_only", "false"},
		"ipv6_only not said":       {document{}, "listeners[default].bind.ipv6_only", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content := document{"listeners": []any{document{"name": "default", "bind": test.bind}}}
			inEveryFormat(t, content, func(t *testing.T, from config.Sources) {
				t.Helper()
				value, _ := setting(t, load(t, from), test.key)
				wantText(t, value, test.value)
			})
		})
	}
}

func TestNamesKeepTheirCase(t *testing.T) {
	t.Parallel()
	content := document{"listeners": []any{document{"name": "Hermes.B"}, document{"name": "hermes.b"}, document{"name": "default"}}}
	inEveryFormat(t, content, func(t *testing.T, from config.Sources) {
		t.Helper()
		names := ""
		for _, one := range load(t, from).Listeners {
			names += one.Name + " "
		}
		wantText(t, names, "Hermes.B hermes.b default ")
	})
}

// TestByteOrderMark checks files that were written on Windows: a mark at the beginning, carriage returns.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"dialpoint.yaml": "\ufeffstore: memory\r\n",
		"dialpoint.toml": "\ufeffstore = 'memory'\r\n",
		"dialpoint.json": "\ufeff{\"store\": \"memory\"}\r\n",
		"DIALPOINT.YAML": "store: memory",
	}
	for name, content := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := fileSources(t, name, content)
			_, source := setting(t, load(t, from), "store")
			wantText(t, source, fmt.Sprintf("file %s store", from.Path))
		})
	}
}
