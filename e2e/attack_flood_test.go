//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// floodTime is how long one flood goes on at most.
const floodTime = 15 * time.Second

// floods are what somebody may do who wants the service to fall, in the order in which it is done. Each ends by itself or
// with its context, and leaves nothing open.
var floods = []struct {
	name  string
	flood func(ctx context.Context, t *testing.T, s *target)
}{
	{"connections left open", leaveConnections},
	{"slow headers", sendHeadersSlowly},
	{"half-open bodies", leaveBodies},
	{"half-open bodies, HTTP 2", leaveBodiesHTTP2},
	{"watches that nobody reads", leaveWatches},
	{"watches that nobody reads, HTTP 2", leaveWatchesHTTP2},
	{"garbage", sendGarbage},
	{"oversized requests", sendOversizedHTTP},
	{"oversized messages", sendOversizedMessages},
	{"resets, HTTP 2", resetStreams},
	{"endless headers, HTTP 2", continueHeaders},
	{"settings and pings, HTTP 2", sendControlFrames},
}

// TestE2EFlood: whatever is done to the service, a good caller is answered all along, memory stays bounded, and the
// service is as small afterwards as it was before.
//
//nolint:paralleltest // It measures, and takes what the machine has.
func TestE2EFlood(t *testing.T) {
	allowFiles(t, 12_000)
	s := startTarget(t, nil, "")
	tcp, unix := s.calling(t)
	idle := s.idle(t)
	t.Logf("idle: %v", idle)
	for _, each := range floods {
		t.Run(each.name, func(t *testing.T) { s.endure(t, idle, []*caller{tcp, unix}, each.flood) })
	}
	for _, fault := range []string{"panic", "msg=fault"} {
		if log := s.Err.String(); strings.Contains(log, fault) {
			t.Errorf("the service's log tells of a %s:\n%s", fault, around(log, fault))
		}
	}
}

// endure lets a flood come, and looks at what it did.
func (s *target) endure(t *testing.T, idle size, callers []*caller, flood func(context.Context, *testing.T, *target)) {
	t.Helper()
	const mostMemory = 1 << 30
	for _, caller := range callers {
		caller.forget()
	}
	resetPeak(t, s.PID())
	before := sizeOf(t, s.PID())
	ctx, cancel := context.WithTimeout(t.Context(), floodTime)
	defer cancel()
	begin := time.Now()
	flood(ctx, t, s)
	during := sizeOf(t, s.PID())
	t.Logf("before %v; at the end of %v %v", before, time.Since(begin).Round(time.Millisecond), during)
	after, took := awaitIdle(t, s.PID(), idle)
	t.Logf("idle again after %v: %v", took.Round(time.Millisecond), after)
	if after.peak > mostMemory {
		t.Errorf("the service took %v", after)
	}
	for _, caller := range callers {
		caller.wasAnswered(t)
	}
}

// idle is the service's size while the good callers alone are there: the most of some.
func (s *target) idle(t *testing.T) size {
	t.Helper()
	var most size
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 100 {
		<-tick.C
		now := sizeOf(t, s.PID())
		most = size{max(most.resident, now.resident), max(most.peak, now.peak), max(most.files, now.files)}
	}
	return most
}

// allowFiles lets this process, and those that it starts, open so many files.
func allowFiles(t *testing.T, count uint64) {
	t.Helper()
	var before syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before))
	now := syscall.Rlimit{Cur: max(count, before.Cur), Max: max(count, before.Max)}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &now); err != nil {
		missing(t, fmt.Sprintf("a process may open %d files here, and %d are needed: %v", before.Max, count, err))
	}
	t.Cleanup(func() { _ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before) })
}

// around is a text from shortly before a word on.
func around(text, word string) string {
	at := strings.Index(text, word)
	return text[max(0, at-500):min(len(text), at+3000)]
}
