package config_test

import (
	"strings"
	"testing"
)

// TestSyntax is what each format has of its own. Each problem tells the line where there is one.
func TestSyntax(t *testing.T) {
	t.Parallel()
	const (
		empty    = "it is empty: write at least one key, such as listeners, or remove the file"
		sections = "it must hold sections, such as listeners"
		object   = "it must hold an object, with sections such as listeners"
		one      = "it must hold one document: remove the line --- and what follows it"
	)
	tests := map[string]struct{ name, content, want string }{
		"YAML: empty":              {"a.yaml", "", empty},
		"YAML: white space":        {"a.yaml", " \n\t\r\n", empty},
		"YAML: comments":           {"a.yaml", "# nothing\n# yet\n", empty},
		"YAML: document of null":   {"a.yaml", "---\n", empty},
		"YAML: empty section":      {"a.yaml", "{}", empty},
		"YAML: text":               {"a.yaml", "\ns3cr3t\n", "line 2: " + sections},
		"YAML: list":               {"a.yaml", "- name: a", "line 1: " + sections},
		"YAML: second document":    {"a.yaml", "store: memory\n---\nstore: etcd\n", one},
		"YAML: bad second":         {"a.yaml", "store: memory\n---\n: : {", one},
		"YAML: tab":                {"a.yaml", "log:\n\tlevel: info\n", "line 2: found character that cannot start any token"},
		"YAML: bracket left open":  {"a.yaml", "store: memory\nlog: {level: info\n", "line 2: did not find expected ',' or '}'"},
		"YAML: same in line 1":     {"a.yaml", "log: }", "line 1: did not find expected node content"},
		"YAML: bad indent":         {"a.yaml", "log:\n    level: info\n  format: text\n", "line 3: did not find expected key"},
		"YAML: star without quote": {"a.yaml", "listeners: [{bind: {host: *}}]", "did not find expected alphabetic or numeric character"},
		"YAML: unknown alias":      {"a.yaml", "store: *s3cr3t", "unknown anchor REDACTED referenced"},
		"YAML: alias of itself":    {"a.yaml", "store: &s3cr3t [*s3cr3t]", "anchor REDACTED value contains itself"},
		"YAML: bad tag":            {"a.yaml", "store: !!float s3cr3t", "cannot decode !!str REDACTED as a !!float"},
		"YAML: key twice":          {"a.yaml", "store: memory\nstore: etcd\n", "unmarshal errors:\n  line 2: mapping key \"store\" already defined at line 1"},
		"YAML: key is a number":    {"a.yaml", "log: {1: info}", "log.1: there is no such key; there are format, level"},
		"YAML: unknown, null":      {"a.yaml", "server:\n", "server: there is no such key" + rootKeys},
		"YAML: unknown, null deep": {"a.yaml", "serve: {tls: {cert: }}", "serve.tls.cert: there is no such key; there are cert_file, client_ca_file, key_file, min_version"},
		"YAML: null in a list":     {"a.yaml", "listeners: [~]", "listeners[0]: is empty: remove it, or say what it is"},
		"YAML: brackets for host":  {"a.yaml", "listeners: [{bind: {host: [0.0.0.0]}}]", "listeners[0].bind.host: must be one value, no list and no section"},
		"YAML: yes":                {"a.yaml", "serve: {tcp_plaintext: yes}", `serve.tcp_plaintext: "yes": must be true or false, without quotes`},
		"YAML: not a number":       {"a.yaml", "listeners: [{bind: {port: .nan}}]", `listeners[0].bind.port: NaN: must be a port, a number from 0 to 65535, without quotes`},
		"YAML: infinite":           {"a.yaml", "listeners: [{bind: {port: .inf}}]", `listeners[0].bind.port: "+Inf": must be a port, a number from 0 to 65535`},
		"YAML: over 64 bits":       {"a.yaml", "listeners: [{bind: {port: 18446744073709551615}}]", `listeners[0].bind.port: "18446744073709551615": must be a port, a number from 0 to 65535`},
		"YAML: date":               {"a.yaml", "store: 2026-01-02", `store: 2026-01-02 00:00:00 +0000 UTC: must be text: put it in quotes`},
		"YAML: unknown by merge":   {"a.yaml", "log: &a {level: info}\nserve: {<<: *a}\n", "serve.level: there is no such key; there are allowed_hosts, child_token_file, limits, operator_token_file, tcp, tcp_plaintext, tls, unix, unix_allow"},
		"YAML: not UTF-8":          {"a.yaml", "store: \"\xff\"", "it is not in UTF-8"},
		"YAML: UTF-16":             {"a.yaml", "\xff\xfes\x00t\x00", "it is not in UTF-8"},

		"JSON: empty":           {"a.json", " \n", empty},
		"JSON: empty object":    {"a.json", "{}", empty},
		"JSON: null":            {"a.json", "null", object},
		"JSON: list":            {"a.json", "[]", object},
		"JSON: text":            {"a.json", `"s3cr3t"`, object},
		"JSON: broken":          {"a.json", "{\n\"store\": \"memory\",\n}", "line 3: invalid character '}' looking for beginning of object key string"},
		"JSON: cut off":         {"a.json", "{\n\"log\": {", "line 2: unexpected end of JSON input"},
		"JSON: comment":         {"a.json", "// x\n{}", "line 1: invalid character '/' looking for beginning of value"},
		"JSON: second object":   {"a.json", `{"store": "memory"} {"store": "etcd"}`, "line 1: invalid character '{' after top-level value"},
		"JSON: key twice":       {"a.json", `{"store": "memory", "store": "etcd"}`, `the key "store" is there twice in one object`},
		"JSON: key twice below": {"a.json", `{"listeners": [{"name": "a"}, {"bind": {"port": 1, "port": 2}}]}`, `the key "port" is there twice in one object`},
		"JSON: same, escaped":   {"a.json", `{"store": "memory", "\u0073tore": "etcd"}`, `the key "store" is there twice in one object`},
		"JSON: unknown, null":   {"a.json", `{"server": null}`, "server: there is no such key" + rootKeys},
		"JSON: null in a list":  {"a.json", `{"listeners": [null]}`, "listeners[0]: is empty: remove it, or say what it is"},
		"JSON: null in hosts":   {"a.json", `{"serve": {"allowed_hosts": ["x", null]}}`, "serve.allowed_hosts[1]: is empty: remove it, or say what it is"},
		"JSON: number too big":  {"a.json", `{"listeners": [{"bind": {"port": 1e999}}]}`, "cannot unmarshal number 1e999 into Go value of type float64"},
		"JSON: port in text":    {"a.json", `{"listeners": [{"bind": {"port": "9119"}}]}`, `listeners[0].bind.port: "9119": must be a port, a number from 0 to 65535, without quotes`},

		"TOML: empty":     {"a.toml", "\n", empty},
		"TOML: comments":  {"a.toml", "# nothing\n", empty},
		"TOML: broken":    {"a.toml", "store = 'memory'\nlog = \n", "line 2: incomplete number"},
		"TOML: key twice": {"a.toml", "store = 'memory'\nstore = 'etcd'\n", "key store is already defined"},
		"TOML: date":      {"a.toml", "store = 2026-01-02", `store: 2026-01-02: must be text: put it in quotes`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := loadError(t, fileSources(t, test.name, test.content))
			if !strings.HasPrefix(got, "file FILE") || !strings.HasSuffix(got, ": "+test.want) || strings.Contains(got, "s3cr3t") {
				t.Errorf("\n got %s\nwant file FILE: %s", got, test.want)
			}
		})
	}
}

// TestNullIsNotSaid checks that a key without a value counts as one that is left out.
func TestNullIsNotSaid(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"a.yaml": "serve:\nlisteners:\n- name:\n  bind: {host: ~, port: null, tls: }\n  auth: {mode: none}\nstore:\nlog: {level: }\n",
		"a.json": `{"serve": null, "listeners": [{"name": null, "bind": {"host": null, "port": null}, "auth": {"mode": "none"}}], "log": {"level": null}}`,
	}
	for name, content := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loaded := load(t, fileSources(t, name, content))
			wantText(t, only(t, loaded).Name, "default")
			for _, one := range loaded.Settings {
				if one.Source != "default" && one.Key != "listeners[default].auth.mode" {
					t.Errorf("%s is %q from %s, want the default", one.Key, one.Value, one.Source)
				}
			}
		})
	}
}

// TestAnchors checks that YAML's own means against repetition work.
func TestAnchors(t *testing.T) {
	t.Parallel()
	loaded := loadYAML(t, `
listeners:
  - &first {name: a, auth: &auth {mode: none}, bind: {port: 1}}
  - {<<: *first, name: b}
  - {name: c, auth: *auth}
`)
	for i, want := range []string{"a 1 none", "b 1 none", "c 0 none"} {
		one := loaded.Listeners[i]
		wantText(t, one.Name+" "+one.Bind.Port.String()+" "+string(one.Auth.Mode), want)
	}
}
