package main_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// transcript keeps what a process writes, and lets a test wait for it.
type transcript struct {
	mu   sync.Mutex
	text strings.Builder
	// more is closed at the next write.
	more chan struct{}
}

func newTranscript() *transcript { return &transcript{more: make(chan struct{})} }

// Write implements [io.Writer].
func (t *transcript) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.more)
	t.more = make(chan struct{})
	return t.text.Write(text)
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

func (t *transcript) state() (text string, more <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String(), t.more
}

// await returns once the text has so many matches of a pattern.
func (t *transcript) await(ctx context.Context, pattern *regexp.Regexp, count int) error {
	for {
		text, more := t.state()
		if len(pattern.FindAllString(text, -1)) >= count {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return fmt.Errorf("%q is not there %d times: %w\n%s", pattern, count, ctx.Err(), text)
		}
	}
}
