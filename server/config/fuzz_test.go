package config_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dialpoint/server/config"
	"dialpoint/server/rules"
)

// checkLoad is what holds of any input: an error that says something, or a configuration that sends nobody to a
// wildcard and reads the same again.
func checkLoad(t *testing.T, from config.Sources) {
	t.Helper()
	loaded, err := config.NewLoader(from).Load()
	if err != nil {
		if loaded != nil || strings.TrimSpace(err.Error()) == "" {
			t.Errorf("error %q beside %v", err, loaded)
		}
		return
	}
	for _, one := range loaded.Listeners {
		for _, audience := range []rules.Audience{rules.Local, rules.Remote} {
			endpoints, err := rules.Resolve(one.Listener, rules.Caller{Audience: audience})
			if dial := endpoints.Explanation.DialHost; err == nil && (dial.IsWildcard() || dial.IsZero()) {
				t.Errorf("listener %q: a caller is sent to %s", one.Name, dial)
			}
		}
	}
	if loaded.Serve.Unix == "" && loaded.Serve.TCP == "" {
		t.Error("nothing is served")
	}
	again, err := config.NewLoader(from).Load()
	if err != nil || !reflect.DeepEqual(again, loaded) {
		t.Errorf("read again it is %+v, error %v; first it was %+v", again, err, loaded)
	}
}

func FuzzFile(f *testing.F) {
	for name, encode := range formats {
		encoded, err := encode(document{
			"serve":     document{"tcp": "127.0.0.1:0", "limits": document{"calls": 1024}},
			"listeners": []any{document{"name": "a", "bind": document{"host": "::", "port": 1, "tls": true}, "override": "[::1]:80"}},
		})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(filepath.Ext(name), encoded)
	}
	f.Add(".yaml", []byte(example+section8))
	f.Add(".yaml", []byte(`serve: {allowed_hosts: [Edge.Example, "[::1]", "*", "x:1"], unix_allow: ["user:0", "group:root", "user:x y", ":"]}`))
	f.Add(".yaml", []byte("serve: {limits: {calls: 0, streams: 1, streams_per_peer: 2}, tls: {min_version: '1.2', cert_file: dialpoint.yaml}}"))
	f.Add(".yaml", []byte("serve: {tls: {cert_file: ., key_file: dialpoint.yaml, client_ca_file: x}, child_token_file: dialpoint.yaml, operator_token_file: dialpoint.yaml}"))
	f.Add(".toml", []byte("[serve]\nunix = 'none'\nallowed_hosts = ['x', 1]\n[serve.limits]\ncalls = -1\n"))
	f.Add(".yaml", []byte("a: &a [*a]"))
	f.Add(".yaml", []byte("log: {<<: {<<: {level: info}}}\n---\n"))
	f.Add(".json", []byte(`{"listeners": [{"bind": {"host": 0, "port": 1e3}}], "listeners": null}`))
	f.Add(".toml", []byte("[[listeners]]\nbind.port = 0x1F\n[[listeners]]\nname = 'b'\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, extension string, content []byte) {
		if strings.ContainsAny(extension, "/\x00") || len(extension) > 10 {
			return
		}
		from := sources(nil)
		from.Path = write(t, dir, "dialpoint"+extension, string(content))
		checkLoad(t, from)
	})
}

func FuzzEnvironment(f *testing.F) {
	f.Add("0.0.0.0", "9119", "", "", "t", "token", "127.0.0.1:9118")
	f.Add(`"::"`, "'80'\r", "https://edge.example/x", "[::1]:80", " ", "", "none")
	f.Add("*", "tcp://10.0.0.1:80", "0.0.0.0", "u@x", "\x7f", "internal", ":0")
	f.Fuzz(func(t *testing.T, host, port, override, advertise, credential, mode, tcp string) {
		from := sources(vars{
			"DIALPOINT_BIND_HOST": host, "HERMES_DASHBOARD_PORT": port, "HERMES_DASHBOARD_WS_HOST": override,
			"DIALPOINT_ADVERTISE": advertise, "DIALPOINT_CREDENTIAL": credential, "DIALPOINT_AUTH_MODE": mode, "DIALPOINT_TCP": tcp,
		})
		from.Flags = map[string]string{"bind-host": advertise, "override": host}
		checkLoad(t, from)
	})
}
