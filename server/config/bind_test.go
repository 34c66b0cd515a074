package config_test

import (
	"testing"

	"dialpoint/server/config"
	"dialpoint/server/rules"
)

// TestBind is what becomes of host and port, said or not said, in the file.
func TestBind(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		bind    string
		text    string
		source  string
		port    rules.Port
		dialled string
	}{
		"both":                     {"{host: 0.0.0.0, port: 9119}", "0.0.0.0", "bind.host", 9119, "127.0.0.1:9119"},
		"neither":                  {"{}", "", "", 0, ""},
		"neither, but the rest":    {"{ipv6_only: true, tls: true}", "", "", 0, ""},
		"host alone":               {"{host: 10.0.0.7}", "10.0.0.7", "bind.host", 9119, "10.0.0.7:9119"},
		"port alone":               {"{port: 9443}", "127.0.0.1", "default", 9443, "127.0.0.1:9443"},
		"port 0":                   {"{host: 0.0.0.0, port: 0}", "0.0.0.0", "bind.host", 0, ""},
		"port 0 alone":             {"{port: 0}", "127.0.0.1", "default", 0, ""},
		"empty host and port":      {"{host: '', port: 9119}", "", "bind.host", 9119, "127.0.0.1:9119"},
		"empty host and port 0":    {"{host: '', port: 0}", "", "bind.host", 0, ""},
		"empty host alone":         {"{host: ''}", "", "", 0, ""},
		"blank host and port":      {"{host: ' ', port: 9443}", "127.0.0.1", "default", 9443, "127.0.0.1:9443"},
		"blank host alone":         {"{host: \"\\t\"}", "", "", 0, ""},
		"white space stays":        {"{host: ' 0.0.0.0 ', port: 1}", " 0.0.0.0 ", "bind.host", 1, "127.0.0.1:1"},
		"case stays":               {"{host: LOCALHOST, port: 1}", "LOCALHOST", "bind.host", 1, "localhost:1"},
		"brackets stay":            {"{host: '[::0]', port: 1}", "[::0]", "bind.host", 1, "127.0.0.1:1"},
		"number":                   {"{host: 0, port: 1}", "0", "bind.host", 1, "127.0.0.1:1"},
		"IPv6 wildcard":            {"{host: '::', port: 1}", "::", "bind.host", 1, "127.0.0.1:1"},
		"IPv6 wildcard, ipv6_only": {"{host: '::', port: 1, ipv6_only: true}", "::", "bind.host", 1, "::1:1"},
		"quotes in the file":       {"{host: \"10.0.0.7\", port: 1}", "10.0.0.7", "bind.host", 1, "10.0.0.7:1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loaded := loadYAML(t, "listeners: [{bind: "+test.bind+", auth: {mode: none}}]")
			one := only(t, loaded)
			if test.source == "bind.host" {
				test.source = "file " + loaded.File + " listeners[0].bind.host"
			}
			if one.Bind.Text != test.text || one.Bind.Source != test.source || one.Bind.Port != test.port {
				t.Errorf("bind is %+v, want %q from %q and port %d", one.Bind, test.text, test.source, test.port)
			}
			wantText(t, dialled(one.Listener), test.dialled)
		})
	}
}

// dialled is what a local caller dials, or empty.
func dialled(listener rules.Listener) string {
	endpoints, err := rules.Resolve(listener, rules.Caller{Audience: rules.Local})
	if err != nil {
		return ""
	}
	return endpoints.Explanation.DialHost.String() + ":" + endpoints.Explanation.DialPort.String()
}

// TestEmptyHost is what becomes of an empty host where others speak, too.
func TestEmptyHost(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		flags, env   map[string]string
		bind         string
		host, source string
	}{
		"flag and a port flag":       {flags: vars{"bind-host": "", "bind-port": "1"}, host: "", source: "flag --bind-host"},
		"flag and a port in the env": {flags: vars{"bind-host": ""}, env: vars{"HERMES_DASHBOARD_PORT": "1"}, host: "", source: "flag --bind-host"},
		"flag and a port in a file":  {flags: vars{"bind-host": ""}, bind: "{port: 1}", host: "", source: "flag --bind-host"},
		"flag over the env":          {flags: vars{"bind-host": "", "bind-port": "1"}, env: vars{"DIALPOINT_BIND_HOST": "10.0.0.7"}, host: "", source: "flag --bind-host"},
		"flag without a port":        {flags: vars{"bind-host": ""}, host: "", source: "default"},
		"flag without, then the env": {flags: vars{"bind-host": ""}, env: vars{"DIALPOINT_BIND_HOST": "10.0.0.7"}, host: "10.0.0.7", source: "env DIALPOINT_BIND_HOST"},
		"blank flag, then the env":   {flags: vars{"bind-host": " ", "bind-port": "1"}, env: vars{"DIALPOINT_BIND_HOST": "10.0.0.7"}, host: "10.0.0.7", source: "env DIALPOINT_BIND_HOST"},
		"env is not set":             {env: vars{"DIALPOINT_BIND_HOST": "", "DIALPOINT_BIND_PORT": "1"}, host: "127.0.0.1", source: "default"},
		"flag keeps its white space": {flags: vars{"bind-host": " :: "}, host: " :: ", source: "flag --bind-host"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := sources(test.env)
			from.Flags = test.flags
			if test.bind != "" {
				from.Path = write(t, t.TempDir(), "a.yaml", "listeners: [{bind: "+test.bind+"}]")
			}
			host, source := setting(t, load(t, from), "listeners[default].bind.host")
			wantText(t, source+" "+host, test.source+" "+test.host)
		})
	}
}

func TestIPv6OnlyIsKnownOrNot(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{"": "unknown", "ipv6_only: true": "true", "ipv6_only: false": "false"} {
		bind := only(t, loadYAML(t, "listeners: [{bind: {"+said+"}}]")).Bind
		got := "unknown"
		if bind.IPv6Only != nil {
			got = map[bool]string{true: "true", false: "false"}[*bind.IPv6Only]
		}
		wantText(t, got, want)
	}
}

// TestTargetsKeepTheirSource checks what an answer's explanation will say.
func TestTargetsKeepTheirSource(t *testing.T) {
	t.Parallel()
	from := fileSources(t, "a.yaml", "listeners: [{override: 'https://edge.example/hermes/', advertise: ' 10.0.0.8:9443 '}]")
	from.LookupEnv = vars{"DIALPOINT_ADVERTISE": "10.0.0.9"}.lookup
	one := only(t, load(t, from))
	wantText(t, one.Override.Source, "file "+from.Path+" listeners[0].override")
	wantText(t, one.Override.Text, "https://edge.example/hermes/")
	wantText(t, one.Advertise.Source, "env DIALPOINT_ADVERTISE")
	wantText(t, one.Advertise.Text, "10.0.0.9")
}

func TestPaths(t *testing.T) {
	t.Parallel()
	one := only(t, loadYAML(t, "listeners: [{base_path: hermes/, gateway_path: //a//b, sidecar_path: ' '}]"))
	wantText(t, string(one.BasePath), "/hermes")
	wantText(t, string(one.GatewayPath), "/a/b")
	wantText(t, string(one.SidecarPath), "/api/pub")
}

// TestListeners is which listeners there are, and in which order.
func TestListeners(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		file       string
		flags, env map[string]string
		want       []string
	}{
		"nothing said":            {want: []string{"default"}},
		"file without listeners":  {file: "store: memory", want: []string{"default"}},
		"file with none":          {file: "listeners: []", want: []string{"default"}},
		"file with others":        {file: "listeners: [{name: b}, {name: a}]", want: []string{"b", "a"}},
		"file with the default":   {file: "listeners: [{name: b}, {}]", flags: vars{"bind-port": "1"}, want: []string{"b", "default"}},
		"flag":                    {file: "listeners: [{name: a}]", flags: vars{"override": "10.0.0.7"}, want: []string{"a", "default"}},
		"empty host with a port":  {file: "listeners: [{name: a}]", flags: vars{"bind-host": "", "bind-port": "1"}, want: []string{"a", "default"}},
		"variable":                {file: "listeners: [{name: a}]", env: vars{"HERMES_DASHBOARD_HOST": "0.0.0.0"}, want: []string{"a", "default"}},
		"credential":              {file: "listeners: [{name: a}]", env: vars{"HERMES_DASHBOARD_SESSION_TOKEN": "t"}, want: []string{"a", "default"}},
		"blank flag and variable": {file: "listeners: [{name: a}]", flags: vars{"advertise": " "}, env: vars{"DIALPOINT_OVERRIDE": " "}, want: []string{"a"}},
		"port of a Service":       {file: "listeners: [{name: a}]", env: vars{"HERMES_DASHBOARD_PORT": "tcp://10.96.0.1:80"}, want: []string{"a"}},
		"flags of the server":     {file: "listeners: [{name: a}]", flags: vars{"tcp": "none"}, want: []string{"a"}},
		"variables of the server": {file: "listeners: [{name: a}]", env: vars{"DIALPOINT_LOG_LEVEL": "debug"}, want: []string{"a"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := sources(test.env)
			from.Flags = test.flags
			if test.file != "" {
				from.Path = write(t, t.TempDir(), "a.yaml", test.file)
			}
			var names []string
			for _, one := range load(t, from).Listeners {
				names = append(names, one.Name)
			}
			wantList(t, "listeners", names, test.want)
		})
	}
}

// TestEnvironmentIsOfDefaultAlone checks that another listener is not told what is said of the default one.
func TestEnvironmentIsOfDefaultAlone(t *testing.T) {
	t.Parallel()
	from := fileSources(t, "a.yaml", "listeners: [{name: a, bind: {port: 1}}]")
	from.Flags = map[string]string{"bind-host": "10.0.0.7", "override": "10.0.0.8"}
	from.LookupEnv = vars{"DIALPOINT_CREDENTIAL": "t", "DIALPOINT_AUTH_MODE": "internal", "DIALPOINT_ADVERTISE": "10.0.0.9"}.lookup
	loaded := load(t, from)
	other, ofDefault := loaded.Listeners[0], loaded.Listeners[1]
	if other.Bind.Text != "127.0.0.1" || !other.Override.IsZero() || !other.Advertise.IsZero() || other.Auth.Mode != "" {
		t.Errorf("listener a is %+v", other)
	}
	if ofDefault.Bind.Text != "10.0.0.7" || ofDefault.Override.IsZero() || ofDefault.Advertise.IsZero() || ofDefault.Auth.Mode != rules.AuthInternal {
		t.Errorf("listener default is %+v", ofDefault)
	}
}

// TestLoadIsFresh checks that nothing is left of an earlier load.
func TestLoadIsFresh(t *testing.T) {
	t.Parallel()
	from := fileSources(t, "a.yaml", "listeners: [{override: 10.0.0.7}]\nlog: {level: debug}\n")
	loader := config.NewLoader(from)
	if _, err := loader.Load(); err != nil {
		t.Fatal(err)
	}
	if err := writeOver(from.Path, "listeners: [{bind: {port: 1}}]"); err != nil {
		t.Fatal(err)
	}
	loaded, err := loader.Load()
	if err != nil {
		t.Fatal(err)
	}
	if one := only(t, loaded); !one.Override.IsZero() || one.Bind.Port != 1 || loaded.Log.Level != 0 {
		t.Errorf("got %+v", loaded)
	}
}
