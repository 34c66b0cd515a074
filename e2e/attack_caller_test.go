//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// caller is a child that asks every 20 ms what to dial, each time on a connection of its own, as children do at boot.
type caller struct {
	name   string
	url    string
	header http.Header
	http   http.Client

	mutex   sync.Mutex
	asked   int
	slowest time.Duration
	failed  []string
}

// newCallers are one over TCP, with the child's token, and one over the socket.
func (s *target) newCallers() []*caller {
	unix := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", s.socket)
	}
	return []*caller{
		newCaller("TCP", s.tcp, http.Header{"Authorization": {"Bearer " + s.child}}, new(net.Dialer).DialContext),
		newCaller("unix", "http://localhost", http.Header{}, unix),
	}
}

func newCaller(name, base string, header http.Header, dial func(context.Context, string, string) (net.Conn, error)) *caller {
	header.Set("Content-Type", "application/json")
	return &caller{
		name: name, url: base + resolveProcedure, header: header,
		http: http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}, Timeout: 10 * time.Second},
	}
}

// run asks until the context ends.
func (c *caller) run(ctx context.Context) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			c.ask()
		case <-ctx.Done():
			return
		}
	}
}

func (c *caller) ask() {
	begin := time.Now()
	err := c.resolve()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.asked++
	c.slowest = max(c.slowest, time.Since(begin))
	if err != nil {
		c.failed = append(c.failed, err.Error())
	}
}

func (c *caller) resolve() error {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, c.url, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	request.Header = c.header
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && !strings.Contains(string(body), marker) {
		err = fmt.Errorf("%s: %s", response.Status, body)
	}
	return err
}

// wasAnswered checks that each question since the last check was answered.
func (c *caller) wasAnswered(t *testing.T) {
	t.Helper()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	t.Logf("the good caller over %s asked %d times, and waited %v at most", c.name, c.asked, c.slowest.Round(time.Microsecond))
	if len(c.failed) > 0 || c.asked == 0 {
		t.Errorf("%d of %d calls over %s failed, the first with: %s", len(c.failed), c.asked, c.name, strings.Join(c.failed[:min(3, len(c.failed))], "\n"))
	}
}

// awaitAsked waits until the caller has asked so often.
func (c *caller) awaitAsked(count int) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for c.count() < count {
		<-tick.C
	}
}

func (c *caller) count() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.asked
}

// forget lets the count begin anew.
func (c *caller) forget() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.asked, c.slowest, c.failed = 0, 0, nil
}
