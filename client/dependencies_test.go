package client_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestDependencies: each child process carries what this package imports, so that it must not come to need the
// service's configuration, storage or command libraries. Look there for a smaller way before adding to the list.
func TestDependencies(t *testing.T) {
	t.Parallel()
	const list = `{{with .Module}}{{.Path}} {{$.ImportPath}}{{end}}`
	allowed := []string{
		"connectrpc.com/connect connectrpc.com/connect",
		"google.golang.org/protobuf google.golang.org/protobuf/",
		"dialpoint dialpoint/client",
		"dialpoint dialpoint/gen/",
	}
	output, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", list, "dialpoint/client").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, output)
	}
	packages := strings.Fields(strings.ReplaceAll(string(output), " ", "\t"))
	if len(packages) == 0 {
		t.Fatal("go list shows no package of any module")
	}
	for line := range strings.Lines(string(output)) {
		if !hasAnyPrefix(strings.TrimSpace(line), allowed) {
			t.Errorf("client comes to import %q: every child process that imports client would carry it; "+
				"it may need connectrpc.com/connect, google.golang.org/protobuf and dialpoint/gen only", strings.TrimSpace(line))
		}
	}
}

func hasAnyPrefix(line string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}
