package config_test

import (
	"strings"
	"testing"

	"dialpoint/server/config"
)

// TestEnvironmentText checks what is stripped from variables: env files of container runtimes and files written on
// Windows leave quotes and carriage returns in them.
func TestEnvironmentText(t *testing.T) {
	t.Parallel()
	const host, override, port, mode = "listeners[default].bind.host", "listeners[default].override", "listeners[default].bind.port", "listeners[default].auth.mode"
	tests := map[string]struct{ variable, text, key, want string }{
		"white space":               {"DIALPOINT_OVERRIDE", " \t10.0.0.7\r\n", override, "10.0.0.7"},
		"double quotes":             {"HERMES_DASHBOARD_WS_HOST", `"10.0.0.7"`, override, "10.0.0.7"},
		"single quotes":             {"DIALPOINT_OVERRIDE", `'10.0.0.7'`, override, "10.0.0.7"},
		"white space in quotes":     {"DIALPOINT_OVERRIDE", `" 10.0.0.7 "`, override, "10.0.0.7"},
		"quotes and a return":       {"DIALPOINT_BIND_HOST", "\"0.0.0.0\"\r", host, "0.0.0.0"},
		"quoted port":               {"HERMES_DASHBOARD_PORT", `"9443"`, port, "9443"},
		"quoted mode":               {"DIALPOINT_AUTH_MODE", `'none'`, mode, "none"},
		"quoted level":              {"DIALPOINT_LOG_LEVEL", `"warn"`, "log.level", "warn"},
		"quoted socket":             {"DIALPOINT_UNIX", `"/run/x.sock"`, "serve.unix", "/run/x.sock"},
		"no-break space":            {"DIALPOINT_ADVERTISE", "\u00a010.0.0.7\u00a0", "listeners[default].advertise", "10.0.0.7"},
		"blank":                     {"DIALPOINT_OVERRIDE", " \t\r\n", override, ""},
		"empty":                     {"DIALPOINT_BIND_HOST", "", host, ""},
		"empty in quotes":           {"DIALPOINT_BIND_HOST", `""`, host, ""},
		"blank in quotes":           {"DIALPOINT_BIND_PORT", `" "`, port, ""},
		"case of a host stays":      {"DIALPOINT_BIND_HOST", "LocalHost", host, "LocalHost"},
		"bracketed host stays":      {"DIALPOINT_BIND_HOST", "[::]", host, "[::]"},
		"port with zeros in front":  {"DIALPOINT_BIND_PORT", "0080", port, "0080"},
		"socket that is turned off": {"DIALPOINT_UNIX", "none", "serve.unix", "none"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			value, source := setting(t, load(t, sources(vars{test.variable: test.text})), test.key)
			wantText(t, value, test.want)
			if isSet := source == "env "+test.variable; isSet != (test.want != "") {
				t.Errorf("source is %s", source)
			}
		})
	}
}

func TestEnvironmentRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ variable, text, want string }{
		"wildcard":              {"HERMES_DASHBOARD_WS_HOST", "0.0.0.0", `"0.0.0.0" is no target: a wildcard can be bound but not dialled; leave it out to let loopback take its place`},
		"scheme":                {"DIALPOINT_OVERRIDE", "ftp://x", `"ftp://x" is no target: its scheme must be ws, wss, http or https`},
		"quotes in quotes":      {"DIALPOINT_OVERRIDE", `'"10.0.0.7"'`, `"\"10.0.0.7\"" is no target: it holds a quote`},
		"secret in an address":  {"DIALPOINT_TCP", "tcp://u:s3cr3t@h:1", `"REDACTED@h:1": must be host:port, such as 127.0.0.1:9118 or [::1]:9118, or none`},
		"secret in a socket":    {"DIALPOINT_UNIX", "unix://u:s3cr3t@h", `"REDACTED@h": must be a path, without a scheme`},
		"secret in a port":      {"DIALPOINT_BIND_PORT", "u:s3cr3t@h", `"REDACTED@h": must be a port, a number from 0 to 65535`},
		"secret in a level":     {"DIALPOINT_LOG_LEVEL", "http://x/?token=s3cr3t", `"http://x/?REDACTED": must be debug, info, warn or error`},
		"long, cut on a rune":   {"DIALPOINT_STORE", strings.Repeat("a", 119) + "éé", `"` + strings.Repeat("a", 119) + `…": must be memory`},
		"port of an address":    {"DIALPOINT_TCP", "localhost:x", `"x": must be a port, a number from 0 to 65535`},
		"tab inside":            {"DIALPOINT_BIND_HOST", "0.0.0.0\t0.0.0.0", `"0.0.0.0\t0.0.0.0" is no host: it holds white space`},
		"line break inside":     {"DIALPOINT_BIND_HOST", "a\nb", `"a\nb" is no host: it holds white space`},
		"control character":     {"DIALPOINT_BIND_HOST", "a\x1bb", `"a\x1bb" is no host: it holds a character that is not printable`},
		"user info":             {"DIALPOINT_OVERRIDE", "u:p@x", `"REDACTED@x" is no target: it may hold no user info`},
		"variable not expanded": {"DIALPOINT_BIND_HOST", "${HOST}", `"${HOST}" is no host: it holds a $: was a variable not expanded?`},
		"white space":           {"DIALPOINT_ADVERTISE", "a b", `"a b" is no target: it holds white space`},
		"one quote":             {"DIALPOINT_BIND_HOST", `"10.0.0.7`, `"\"10.0.0.7" is no host: it holds a quote`},
		"quotes of two kinds":   {"DIALPOINT_BIND_HOST", `"10.0.0.7'`, `"\"10.0.0.7'" is no host: it holds a quote`},
		"two pairs of quotes":   {"DIALPOINT_BIND_HOST", `'"10.0.0.7"'`, `"\"10.0.0.7\"" is no host: it holds a quote`},
		"port":                  {"HERMES_DASHBOARD_PORT", "http", `"http": must be a port, a number from 0 to 65535`},
		"port too large":        {"DIALPOINT_BIND_PORT", "65536", `"65536": must be a port, a number from 0 to 65535`},
		"negative port":         {"DIALPOINT_BIND_PORT", "-1", `"-1": must be a port, a number from 0 to 65535`},
		"port with a sign":      {"DIALPOINT_BIND_PORT", "+80", `"+80": must be a port, a number from 0 to 65535`},
		"host with a port":      {"DIALPOINT_BIND_HOST", "10.0.0.7:80", `"10.0.0.7:80" is no host: it holds a colon, and is no IPv6 address`},
		"mode":                  {"DIALPOINT_AUTH_MODE", "Token", `"Token" is no auth mode: it must be token, internal or none`},
		"level":                 {"DIALPOINT_LOG_LEVEL", "trace", `"trace": must be debug, info, warn or error`},
		"format":                {"DIALPOINT_LOG_FORMAT", "logfmt", `"logfmt": must be text or json`},
		"store":                 {"DIALPOINT_STORE", "etcd", `"etcd": this version does not act on it yet: must be memory`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantText(t, loadError(t, sources(vars{test.variable: test.text})), "env "+test.variable+": "+test.want)
		})
	}
}

// TestServicePort checks the variable that Kubernetes sets beside a Service named hermes-dashboard.
func TestServicePort(t *testing.T) {
	t.Parallel()
	const warning = " is ignored, since it holds a URL and no port, as Kubernetes sets it beside a Service of that name: " +
		"set DIALPOINT_BIND_PORT, or enableServiceLinks: false"
	const url = "tcp://10.96.0.1:80"
	tests := map[string]struct {
		environment vars
		port        string
		source      string
		warnings    []string
	}{
		"alone":            {vars{"HERMES_DASHBOARD_PORT": url}, "", "default", []string{"env HERMES_DASHBOARD_PORT"}},
		"first name":       {vars{"DIALPOINT_BIND_PORT": url}, "", "default", []string{"env DIALPOINT_BIND_PORT"}},
		"with a port":      {vars{"DIALPOINT_BIND_PORT": "9443", "HERMES_DASHBOARD_PORT": url}, "9443", "env DIALPOINT_BIND_PORT", []string{"env HERMES_DASHBOARD_PORT"}},
		"before a port":    {vars{"DIALPOINT_BIND_PORT": url, "HERMES_DASHBOARD_PORT": "9443"}, "9443", "env HERMES_DASHBOARD_PORT", []string{"env DIALPOINT_BIND_PORT"}},
		"with a host":      {vars{"DIALPOINT_BIND_HOST": "0.0.0.0", "HERMES_DASHBOARD_PORT": url}, "9119", "default", []string{"env HERMES_DASHBOARD_PORT"}},
		"quoted":           {vars{"HERMES_DASHBOARD_PORT": `"` + url + `"`}, "", "default", []string{"env HERMES_DASHBOARD_PORT"}},
		"both, and nobody": {vars{"DIALPOINT_BIND_PORT": url, "HERMES_DASHBOARD_PORT": url}, "", "default", []string{"env DIALPOINT_BIND_PORT", "env HERMES_DASHBOARD_PORT"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.environment["DIALPOINT_AUTH_MODE"] = "none"
			loaded := load(t, sources(test.environment))
			port, source := setting(t, loaded, "listeners[default].bind.port")
			wantText(t, port+" "+source, test.port+" "+test.source)
			var want []string
			for _, where := range test.warnings {
				want = append(want, where+warning)
			}
			wantWarnings(t, loaded, want...)
		})
	}
}

// TestServicePortIsNotAsFlagOrFile checks that only a variable may be something else than a port.
func TestServicePortIsNotAsFlagOrFile(t *testing.T) {
	t.Parallel()
	from := sources(nil)
	from.Flags = map[string]string{"bind-port": "tcp://10.96.0.1:80"}
	wantText(t, loadError(t, from), `flag --bind-port: "tcp://10.96.0.1:80": must be a port, a number from 0 to 65535`)
}

// wantWarnings checks the warnings of the default listener, there and among those for the log.
func wantWarnings(t *testing.T, loaded *config.Config, want ...string) {
	t.Helper()
	wantList(t, "the listener's warnings", only(t, loaded).Warnings, want)
	wantLogged(t, loaded, want...)
}

// wantLogged checks those for the log, all of which are about the default listener.
func wantLogged(t *testing.T, loaded *config.Config, want ...string) {
	t.Helper()
	var forLog []string
	for _, warning := range want {
		forLog = append(forLog, `listener "default": `+warning)
	}
	wantList(t, "warnings for the log", loaded.Warnings, forLog)
}
