//go:build e2e

package e2e_test

import (
	"os/exec"
	"strings"
	"testing"
)

// The story that a person can run tells what the tests here check.
func TestE2EStory(t *testing.T) {
	t.Parallel()
	need(t, "tinyproxy")
	nodeDir(t)
	story := exec.CommandContext(t.Context(), "go", "run", "./examples/wildcard")
	story.Dir = root
	output, err := story.CombinedOutput()
	if err != nil {
		t.Fatalf("go run ./examples/wildcard: %v\n%s", err, output)
	}
	for _, part := range []string{
		"proxy | CONNECT 0.0.0.0:", "It went to the proxy", "rule      wildcard to loopback",
		"node | connected: gateway.ready", "proxy | (nothing)", "It connected directly.",
	} {
		if !strings.Contains(string(output), part) {
			t.Errorf("the story does not tell %q:\n%s", part, output)
		}
	}
	if strings.Contains(string(output), "token=not-a-secret") {
		t.Errorf("the story shows the token:\n%s", output)
	}
}
