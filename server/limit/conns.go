package limit

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// Conns keeps the number of open connections at or below a maximum. When there is one more, a connection that is in no call
// is closed in its place; when all are in calls, it is the new one. A connection is in a call while [Limiter.Middleware]
// serves a request of it: one that sends headers slowly, or a request that is refused, is in none.
//
// Its two hooks, ConnContext and ConnState, belong into an [http.Server]. It is safe for concurrent use, and what it does
// takes the same time however many connections there are.
type Conns struct {
	// IdleTimeout is how long a connection may be open without a request after its last one or, over HTTP/2, its preface. It
	// is set before the first connection, and 0 is for ever. Callers are not told of the end, and a request whose header
	// arrives at that very moment is lost, as one is that is still on its way.
	//
	// [http.Server.IdleTimeout] should be 0: with it, net/http keeps a connection over HTTP/2 that its caller has closed in
	// memory for as long, and the requests that it had not begun yet, up to a thousand of them.
	IdleTimeout time.Duration

	mu   sync.Mutex
	most int
	open map[net.Conn]*conn
	// Connections that are in no call, the one that has been so for longest in front. Those that never were in one are
	// apart, so that a flood of them does not push out the callers that are known, nor these the new ones.
	fresh, rested list.List
	idlers        idlers
	flood         flood
}

// conn is an open connection.
type conn struct {
	conns *Conns
	conn  net.Conn

	// The lock of conns guards these.
	calls int
	queue *list.List
	place *list.Element
	// idle is its place among the idle ones, if it is.
	idle      *list.Element
	idleSince time.Time
	// ending is set once it was idle for too long.
	ending bool
}

type connKey struct{}

// NewConns has no connections yet. Most is how many there may be, and at least 1. See [MaxConns].
func NewConns(most int) *Conns {
	return &Conns{most: positive(most, 1), open: map[net.Conn]*conn{}}
}

// SetMax changes the maximum. Connections that are now too many are closed, unless they are in calls.
func (c *Conns) SetMax(most int) {
	c.mu.Lock()
	c.most = positive(most, 1)
	closing := c.trim()
	c.mu.Unlock()
	hangUp(closing)
}

// Len is how many connections are open.
func (c *Conns) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open)
}

// ConnContext is the hook for [http.Server.ConnContext].
func (c *Conns) ConnContext(ctx context.Context, accepted net.Conn) context.Context {
	entry := &conn{conns: c, conn: accepted}
	c.mu.Lock()
	c.open[accepted] = entry
	c.flood.peak = max(c.flood.peak, len(c.open))
	entry.wait(&c.fresh)
	closing := c.trim()
	c.mu.Unlock()
	hangUp(closing)
	return context.WithValue(ctx, connKey{}, entry)
}

// ConnState is the hook for [http.Server.ConnState].
func (c *Conns) ConnState(changed net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, ok := c.open[changed]
	if !ok {
		return
	}
	switch state {
	case http.StateNew:
	case http.StateActive:
		c.unrest(entry)
	case http.StateIdle:
		c.rest(entry)
	case http.StateHijacked, http.StateClosed:
		c.forget(entry)
	}
}

// trim forgets connections until there are no more than the maximum, and returns them to be closed. The longer queue
// gives its oldest: whoever wants to push out another must have waited behind half of all that wait. The lock is held.
func (c *Conns) trim() []net.Conn {
	var closing []net.Conn
	for len(c.open) > c.most {
		oldest := c.rested.Front()
		if c.fresh.Len() > c.rested.Len() {
			oldest = c.fresh.Front()
		}
		if oldest == nil {
			break
		}
		if entry, ok := oldest.Value.(*conn); ok {
			c.forget(entry)
			closing = append(closing, entry.conn)
		}
	}
	return closing
}

// forget takes a connection out of everything. The lock is held.
func (c *Conns) forget(entry *conn) {
	delete(c.open, entry.conn)
	entry.unwait()
	c.unrest(entry)
	if c.flood.over(len(c.open), time.Now()) {
		go reclaim()
	}
}

// hangUp closes connections at once. TLS would first try to say goodbye, and wait seconds for a peer that does not
// listen, while nobody else is let in.
func hangUp(connections []net.Conn) {
	for _, closing := range connections {
		if layered, ok := closing.(interface{ NetConn() net.Conn }); ok {
			closing = layered.NetConn()
		}
		_ = closing.Close()
	}
}

// connOf is the connection of a request, or nil where no [Conns] watches over it.
func connOf(ctx context.Context) *conn {
	entry, _ := ctx.Value(connKey{}).(*conn)
	return entry
}

// enter notes that a call begins. HTTP/2 has several at a time.
func (c *conn) enter() {
	if c == nil {
		return
	}
	c.conns.mu.Lock()
	defer c.conns.mu.Unlock()
	c.calls++
	c.unwait()
}

// leave notes that a call has ended. Its answer may not be written yet: that there are too many connections does not
// matter before the next one comes. One that was closed meanwhile does not come back.
func (c *conn) leave() {
	if c == nil {
		return
	}
	c.conns.mu.Lock()
	defer c.conns.mu.Unlock()
	c.calls--
	if c.calls == 0 && c.conns.open[c.conn] == c {
		c.wait(&c.conns.rested)
	}
}

func (c *conn) wait(queue *list.List) {
	c.queue = queue
	c.place = queue.PushBack(c)
}

func (c *conn) unwait() {
	if c.place != nil {
		c.queue.Remove(c.place)
		c.place = nil
	}
}
