//go:build e2e

package e2e_test

import (
	"os"
	"syscall"
	"testing"
	"time"

	"dialpoint/examples/wildcard/process"
)

// browse opens a page in a browser for which every name below .test is this machine.
func browse(t *testing.T, page string) {
	t.Helper()
	profile, err := os.MkdirTemp("", "dp-chromium-") //nolint:usetesting // it is removed once the last process has ended
	must(t, err)
	command := process.Command(t.Context(), "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-proxy-server", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-breakpad", "--disable-crash-reporter",
		"--host-resolver-rules=MAP *.test 127.0.0.1", "--user-data-dir="+profile, page)
	command.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + profile, "XDG_RUNTIME_DIR=" + profile}
	// The browser has many processes. They end together.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	browser, err := process.Start(command)
	must(t, err)
	t.Cleanup(func() {
		_ = syscall.Kill(-browser.PID(), syscall.SIGKILL)
		_ = browser.Wait()
		remove(t, profile)
	})
}

// remove takes a directory away in which processes that are ending may still write.
func remove(t *testing.T, directory string) {
	t.Helper()
	for range 100 {
		if os.RemoveAll(directory) == nil {
			return
		}
		<-time.After(50 * time.Millisecond)
	}
	t.Errorf("%s cannot be removed", directory)
}
