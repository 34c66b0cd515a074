package main_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what the scripts of testdata/script get into what they want")

// TestScript runs the scripts: the command as a person uses it. What they can do beside what testscript itself offers
// is in scriptCommands.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setupScript,
		Cmds:                scriptCommands,
	})
}

// setupScript gives a script directories of its own. Nothing is inherited but PATH, so that no variable is set which
// the command reads.
func setupScript(env *testscript.Env) error {
	homeDir := filepath.Join(env.WorkDir, "home")
	runtime, err := os.MkdirTemp("", "dp")
	if err != nil {
		return err
	}
	env.Defer(func() { _ = os.RemoveAll(runtime) })
	for _, variable := range processEnv(homeDir, runtime, env.WorkDir) {
		name, value, _ := strings.Cut(variable, "=")
		env.Setenv(name, value)
	}
	env.Values[servicesKey{}] = services{}
	return os.Mkdir(homeDir, 0o700)
}

// normalise puts words in the place of what differs from run to run.
func normalise(text string) string {
	for _, rule := range normalRules {
		text = rule.pattern.ReplaceAllString(text, rule.with)
	}
	return text
}

var normalRules = []struct {
	pattern *regexp.Regexp
	with    string
}{
	// A revision begins at the milliseconds since 1970.
	{regexp.MustCompile(`\b[12]\d{12}\b`), "REVISION"},
	{regexp.MustCompile(`127\.0\.0\.1:(?:[1-8]\d{4}|9[0-8]\d{3})\b`), "127.0.0.1:PORT"},
	{regexp.MustCompile(`/\w[^\s']*/dialpoint/(dialpoint\.sock|(?:child|operator)\.token)\b`), "/run/user/1000/dialpoint/$1"},
	{regexp.MustCompile(`("leaseExpireTime": )"[^"]+"`), `$1"TIME"`},
	{regexp.MustCompile(`\b59m\d{1,2}s\b`), "1h0m0s"},
	{regexp.MustCompile(`(?m)^dialpoint \S+( go\S+ \w+/\w+)?$`), "dialpoint VERSION"},
}
