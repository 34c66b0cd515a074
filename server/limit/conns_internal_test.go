package limit

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// end is one connection as a model sees it.
type end struct {
	conn    net.Conn
	entry   *conn
	calls   int
	known   bool
	waiting int // since which step it has been in no call
}

// connsModel is what [Conns] should do, told by looking at all connections each time.
type connsModel struct {
	conns *Conns
	most  int
	open  []*end
	left  []*end
	// idle are those of open without a request, the one that has been so for longest in front.
	idle []*end
	now  int
}

// FuzzConns opens, uses and closes connections as two bytes for each step say.
func FuzzConns(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("\x00\x00\x01\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("\x00\x00\x01\x00\x00\x00\x01\x01\x00\x00\x01\x02\x00\x00\x02\x00\x03\x00\x04\x00"))
	f.Add([]byte("\x00\x00\x01\x00\x03\x00\x02\x00"))
	f.Add([]byte("\x00\x00\x05\x00\x05\x00\x06\x00\x00\x00\x05\x01\x00\x00\x05\x01\x03\x00\x05\x00"))
	f.Fuzz(func(t *testing.T, steps []byte) {
		model := &connsModel{conns: NewConns(3), most: 3}
		model.conns.IdleTimeout, model.conns.idlers.armed = time.Hour, true // No timer comes.
		for ; len(steps) > 1; steps = steps[2:] {
			model.now++
			model.step(steps[0], int(steps[1]))
			model.check(t)
		}
		for _, left := range slices.Concat(model.open, model.left) {
			for range left.calls {
				left.entry.leave()
			}
			model.conns.ConnState(left.conn, http.StateClosed)
		}
		if c := model.conns; c.Len() != 0 || c.fresh.Len() != 0 || c.rested.Len() != 0 || c.idlers.queue.Len() != 0 {
			t.Errorf("%d connections are left, %d, %d and %d in queues", c.Len(), c.fresh.Len(), c.rested.Len(), c.idlers.queue.Len())
		}
	})
}

func (m *connsModel) step(action byte, on int) {
	if action%7 == 0 {
		opened, _ := net.Pipe()
		entry := connOf(m.conns.ConnContext(context.Background(), opened))
		m.open = append(m.open, &end{conn: opened, entry: entry, waiting: m.now})
		m.trim()
		return
	}
	if action%7 == 4 {
		m.most = 1 + on%5
		m.conns.SetMax(m.most)
		m.trim()
		return
	}
	// Requests of connections that were closed end later than these.
	both := slices.Concat(m.open, m.left)
	if len(both) == 0 {
		return
	}
	on %= len(both)
	used := both[on]
	switch {
	case action%7 == 1:
		used.entry.enter()
		used.calls++
		used.known = true
	case action%7 == 2 && used.calls > 0:
		used.entry.leave()
		used.calls--
		used.waiting = m.now
	case action%7 == 3:
		m.conns.ConnState(used.conn, http.StateClosed)
		if on < len(m.open) {
			_ = used.conn.Close()
			m.close(used)
		}
	case action%7 == 5:
		m.conns.ConnState(used.conn, http.StateIdle)
		if on < len(m.open) && !slices.Contains(m.idle, used) {
			m.idle = append(m.idle, used)
		}
	case action%7 == 6:
		m.conns.ConnState(used.conn, http.StateActive)
		m.unrest(used)
	}
}

func (m *connsModel) close(closed *end) {
	m.open = slices.DeleteFunc(m.open, func(one *end) bool { return one == closed })
	m.left = append(m.left, closed)
	m.unrest(closed)
}

func (m *connsModel) unrest(busy *end) {
	m.idle = slices.DeleteFunc(m.idle, func(one *end) bool { return one == busy })
}

// trim closes the one that has waited longest of those that are more.
func (m *connsModel) trim() {
	for len(m.open) > m.most {
		var fresh, rested []*end
		for _, one := range m.open {
			switch {
			case one.calls > 0:
			case one.known:
				rested = append(rested, one)
			default:
				fresh = append(fresh, one)
			}
		}
		longer := rested
		if len(fresh) > len(rested) {
			longer = fresh
		}
		if len(longer) == 0 {
			return
		}
		m.close(slices.MinFunc(longer, func(one, other *end) int { return one.waiting - other.waiting }))
	}
}

func (m *connsModel) check(t *testing.T) {
	t.Helper()
	if m.conns.Len() != len(m.open) {
		t.Fatalf("%d connections are open, want %d", m.conns.Len(), len(m.open))
	}
	var idle []*conn
	for at := m.conns.idlers.queue.Front(); at != nil; at = at.Next() {
		entry, _ := at.Value.(*conn)
		idle = append(idle, entry)
	}
	if !slices.EqualFunc(idle, m.idle, func(entry *conn, one *end) bool { return entry == one.entry }) {
		t.Fatalf("%d connections are idle, want %d, in this order", len(idle), len(m.idle))
	}
	for _, one := range m.open {
		if one.conn.SetDeadline(time.Time{}) != nil {
			t.Fatal("a connection was closed that should be open")
		}
	}
	for _, one := range m.left {
		if one.conn.SetDeadline(time.Time{}) == nil {
			t.Fatal("a connection is open that should be closed")
		}
	}
}

// A TLS connection says goodbye before it is closed. Nobody must wait until the peer has heard it.
func TestHangUpAtOnce(t *testing.T) {
	t.Parallel()
	certificates := httptestCertificates(t)
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		server := tls.Server(near, &tls.Config{Certificates: certificates})
		client := tls.Client(far, &tls.Config{InsecureSkipVerify: true})
		shaken := make(chan error, 1)
		go func() {
			err := client.Handshake()
			// TLS 1.3 sends tickets after the handshake.
			_, _ = client.Read(make([]byte, 1))
			shaken <- err
		}()
		if err := server.Handshake(); err != nil {
			t.Fatal(err)
		}
		if _, err := server.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := <-shaken; err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		hangUp([]net.Conn{server})
		if took := time.Since(begin); took != 0 {
			t.Errorf("it took %v", took)
		}
		if _, err := far.Read(make([]byte, 1)); err == nil {
			t.Error("the connection is still open")
		}
	})
}

// TestRequestIsFasterThanTheEnd: a connection that was idle for too long lives on with a request that came just in time.
func TestRequestIsFasterThanTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		conns := NewConns(1)
		conns.IdleTimeout = time.Minute
		near, far := net.Pipe()
		conns.ConnContext(t.Context(), near)
		conns.ConnState(near, http.StateIdle)
		<-time.After(conns.IdleTimeout)
		if _, err := near.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("reading ends with %v, want its deadline", err)
		}
		conns.ConnState(near, http.StateActive)
		go func() { _, _ = far.Write([]byte("x")) }()
		if _, err := near.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		conns.ConnState(near, http.StateIdle)
		<-time.After(conns.IdleTimeout)
		if _, err := near.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("when it is idle again, reading ends with %v, want its deadline", err)
		}
		conns.ConnState(near, http.StateClosed)
	})
}

// When a flood of connections is over, memory goes back to the system, once.
func TestMemoryGoesBack(t *testing.T) { //nolint:paralleltest // it counts collections
	conns := NewConns(floodSize * 2)
	var open []net.Conn
	for range floodSize + 1 {
		opened, _ := net.Pipe()
		conns.ConnContext(t.Context(), opened)
		open = append(open, opened)
	}
	before := forcedCollections()
	rest := len(open) / floodShare
	for _, closed := range open[rest+1:] {
		conns.ConnState(closed, http.StateClosed)
	}
	if got := forcedCollections(); got != before {
		t.Errorf("memory was collected %d times while more than a tenth of the flood was there", got-before)
	}
	for _, closed := range open[:rest+1] {
		conns.ConnState(closed, http.StateClosed)
	}
	for end := time.Now().Add(time.Minute); forcedCollections() < before+2; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal("memory was not given back")
		}
	}
	if got := forcedCollections(); got != before+2 {
		t.Errorf("memory was collected %d times, want 2", got-before)
	}
}

func forcedCollections() uint32 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.NumForcedGC
}

func TestFloodIsOverOnce(t *testing.T) {
	t.Parallel()
	start := time.Now()
	tests := []struct {
		name string
		peak int
		open int
		at   time.Duration
		want bool
	}{
		{"few connections", 1999, 0, 0, false},
		{"still a fifth", 2000, 400, 0, false},
		{"just above a tenth", 2000, 201, 0, false},
		{"a tenth", 2000, 200, 0, true},
		{"the same flood goes on ending", 200, 0, 0, false},
		{"the next one, at once", 5000, 0, 9 * time.Second, false},
		{"and the first that closes later", 5000, 0, 10 * time.Second, true},
		{"the rest", 1, 0, time.Hour, false},
	}
	var passing flood
	for _, test := range tests {
		passing.peak = max(passing.peak, test.peak)
		if got := passing.over(test.open, start.Add(test.at)); got != test.want {
			t.Errorf("%s: got %t, want %t", test.name, got, test.want)
		}
	}
}
