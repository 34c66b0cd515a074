package config_test

import (
	"fmt"
	"sync"
	"testing"

	"dialpoint/server/config"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// hosts is the table of issue 2: what a child dials for each bind host.
var hosts = map[string]string{
	"0.0.0.0": "127.0.0.1", "::": "127.0.0.1", "[::]": "127.0.0.1", "::0": "127.0.0.1", "0:0:0:0:0:0:0:0": "127.0.0.1",
	"::ffff:0.0.0.0": "127.0.0.1", "*": "127.0.0.1", "0": "127.0.0.1",
	"127.0.0.1": "127.0.0.1", "127.0.0.2": "127.0.0.2", "192.168.1.5": "192.168.1.5", "100.64.3.7": "100.64.3.7",
	"fly-app.example.dev": "fly-app.example.dev", "::1": "[::1]", "2001:db8::5": "[2001:db8::5]", "fe80::1%eth0": "[fe80::1%25eth0]",
}

// gateway is the URL that a local child is given, credential included.
func gateway(t *testing.T, one listener.Config) string {
	t.Helper()
	endpoints, err := rules.Resolve(one.Listener, rules.Caller{Audience: rules.Local})
	if err != nil {
		t.Fatal(err)
	}
	return endpoints.Gateway.URL.Reveal()
}

// TestBindHostsFromEverywhere checks that it makes no difference who says a bind host, down to the finished URL.
func TestBindHostsFromEverywhere(t *testing.T) {
	t.Parallel()
	for said, dialled := range hosts {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			want := "ws://" + dialled + ":9119/api/ws?token=t"
			byFlag := sources(vars{"DIALPOINT_CREDENTIAL": "t"})
			byFlag.Flags = map[string]string{"bind-host": said}
			byEnv := sources(vars{"HERMES_DASHBOARD_SESSION_TOKEN": "t", "HERMES_DASHBOARD_HOST": said})
			byFile := sources(vars{"DIALPOINT_CREDENTIAL": "t"})
			byFile.Path = write(t, t.TempDir(), "a.yaml", fmt.Sprintf("listeners: [{bind: {host: %q, port: 9119}}]", said))
			for _, from := range []config.Sources{byFlag, byEnv, byFile} {
				one := only(t, load(t, from))
				wantText(t, gateway(t, one), want)
				wantText(t, one.Bind.Text, said)
			}
		})
	}
}

// TestOverridesFromEverywhere is the same for what an operator says.
func TestOverridesFromEverywhere(t *testing.T) {
	t.Parallel()
	targets := map[string]struct{ said, want string }{
		"host":          {"10.0.0.7", "ws://10.0.0.7:9119/api/ws?token=t"},
		"host and port": {"10.0.0.7:9443", "ws://10.0.0.7:9443/api/ws?token=t"},
		"IPv6 and port": {"[2001:db8::5]:9443", "ws://[2001:db8::5]:9443/api/ws?token=t"},
		"URL":           {"https://edge.example/hermes/", "wss://edge.example/hermes/api/ws?token=t"},
		"blank":         {" \t\r", "ws://127.0.0.1:9119/api/ws?token=t"},
	}
	for name, test := range targets {
		said, want := test.said, test.want
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			environment := vars{"DIALPOINT_CREDENTIAL": "t", "DIALPOINT_BIND_HOST": "0.0.0.0"}
			byFlag := sources(environment)
			byFlag.Flags = map[string]string{"override": said}
			byFile := sources(environment)
			byFile.Path = write(t, t.TempDir(), "a.yaml", fmt.Sprintf("listeners: [{override: %q}]", said))
			byEnv := sources(vars{"DIALPOINT_CREDENTIAL": "t", "DIALPOINT_BIND_HOST": "0.0.0.0", "HERMES_DASHBOARD_WS_HOST": said})
			for _, from := range []config.Sources{byFlag, byEnv, byFile} {
				wantText(t, gateway(t, only(t, load(t, from))), want)
			}
		})
	}
}

// TestRegistryTakesListeners checks that what is loaded passes the registry's own checks, and that what has not changed
// is no change there, pointers included.
func TestRegistryTakesListeners(t *testing.T) {
	t.Parallel()
	from := fileSources(t, "a.yaml", "listeners: [{name: A.b-c_1, bind: {host: '::', port: 1, ipv6_only: true}}, {override: 'fe80::1%eth0'}]")
	registry := listener.NewRegistry(1)
	for range 2 {
		must(t, registry.Configure(load(t, from).Listeners))
		if revision := registry.Snapshot().Revision; revision != 2 {
			t.Errorf("revision is %d, want 2 however often the same is loaded", revision)
		}
	}
}

// TestLoadAtTheSameTime checks that loads share nothing.
func TestLoadAtTheSameTime(t *testing.T) {
	t.Parallel()
	loader := config.NewLoader(fileSources(t, "a.yaml", example))
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if _, err := loader.Load(); err != nil {
				t.Error(err)
			}
			loader.Reload()
		})
	}
	all.Wait()
}

func BenchmarkLoad(b *testing.B) {
	for name, content := range map[string]string{"example": example, "small": "store: memory"} {
		b.Run(name, func(b *testing.B) {
			loader := config.NewLoader(fileSources(b, "a.yaml", content))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := loader.Load(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
