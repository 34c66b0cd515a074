package main_test

import (
	"fmt"
	"strings"
	"testing"

	"dialpoint/client"
)

// refusedTargets can be neither an override nor an advertised address. What may be a secret is not in the message.
var refusedTargets = map[string]struct{ text, problem, hidden string }{
	"wildcard":          {"0.0.0.0", "wildcard", "-"},
	"IPv6 wildcard":     {"[::]:9119", "wildcard", "-"},
	"wildcard in a URL": {"http://0.0.0.0:9119", "wildcard", "-"},
	"scheme":            {"ftp://x", "scheme", "-"},
	"user info":         {"u:p4ss@x", "user info", "p4ss"},
	"user info in URL":  {"https://u:p4ss@x/", "user info", "p4ss"},
	"query":             {"https://x/?token=p4ss", "query", "p4ss"},
	"variable":          {"${HOST}", "${HOST}", "-"},
	"white space":       {"a b", "white space", "-"},
	"port":              {"10.0.0.7:99999", "99999", "-"},
}

// targetPlaces are all that can say what to dial, each with how errors name it.
var targetPlaces = map[string]struct {
	say  func(string) (env, args []string)
	file string
	name string
}{
	"flag --override":              {asFlag("--override"), "", "flag --override"},
	"flag --advertise":             {asFlag("--advertise"), "", "flag --advertise"},
	"env DIALPOINT_OVERRIDE":       {asEnv("DIALPOINT_OVERRIDE"), "", "env DIALPOINT_OVERRIDE"},
	"env HERMES_DASHBOARD_WS_HOST": {asEnv("HERMES_DASHBOARD_WS_HOST"), "", "env HERMES_DASHBOARD_WS_HOST"},
	"env DIALPOINT_ADVERTISE":      {asEnv("DIALPOINT_ADVERTISE"), "", "env DIALPOINT_ADVERTISE"},
	"file override":                {nil, "override", "file dialpoint.yaml: listeners[0].override"},
	"file advertise":               {nil, "advertise", "file dialpoint.yaml: listeners[0].advertise"},
}

// TestRefusedTargets: the service does not start, and says whose fault that is (issue 2).
func TestRefusedTargets(t *testing.T) {
	t.Parallel()
	for place, at := range targetPlaces {
		for name, target := range refusedTargets {
			t.Run(place+"/"+name, func(t *testing.T) {
				t.Parallel()
				h := newHome(t)
				args := []string{"serve", "--tcp", "127.0.0.1:0", "--bind-host", "0.0.0.0"}
				var env []string
				if at.say != nil {
					var more []string
					env, more = at.say(target.text)
					args = append(args, more...)
				} else {
					h.write(t, "dialpoint.yaml", fmt.Sprintf("listeners: [{name: default, %s: %q}]\n", at.file, target.text))
					args = append(args, "--config", "dialpoint.yaml")
				}
				got := h.run(t, env, args...)
				if got.code != 78 || got.stdout != "" {
					t.Errorf("exit %d, want 78 and nothing served\n%s", got.code, got.stdout)
				}
				if !strings.Contains(got.stderr, at.name+": ") || !strings.Contains(got.stderr, target.problem) || strings.Contains(got.stderr, target.hidden) && target.hidden != "-" {
					t.Errorf("it said %q, want it to name %s and say of it %q", got.stderr, at.name, target.problem)
				}
			})
		}
	}
}

// TestNotBound: where host or port is not known there is no URL, and the caller is told when to ask again.
func TestNotBound(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serve(t, nil, "--config", h.write(t, "dialpoint.yaml", `
listeners:
  - {name: nothing, auth: {mode: none}}
  - {name: no-port, bind: {host: 0.0.0.0, port: 0}, auth: {mode: none}}
  - {name: port-zero-alone, bind: {port: 0}, auth: {mode: none}}
  - {name: override-without-port, override: 10.0.0.7, auth: {mode: none}}
`))
	for _, name := range []string{"nothing", "no-port", "port-zero-alone", "override-without-port"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := s.connect(t, s.tcp).Resolve(t.Context(), client.Request{Listener: name})
			wantNotBound(t, err)
		})
	}
}

// TestAudienceOfAConnection: whoever comes in over the socket or loopback shares it, whatever the Host header says.
func TestAudienceOfAConnection(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serve(t, []string{"DIALPOINT_AUTH_MODE=none"}, "--bind-host", "0.0.0.0", "--advertise", "edge.example")
	for _, address := range []string{s.unix, s.tcp} {
		for audience, want := range map[string]string{
			"":       "ws://127.0.0.1:9119/api/ws\n",
			"local":  "ws://127.0.0.1:9119/api/ws\n",
			"remote": "ws://edge.example:9119/api/ws\n",
		} {
			if got := h.must(t, nil, "resolve", "-o", "url", "--addr", address, "--audience", audience); got != want {
				t.Errorf("audience %q at %s: %q, want %q", audience, address, got, want)
			}
		}
	}
}
