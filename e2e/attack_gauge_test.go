//go:build e2e

package e2e_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

const mebibyte = 1 << 20

// size is what a process takes of the machine.
type size struct {
	// resident is its memory now, and peak the most since it was last reset, in bytes.
	resident, peak int64
	// files counts its open files.
	files int
}

// String is for people.
func (s size) String() string {
	return fmt.Sprintf("%d MiB (peak %d MiB), %d files", s.resident/mebibyte, s.peak/mebibyte, s.files)
}

// sizeOf asks the kernel, see proc(5).
func sizeOf(t *testing.T, pid int) size {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	must(t, err)
	return size{statusBytes(t, string(status), "VmRSS:"), statusBytes(t, string(status), "VmHWM:"), len(files)}
}

// statusBytes reads a line such as "VmRSS:     1234 kB".
func statusBytes(t *testing.T, status, name string) int64 {
	t.Helper()
	_, rest, _ := strings.Cut(status, name)
	words := strings.Fields(rest)
	if len(words) == 0 {
		t.Fatalf("no %s in\n%s", name, status)
	}
	kibibytes, err := strconv.ParseInt(words[0], 10, 64)
	must(t, err)
	return kibibytes << 10
}

// resetPeak lets the peak count from now on.
func resetPeak(t *testing.T, pid int) {
	t.Helper()
	must(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0o200))
}

// awaitIdle waits until a process is about as small as it was. It returns what it is then, and how long that took. The
// runtime collects garbage every two minutes if nothing makes it do so before (runtime.forcegcperiod). What is in pools of
// buffers is garbage for the second collection alone (see [sync.Pool]), and by the third the runtime sees that it needs no
// more than that left, and gives the rest back to the system.
func awaitIdle(t *testing.T, pid int, idle size) (now size, took time.Duration) {
	t.Helper()
	const bound = 3*2*time.Minute + time.Minute
	limit := idle.resident*3/2 + 32*mebibyte
	begin := time.Now()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		now, took = sizeOf(t, pid), time.Since(begin)
		if now.resident <= limit && now.files <= idle.files {
			return now, took
		}
		if took > bound {
			t.Errorf("after %v the service has %v, and had %v", bound, now, idle)
			return now, took
		}
	}
	return now, took
}
