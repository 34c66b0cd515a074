//go:build e2e

package e2e_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestE2EFiveHundredChildren starts them at once, and the service half a second later: none fails, and none waits longer
// than it may.
func TestE2EFiveHundredChildren(t *testing.T) { //nolint:paralleltest // It has the machine to itself, since it measures.
	const (
		count    = 500
		late     = 500 * time.Millisecond
		deadline = time.Minute
	)
	need(t, "env")
	here := newSite(t)
	command := dialpoint(t)
	var group sync.WaitGroup
	took := make([]time.Duration, count)
	begin := time.Now()
	for i := range count {
		group.Go(func() {
			child := start(t, []string{"DIALPOINT_ADDR=" + here.unix, "PATH=/usr/bin:/bin"},
				command, "exec", "--wait", deadline.String(), "--channel", "c", "--", "env")
			code := exitCode(t, child)
			took[i] = time.Since(begin)
			if url := "DIALPOINT_GATEWAY_URL=ws://127.0.0.1:9119/api/ws?token=" + secret; code != 0 || !strings.Contains(child.Out.String(), url) {
				t.Errorf("child %d: exit %d without its URL\n%s", i, code, &child.Err)
			}
		})
	}
	<-time.After(time.Until(begin.Add(late)))
	here.serve(t, "{host: 0.0.0.0, port: 9119}")
	served := time.Since(begin)
	group.Wait()
	slices.Sort(took)
	t.Logf("%d children, a service after %v: first %v, median %v, last %v after the start",
		count, served.Round(time.Millisecond), took[0].Round(time.Millisecond), took[count/2].Round(time.Millisecond), took[count-1].Round(time.Millisecond))
	if last := took[count-1]; last > deadline {
		t.Errorf("the last child waited %v, and may wait %v", last, deadline)
	}
}
