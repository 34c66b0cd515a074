//go:build e2e

package doctor_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// pythonChild decides as the library websockets does from version 15 on: by urllib, with the schemes in the order of
// https://websockets.readthedocs.io/en/stable/topics/proxies.html. It reads children by name, and prints for each the
// value of the variable that catches it.
const pythonChild = `
import json, os, sys, urllib.parse, urllib.request

def caught(child):
    os.environ.clear()
    os.environ.update(child["env"])
    target = urllib.parse.urlparse(child["url"])
    secure = target.scheme == "wss"
    port = target.port or (443 if secure else 80)
    proxies = urllib.request.getproxies_environment()
    if urllib.request.proxy_bypass_environment(f"{target.hostname}:{port}"):
        return ""
    schemes = ["wss", "socks", "https"] if secure else ["ws", "socks", "https", "http"]
    return next((proxies[scheme] for scheme in schemes if scheme in proxies), "")

json.dump({name: caught(child) for name, child in json.load(sys.stdin).items()}, sys.stdout)
`

// TestE2EPython: Python's own urllib decides as its manner says, and by the same variable.
func TestE2EPython(t *testing.T) {
	t.Parallel()
	type child struct {
		URL string            `json:"url"`
		Env map[string]string `json:"env"`
	}
	asked := make(map[string]child)
	for name, test := range children {
		asked[name] = child{targetOf(t, test.override).String(), valuesAreNames(test.env)}
	}
	input, err := json.Marshal(asked)
	must(t, err)
	command := exec.CommandContext(t.Context(), "python3", "-c", pythonChild)
	command.Stdin = bytes.NewReader(input)
	output, err := command.Output()
	if err != nil {
		t.Fatalf("python3: %v", err)
	}
	var caught map[string]string
	must(t, json.Unmarshal(output, &caught))
	for name, test := range children {
		if got, found := caught[name]; !found || got != test.python {
			t.Errorf("%s: Python is caught by %q (asked: %v), and its manner says by %q", name, got, found, test.python)
		}
	}
}

// valuesAreNames is an environment in which each variable of a proxy has its own name for a value.
func valuesAreNames(env map[string]string) map[string]string {
	named := make(map[string]string)
	for name, value := range env {
		lower := strings.ToLower(name)
		if value != "" && strings.HasSuffix(lower, "_proxy") && lower != "no_proxy" {
			value = name
		}
		named[name] = value
	}
	return named
}
