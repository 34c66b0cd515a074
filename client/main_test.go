package client_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dialpoint/client"
)

// childCommand, as the first argument, makes the test binary resolve once in place of running tests: the address and the
// time it may take follow. The standard library reads proxy settings and root certificates once a process, so what
// depends on them needs one of its own.
const childCommand = "resolve"

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == childCommand {
		_, _ = fmt.Fprintln(os.Stdout, resolveOnce(os.Args[2], os.Args[3]))
		return
	}
	if len(os.Args) == 5 && os.Args[1] == dashboardCommand {
		_, _ = fmt.Fprintln(os.Stdout, runDashboard(os.Args[2], os.Args[3], os.Args[4]))
		return
	}
	goleak.VerifyTestMain(m)
}

// resolveOnce says how a resolve went, and which proxy Go would have used by the environment.
func resolveOnce(address, within string) string {
	service, err := client.New(address)
	if err != nil {
		return err.Error()
	}
	defer service.Close()
	timeout, err := time.ParseDuration(within)
	if err != nil {
		return err.Error()
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, nil)
	if err != nil {
		return err.Error()
	}
	proxy, _ := http.ProxyFromEnvironment(request)
	endpoints, err := service.Resolve(ctx, client.Request{})
	return fmt.Sprintf("proxy %v, got %q, error %v", proxy, endpoints.GetGateway().GetDisplayUrl(), err)
}

// resolveInChild runs a process that resolves, with these variables and no proxy exceptions in its environment. It
// returns what [resolveOnce] said there.
func resolveInChild(t *testing.T, address string, within time.Duration, env ...string) string {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], childCommand, address, within.String())
	for _, variable := range child.Environ() {
		if !strings.HasPrefix(strings.ToUpper(variable), "NO_PROXY=") {
			child.Env = append(child.Env, variable)
		}
	}
	child.Env = append(child.Env, env...)
	output, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("child: %v\n%s", err, output)
	}
	return string(output)
}
