//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// crowd is connections of several kinds that stay for a while.
type crowd map[string]connections

// stay holds the connections, and leaves.
func (c crowd) stay(ctx context.Context, t *testing.T, s *target, long time.Duration) {
	t.Helper()
	select {
	case <-time.After(long):
	case <-ctx.Done():
	}
	t.Logf("with them: %v", sizeOf(t, s.PID()))
	for name, all := range c {
		t.Logf("%s: %d connections, %d living at the end", name, len(all), all.living())
		all.close()
	}
}

func leaveConnections(ctx context.Context, t *testing.T, s *target) {
	t.Helper()
	for _, network := range networks {
		crowd{network: s.open(ctx, t, network, 10_000, "")}.stay(ctx, t, s, 3*time.Second)
	}
}

func sendHeadersSlowly(ctx context.Context, t *testing.T, s *target) {
	t.Helper()
	const begun = "POST " + resolveProcedure + " HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
	all := append(s.open(ctx, t, "tcp", 200, begun), s.open(ctx, t, "unix", 200, begun)...)
	defer all.close()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		<-tick.C
		for _, conn := range all {
			_, _ = conn.Write([]byte("x"))
		}
	}
	if living := all.living(); living > 0 {
		t.Errorf("after %v the service still waits for %d headers of %d", floodTime, living, len(all))
	}
}

// callHeader is the header of a call, on HTTP/1.1.
func callHeader(procedure, contentType, token string, length int) string {
	header := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n", procedure, contentType, length)
	if token != "" {
		header += "Authorization: Bearer " + token + "\r\n"
	}
	return header + "\r\n"
}

func leaveBodies(ctx context.Context, t *testing.T, s *target) {
	t.Helper()
	begun := func(token string) string { return callHeader(resolveProcedure, "application/json", token, 1000) + "{" }
	crowd{
		"nobody's over TCP":  s.open(ctx, t, "tcp", 1000, begun("")),
		"a child's over TCP": s.open(ctx, t, "tcp", 500, begun(s.child)),
		"over the socket":    s.open(ctx, t, "unix", 500, begun("")),
	}.stay(ctx, t, s, 5*time.Second)
}

func leaveWatches(ctx context.Context, t *testing.T, s *target) {
	t.Helper()
	const message = "\x00\x00\x00\x00\x02{}"
	header := func(token string) string {
		return callHeader(watchProcedure, "application/connect+json", token, len(message))
	}
	crowd{
		"a child's over TCP":   s.open(ctx, t, "tcp", 500, header(s.child)+message),
		"over the socket":      s.open(ctx, t, "unix", 500, header("")+message),
		"with half a question": s.open(ctx, t, "tcp", 500, header(s.child)+message[:5]),
	}.stay(ctx, t, s, 5*time.Second)
}
