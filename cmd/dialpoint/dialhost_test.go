package main_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"dialpoint/client"
)

// dialHost is a row of the table that the service exists for (issue 2): what a dashboard binds, what the operator says
// must be dialled, and what comes of it on the default path with the credential "t".
type dialHost struct {
	// bind is the bind host. Nil says nothing of it.
	bind     *string
	ipv6Only bool
	override string
	// root is the URL before the endpoint's path.
	root string
	// warned is a word of a warning that the answer must have.
	warned string
}

func (d dialHost) gateway() string { return d.root + "/api/ws?token=t" }

func (d dialHost) sidecar() string { return d.root + "/api/pub?token=t&channel=chat-1" }

// bound are the rows without an override.
var bound = map[string]dialHost{
	"IPv4 wildcard":                         {bind: new("0.0.0.0"), root: "ws://127.0.0.1:9119"},
	"IPv6 wildcard":                         {bind: new("::"), root: "ws://127.0.0.1:9119"},
	"IPv6 wildcard, ipv6_only":              {bind: new("::"), ipv6Only: true, root: "ws://[::1]:9119"},
	"IPv6 wildcard in brackets":             {bind: new("[::]"), root: "ws://127.0.0.1:9119"},
	"IPv6 wildcard, in brackets, ipv6_only": {bind: new("[::]"), ipv6Only: true, root: "ws://[::1]:9119"},
	"IPv6 wildcard, short":                  {bind: new("::0"), root: "ws://127.0.0.1:9119"},
	"IPv6 wildcard, long":                   {bind: new("0:0:0:0:0:0:0:0"), root: "ws://127.0.0.1:9119"},
	"IPv4 wildcard in IPv6":                 {bind: new("::ffff:0.0.0.0"), root: "ws://127.0.0.1:9119"},
	"star":                                  {bind: new("*"), root: "ws://127.0.0.1:9119"},
	"zero":                                  {bind: new("0"), root: "ws://127.0.0.1:9119"},
	"loopback":                              {bind: new("127.0.0.1"), root: "ws://127.0.0.1:9119"},
	"another loopback":                      {bind: new("127.0.0.2"), root: "ws://127.0.0.2:9119"},
	"private address":                       {bind: new("192.168.1.5"), root: "ws://192.168.1.5:9119"},
	"shared address":                        {bind: new("100.64.3.7"), root: "ws://100.64.3.7:9119"},
	"name":                                  {bind: new("fly-app.example.dev"), root: "ws://fly-app.example.dev:9119"},
	"IPv6 loopback":                         {bind: new("::1"), root: "ws://[::1]:9119"},
	"IPv6 address":                          {bind: new("2001:db8::5"), root: "ws://[2001:db8::5]:9119"},
	"zone":                                  {bind: new("fe80::1%eth0"), root: "ws://[fe80::1%25eth0]:9119", warned: "browsers"},
}

// overridden are the rows with an override, for any bind host.
var overridden = map[string]dialHost{
	"override host": {override: "10.0.0.7", root: "ws://10.0.0.7:9119"},
	"override port": {override: "10.0.0.7:9443", root: "ws://10.0.0.7:9443"},
	"override URL":  {override: "https://edge.example/hermes/", root: "wss://edge.example/hermes"},
}

// blank are overrides that say nothing.
var blank = map[string]string{"empty": "", "spaces": "   ", "tab": "\t", "CR": "\r", "CR LF": "\r\n"}

// dialHosts are all rows that can be said in every way.
func dialHosts() map[string]dialHost {
	rows := maps.Clone(bound)
	binds := map[string]*string{"no bind host": nil, "wildcard": new("0.0.0.0"), "address": new("192.168.1.5"), "IPv6": new("::1"), "name": new("fly-app.example.dev")}
	for name, row := range overridden {
		for what, bind := range binds {
			row.bind = bind
			rows[name+" over "+what] = row
		}
	}
	for name, override := range blank {
		rows["blank override: "+name] = dialHost{bind: new("0.0.0.0"), override: override, root: "ws://127.0.0.1:9119"}
	}
	return rows
}

// TestDialHostsOfAFile: one service with a listener for each row.
func TestDialHostsOfAFile(t *testing.T) {
	t.Parallel()
	rows := dialHosts()
	rows["empty bind host with a port"] = dialHost{bind: new(""), root: "ws://127.0.0.1:9119"}
	h := newHome(t)
	h.write(t, "token", "t\n")
	var file strings.Builder
	file.WriteString("listeners:\n")
	names := map[string]string{}
	for name, row := range rows {
		names[name] = fmt.Sprintf("row-%d", len(names))
		file.WriteString(row.yaml(names[name]))
	}
	s := h.serve(t, nil, "--config", h.write(t, "dialpoint.yaml", file.String()))
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t, s.connect(t, s.tcp), names[name])
		})
	}
}

// yaml is the row as an item of the list of listeners.
func (d dialHost) yaml(name string) string {
	text := fmt.Sprintf("  - name: %s\n    auth: {credential_file: token}\n    override: %q\n    bind:\n      port: 9119\n", name, d.override)
	if d.bind != nil {
		text += fmt.Sprintf("      host: %q\n", *d.bind)
	}
	if d.ipv6Only {
		text += "      ipv6_only: true\n"
	}
	return text
}

// check asks several times, since no answer may change what is asked for.
func (d dialHost) check(t *testing.T, caller *client.Client, listener string) {
	t.Helper()
	for range 3 {
		got, err := caller.Resolve(t.Context(), client.Request{Listener: listener, Channel: "chat-1"})
		if err != nil {
			t.Fatal(err)
		}
		if got.GetGateway().GetUrl() != d.gateway() || got.GetSidecar().GetUrl() != d.sidecar() {
			t.Errorf("gateway %s and sidecar %s, want %s and %s", got.GetGateway().GetUrl(), got.GetSidecar().GetUrl(), d.gateway(), d.sidecar())
		}
		if warnings := got.GetExplanation().GetWarnings(); !strings.Contains(strings.Join(warnings, "\n"), d.warned) || d.warned == "" && len(warnings) > 0 {
			t.Errorf("warnings %q, want %q", warnings, d.warned)
		}
	}
	found, err := caller.GetListener(t.Context(), listener)
	mustDo(t, err)
	if d.bind != nil && found.GetBind().GetHost() != *d.bind {
		t.Errorf("GetListener has the bind host %q, want it as it was said: %q", found.GetBind().GetHost(), *d.bind)
	}
}

// sayings are the ways to say a row of the default listener outside of a file.
var sayings = map[string]struct {
	bind, override func(string) (env, args []string)
}{
	"flag":             {asFlag("--bind-host"), asFlag("--override")},
	"DIALPOINT names":  {asEnv("DIALPOINT_BIND_HOST"), asEnv("DIALPOINT_OVERRIDE")},
	"HERMES names":     {asEnv("HERMES_DASHBOARD_HOST"), asEnv("HERMES_DASHBOARD_WS_HOST")},
	"both, crosswise":  {asFlag("--bind-host"), asEnv("HERMES_DASHBOARD_WS_HOST")},
	"both, other ways": {asEnv("HERMES_DASHBOARD_HOST"), asFlag("--override")},
}

func asFlag(name string) func(string) ([]string, []string) {
	return func(value string) (env, args []string) { return nil, []string{name, value} }
}

func asEnv(name string) func(string) ([]string, []string) {
	return func(value string) (env, args []string) { return []string{name + "=" + value}, nil }
}

// TestDialHostsOfFlagsAndEnvironment: one service for each row, since these speak of the default listener alone.
func TestDialHostsOfFlagsAndEnvironment(t *testing.T) {
	t.Parallel()
	slots := make(chan struct{}, 4)
	for how, saying := range sayings {
		crossed := strings.HasPrefix(how, "both")
		for name, row := range dialHosts() {
			if crossed && (row.bind == nil || row.override == "") {
				continue
			}
			t.Run(how+"/"+name, func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				env, args := row.say(t, saying.bind, saying.override)
				row.checkAlone(t, env, args)
			})
		}
	}
}

func (d dialHost) say(t *testing.T, bind, override func(string) ([]string, []string)) (env, args []string) {
	t.Helper()
	env, args = []string{"DIALPOINT_BIND_PORT=9119", "DIALPOINT_CREDENTIAL=t"}, nil
	if d.bind != nil {
		moreEnv, moreArgs := bind(*d.bind)
		env, args = slices.Concat(env, moreEnv), slices.Concat(args, moreArgs)
	}
	moreEnv, moreArgs := override(d.override)
	return slices.Concat(env, moreEnv), slices.Concat(args, moreArgs)
}

// checkAlone checks the row as the default listener of a service of its own. What only a file can say is in a file.
func (d dialHost) checkAlone(t *testing.T, env, args []string) {
	t.Helper()
	h := newHome(t)
	if d.ipv6Only {
		args = append(args, "--config", h.write(t, "dialpoint.yaml", "listeners: [{name: default, bind: {ipv6_only: true}}]\n"))
	}
	s := h.serve(t, env, args...)
	d.check(t, s.connect(t, s.unix), "")
}

// TestQuotesInTheEnvironment: container runtimes hand on the quotes of an env file, and Windows its carriage returns.
func TestQuotesInTheEnvironment(t *testing.T) {
	t.Parallel()
	for name, override := range map[string]string{
		"double quotes":    `"10.0.0.7"`,
		"single quotes":    `'10.0.0.7'`,
		"CR":               "10.0.0.7\r",
		"quotes and CR":    "\"10.0.0.7\"\r",
		"spaces in quotes": `" 10.0.0.7 "`,
	} {
		for _, variable := range []string{"DIALPOINT_OVERRIDE", "HERMES_DASHBOARD_WS_HOST"} {
			t.Run(variable+"/"+name, func(t *testing.T) {
				t.Parallel()
				env := []string{"DIALPOINT_CREDENTIAL=t", "DIALPOINT_BIND_HOST=0.0.0.0", variable + "=" + override}
				dialHost{bind: new("0.0.0.0"), root: "ws://10.0.0.7:9119"}.checkAlone(t, env, nil)
			})
		}
	}
}

// TestBlankFirstNames: a variable of ours that is blank leaves the word to that of Hermes.
func TestBlankFirstNames(t *testing.T) {
	t.Parallel()
	env := []string{
		"DIALPOINT_BIND_HOST= ", "HERMES_DASHBOARD_HOST=0.0.0.0",
		"DIALPOINT_BIND_PORT=", "HERMES_DASHBOARD_PORT=9200",
		"DIALPOINT_OVERRIDE=\t", "HERMES_DASHBOARD_WS_HOST=10.0.0.7",
		"DIALPOINT_CREDENTIAL=", "HERMES_DASHBOARD_SESSION_TOKEN=t",
	}
	dialHost{bind: new("0.0.0.0"), root: "ws://10.0.0.7:9200"}.checkAlone(t, env, nil)
}

// TestPortOfAKubernetesService: Kubernetes sets HERMES_DASHBOARD_PORT beside a Service of that name. It is no port.
func TestPortOfAKubernetesService(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serve(t, []string{"DIALPOINT_CREDENTIAL=t", "HERMES_DASHBOARD_HOST=0.0.0.0", "HERMES_DASHBOARD_PORT=tcp://10.96.0.1:80"})
	dialHost{bind: new("0.0.0.0"), root: "ws://127.0.0.1:9119", warned: "HERMES_DASHBOARD_PORT"}.check(t, s.connect(t, s.unix), "")
	if !strings.Contains(s.log.String(), "level=WARN") {
		t.Errorf("no warning in the log:\n%s", s.log)
	}
}
