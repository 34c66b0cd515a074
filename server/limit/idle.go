package limit

import (
	"container/list"
	"time"
)

// idlers are the connections without a request.
type idlers struct {
	// queue has the one that has been idle for longest in front.
	queue list.List
	// armed is whether a timer will look at them.
	armed bool
}

// rest notes that a connection is idle from now on. The lock is held.
func (c *Conns) rest(entry *conn) {
	if c.IdleTimeout <= 0 || entry.idle != nil {
		return
	}
	entry.idleSince = time.Now()
	entry.idle = c.idlers.queue.PushBack(entry)
	if !c.idlers.armed {
		c.idlers.armed = true
		time.AfterFunc(c.IdleTimeout, c.endIdle)
	}
}

// unrest notes that a connection is not idle any more, or closed. The lock is held.
func (c *Conns) unrest(entry *conn) {
	if entry.ending {
		// Its request was faster than the end.
		entry.ending = false
		_ = entry.conn.SetReadDeadline(time.Time{})
	}
	if entry.idle != nil {
		c.idlers.queue.Remove(entry.idle)
		entry.idle = nil
	}
}

// endIdle has net/http close the connections that were idle for too long, as one from which nothing can be read any more,
// and comes again while there are others.
func (c *Conns) endIdle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idlers.armed = false
	for front := c.idlers.queue.Front(); front != nil; front = c.idlers.queue.Front() {
		entry, _ := front.Value.(*conn)
		if left := time.Until(entry.idleSince.Add(c.IdleTimeout)); left > 0 {
			c.idlers.armed = true
			time.AfterFunc(left, c.endIdle)
			return
		}
		c.unrest(entry)
		entry.ending = true
		_ = entry.conn.SetReadDeadline(longAgo)
	}
}
