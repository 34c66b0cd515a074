package config_test

import (
	"strings"
	"testing"

	"dialpoint/server/config"
)

const rootKeys = "; there are etcd, listeners, log, node, serve, store"

// TestRefusedInEveryFormat is what viper or mapstructure would accept, convert or drop, and what rules refuse.
func TestRefusedInEveryFormat(t *testing.T) {
	t.Parallel()
	bind := func(key string, value any) document {
		return document{"listeners": []any{document{"bind": document{key: value}}}}
	}
	ofListener := func(key string, value any) document {
		return document{"listeners": []any{document{"name": "a"}, document{key: value}}}
	}
	const port = `: must be a port, a number from 0 to 65535`
	tests := map[string]struct {
		content document
		want    string
	}{
		"unknown key":                {document{"server": 1}, "server: there is no such key" + rootKeys},
		"unknown key below":          {document{"log": document{"depth": "info"}}, "log.depth: there is no such key; there are format, level"},
		"unknown key in a list":      {bind("hots", "::"), "listeners[0].bind.hots: there is no such key; there are host, ipv6_only, port, tls"},
		"unknown key, empty section": {document{"server": document{}}, "server: there is no such key" + rootKeys},
		"unknown key, empty list":    {document{"server": []any{}}, "server: there is no such key" + rootKeys},
		"unknown key, empty below":   {document{"serve": document{"tls": document{"cert": document{}}}}, "serve.tls.cert: there is no such key; there are cert_file, client_ca_file, key_file, min_version"},
		"key in capitals":            {document{"Store": "memory"}, "Store: there is no such key" + rootKeys},
		"key with a dot":             {document{"log.level": "info"}, "log.level: there is no such key" + rootKeys},
		"key below with a dot":       {document{"serve": document{"tls.min_version": "1.3"}}, "serve.tls.min_version: there is no such key; there are allowed_hosts, child_token_file, limits, operator_token_file, tcp, tcp_plaintext, tls, unix, unix_allow"},
		"secret under a wrong key":   {ofListener("auth", document{"token": "s3cr3t"}), "listeners[1].auth.token: there is no such key; there are credential_file, mode"},

		"text for a section":      {document{"serve": "x"}, "serve: must be a section, with keys of its own"},
		"list for a section":      {document{"serve": []any{}}, "serve: must be a section, with keys of its own"},
		"section for a list":      {document{"listeners": document{"default": document{}}}, "listeners: must be a list"},
		"empty section for list":  {document{"listeners": document{}}, "listeners: must be a list"},
		"text for a list":         {document{"listeners": "default"}, "listeners: must be a list"},
		"text in a list":          {document{"listeners": []any{"default"}}, "listeners[0]: must be a section, with keys of its own"},
		"section for a value":     {document{"store": document{"memory": true}}, "store: must be one value, no list and no section"},
		"empty section for value": {document{"store": document{}}, "store: must be one value, no list and no section"},
		"list for a value":        {ofListener("override", []any{"10.0.0.7"}), "listeners[1].override: must be one value, no list and no section"},

		"number for an address":  {document{"serve": document{"tcp": 9118}}, `serve.tcp: 9118: must be text: put it in quotes`},
		"number for text":        {ofListener("override", 10), `listeners[1].override: 10: must be text: put it in quotes`},
		"number for a name":      {ofListener("name", 9119), `listeners[1].name: 9119: must be text: put it in quotes`},
		"boolean for text":       {document{"store": true}, `store: true: must be text: put it in quotes`},
		"boolean for a host":     {bind("host", true), `listeners[0].bind.host: true: must be text: put it in quotes`},
		"fraction for a host":    {bind("host", 10.5), `listeners[0].bind.host: 10.5: must be text: put it in quotes`},
		"number for a boolean":   {bind("tls", 1), `listeners[0].bind.tls: 1: must be true or false, without quotes`},
		"text for a boolean":     {bind("tls", "true"), `listeners[0].bind.tls: "true": must be true or false, without quotes`},
		"text for a port":        {bind("port", "9119"), `listeners[0].bind.port: "9119"` + port + `, without quotes`},
		"fraction for a port":    {bind("port", 9119.5), `listeners[0].bind.port: 9119.5` + port + `, without quotes`},
		"negative port":          {bind("port", -1), `listeners[0].bind.port: "-1"` + port},
		"port too large":         {bind("port", 65536), `listeners[0].bind.port: "65536"` + port},
		"port too large by far":  {bind("port", int64(1)<<53), `listeners[0].bind.port: "9007199254740992"` + port},
		"text for a limit":       {document{"serve": document{"limits": document{"calls": "1024"}}}, `serve.limits.calls: "1024": must be a whole number, without quotes`},
		"number in a text list":  {document{"serve": document{"allowed_hosts": []any{1}}}, `serve.allowed_hosts[0]: 1: must be text: put it in quotes`},
		"text for a text list":   {document{"serve": document{"unix_allow": "user:0"}}, `serve.unix_allow: must be a list`},
		"list in a text list":    {document{"serve": document{"allowed_hosts": []any{[]any{"x"}}}}, `serve.allowed_hosts[0]: must be one value, no list and no section`},
		"section for a token":    {document{"serve": document{"child_token_file": document{"token": "s3cr3t"}}}, `serve.child_token_file: must be one value, no list and no section`},
		"number for a token":     {document{"serve": document{"operator_token_file": 1}}, `serve.operator_token_file: 1: must be text: put it in quotes`},
		"number for a version":   {document{"serve": document{"tls": document{"min_version": 1.3}}}, `serve.tls.min_version: 1.3: must be text: put it in quotes`},
		"boolean for a key":      {document{"serve": document{"tls": document{"key_file": true}}}, `serve.tls.key_file: true: must be text: put it in quotes`},
		"fraction for a limit":   {document{"serve": document{"limits": document{"streams": 1.5}}}, `serve.limits.streams: 1.5: must be a whole number, without quotes`},
		"number that is no host": {bind("host", 5), `listeners[0].bind.host: "5" is no host: it ends in a number, and is no IPv4 address in the form 192.0.2.1`},

		"host with white space": {bind("host", "a b"), `listeners[0].bind.host: "a b" is no host: it holds white space`},
		"variable not expanded": {ofListener("advertise", "${HOST}"), `listeners[1].advertise: "${HOST}" is no target: it holds a $: was a variable not expanded?`},
		"wildcard override":     {ofListener("override", "0.0.0.0"), `listeners[1].override: "0.0.0.0" is no target: a wildcard can be bound but not dialled; leave it out to let loopback take its place`},
		"user info":             {ofListener("override", "u:s3cr3t@x"), `listeners[1].override: "REDACTED@x" is no target: it may hold no user info`},
		"dots in a path":        {ofListener("base_path", "/a/../b"), `listeners[1].base_path: "/a/../b" is no path: it may hold no ".", ".." or wrongly escaped part, and none of ?#[]\"<>^` + "`{|} or white space"},
		"root as gateway path":  {ofListener("gateway_path", "/"), `listeners[1].gateway_path: "/" is no endpoint path: it must name a path below the base path, such as /api/ws`},
		"auth mode":             {ofListener("auth", document{"mode": "basic"}), `listeners[1].auth.mode: "basic" is no auth mode: it must be token, internal or none`},
		"name with a space":     {ofListener("name", "a b"), `listeners[1].name: "a b": a listener's name must be 1 to 128 of the characters A-Z a-z 0-9 . _ -`},
		"empty name":            {ofListener("name", ""), `listeners[1].name: "": a listener's name must be 1 to 128 of the characters A-Z a-z 0-9 . _ -`},
		"name there twice":      {ofListener("name", "a"), `listeners[1].name: "a": another listener has this name: give each one of its own`},
		"default name twice":    {document{"listeners": []any{document{}, document{}}}, `listeners[1].name: "default": another listener has this name: give each one of its own`},
		"store":                 {document{"store": "redis"}, `store: "redis": must be memory`},
		"log level":             {document{"log": document{"level": "INFO"}}, `log.level: "INFO": must be debug, info, warn or error`},
		"log format":            {document{"log": document{"format": "xml"}}, `log.format: "xml": must be text or json`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inEveryFormat(t, test.content, func(t *testing.T, from config.Sources) {
				t.Helper()
				wantText(t, loadError(t, from), "file FILE: "+test.want)
			})
		})
	}
}

// TestNotYet checks each key that has no effect yet: it may say what holds anyway, and nothing else.
func TestNotYet(t *testing.T) {
	t.Parallel()
	const notYet = "this version does not act on it yet: "
	tests := map[string]struct{ content, want string }{
		"etcd":             {"store: etcd", `store: "etcd": ` + notYet + `must be memory`},
		"etcd endpoints":   {"etcd: {endpoints: ['http://u:s3cr3t@x']}", `etcd.endpoints: ` + notYet + `must be [] or left out`},
		"etcd prefix":      {"etcd: {prefix: /x}", `etcd.prefix: "/x": ` + notYet + `must be "/dialpoint" or left out`},
		"etcd user":        {"etcd: {username: x}", `etcd.username: "x": ` + notYet + `must be "" or left out`},
		"etcd password":    {"etcd: {password_file: x}", `etcd.password_file: "x": ` + notYet + `must be "" or left out`},
		"etcd authority":   {"etcd: {tls: {ca_file: x}}", `etcd.tls.ca_file: "x": ` + notYet + `must be "" or left out`},
		"etcd certificate": {"etcd: {tls: {cert_file: x}}", `etcd.tls.cert_file: "x": ` + notYet + `must be "" or left out`},
		"etcd key":         {"etcd: {tls: {key_file: x}}", `etcd.tls.key_file: "x": ` + notYet + `must be "" or left out`},
		"node name":        {"node: {name: x}", `node.name: "x": ` + notYet + `must be "" or left out`},
		"node address":     {"node: {address: x}", `node.address: "x": ` + notYet + `must be "" or left out`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantText(t, loadErrorYAML(t, test.content), "file FILE: "+test.want)
		})
	}
}

// TestEveryProblemAtOnce checks that an operator need not start again and again to see the next one.
func TestEveryProblemAtOnce(t *testing.T) {
	t.Parallel()
	from := fileSources(t, "dialpoint.yaml", `
serve: {tcp: 0.0.0.0:9118, tcpp: 1}
listeners:
  - {name: a, bind: {port: x}, override: "*"}
  - {name: a, auth: {credential_file: missing}}
log: {level: loud}
`)
	from.LookupEnv = vars{"DIALPOINT_BIND_PORT": "-1", "DIALPOINT_STORE": "disk"}.lookup
	from.Flags = map[string]string{"advertise": "ftp://x", "unix": "unix:///x"}
	got := loadError(t, from)
	for _, want := range []string{
		"file FILE: serve.tcpp: ", "file FILE: serve.tcp: ", "file FILE: listeners[0].bind.port: ", "file FILE: listeners[0].override: ",
		"file FILE: listeners[1].name: ", "file FILE: listeners[1].auth.credential_file: ", "file FILE: log.level: ",
		"env DIALPOINT_BIND_PORT: ", "env DIALPOINT_STORE: ", "flag --advertise: ", "flag --unix: ",
	} {
		if strings.Count("\n"+got, "\n"+want) != 1 {
			t.Errorf("there is not exactly one line that begins with %q in\n%s", want, got)
		}
	}
	if lines := strings.Count(got, "\n") + 1; lines != 11 {
		t.Errorf("there are %d lines, want 11:\n%s", lines, got)
	}
}
