// Package transcript keeps what a process writes, and lets others wait for a line of it.
package transcript

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Transcript is a writer that keeps whole lines. The zero Transcript is empty and ready. It may be used by several
// goroutines at once, so that it can stand for both outputs of a process.
type Transcript struct {
	mutex   sync.Mutex
	lines   []string
	partial []byte
	changed chan struct{}
}

// Write implements [io.Writer]. It never fails. A line counts once its end has come.
func (t *Transcript) Write(text []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.partial = append(t.partial, text...)
	for {
		line, rest, found := bytes.Cut(t.partial, []byte("\n"))
		if !found {
			return len(text), nil
		}
		t.lines = append(t.lines, string(line))
		t.partial = rest
		t.wake()
	}
}

// wake ends the pause of all who wait.
func (t *Transcript) wake() {
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}

// Lines are the lines so far, without their ends.
func (t *Transcript) Lines() []string {
	lines, _ := t.snapshot()
	return lines
}

// String is everything so far, a line that has not ended included.
func (t *Transcript) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return strings.Join(append(slices.Clip(t.lines), string(t.partial)), "\n")
}

// Wait returns the first line that holds the text, now or once it is written. It gives up with the context, and the
// error then holds what was written instead.
func (t *Transcript) Wait(ctx context.Context, text string) (string, error) {
	seen := 0
	for {
		lines, changed := t.snapshot()
		for _, line := range lines[seen:] {
			if strings.Contains(line, text) {
				return line, nil
			}
		}
		seen = len(lines)
		select {
		case <-changed:
		case <-ctx.Done():
			return "", fmt.Errorf("waiting for a line with %q: %w; there was:\n%s", text, context.Cause(ctx), t)
		}
	}
}

// snapshot is the lines so far, and what is closed when there is another one.
func (t *Transcript) snapshot() ([]string, <-chan struct{}) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return slices.Clip(t.lines), t.changed
}
