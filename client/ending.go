package client

import (
	"context"
	"errors"
	"net"
	"sync"
)

// ending tells who waits for it that a service has ended a connection, as one does that stops.
type ending struct {
	mu   sync.Mutex
	next chan struct{}
}

// wait is closed with the next ending.
func (e *ending) wait() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.next == nil {
		e.next = make(chan struct{})
	}
	return e.next
}

func (e *ending) tell() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.next != nil {
		close(e.next)
		e.next = nil
	}
}

// dial is a function that connects.
type dial func(ctx context.Context, network, address string) (net.Conn, error)

// of has connections tell of their ends. The transport reads a connection all the time that it keeps it.
func (e *ending) of(dial dial) dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		dialed, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return conn{dialed, e}, nil
	}
}

// conn is a connection that tells of its end, unless this side has closed it.
type conn struct {
	net.Conn

	ending *ending
}

// Read implements [net.Conn].
func (c conn) Read(buffer []byte) (int, error) {
	n, err := c.Conn.Read(buffer)
	c.look(err)
	return n, err
}

// Write implements [net.Conn]. It may find the end before Read does.
func (c conn) Write(data []byte) (int, error) {
	n, err := c.Conn.Write(data)
	c.look(err)
	return n, err
}

// look tells of an error that is the end.
func (c conn) look(err error) {
	if err != nil && !errors.Is(err, net.ErrClosed) {
		c.ending.tell()
	}
}
