package limit_test

import (
	"bytes"
	"io"
	"net"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// http2Conn is a client that keeps to HTTP/2 only as far as the test wants.
type http2Conn struct {
	*http2.Framer

	t       testing.TB
	conn    net.Conn
	last    uint32
	encoder *hpack.Encoder
	headers bytes.Buffer
}

func dialHTTP2(t testing.TB, address string, settings ...http2.Setting) *http2Conn {
	t.Helper()
	return newHTTP2Conn(t, dial(t, address), settings...)
}

func newHTTP2Conn(t testing.TB, conn net.Conn, settings ...http2.Setting) *http2Conn {
	t.Helper()
	client := &http2Conn{Framer: http2.NewFramer(conn, conn), t: t, conn: conn, last: ^uint32(0)}
	client.encoder = hpack.NewEncoder(&client.headers)
	client.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	_, err := io.WriteString(conn, http2.ClientPreface)
	must(t, err)
	must(t, client.WriteSettings(settings...))
	return client
}

// open begins the next stream. Fields are names and values of further headers.
func (c *http2Conn) open(method, path string, whole bool, fields ...string) error {
	c.last += 2
	c.headers.Reset()
	fields = append([]string{":method", method, ":scheme", "http", ":authority", "localhost", ":path", path}, fields...)
	for at := 0; at < len(fields); at += 2 {
		if err := c.encoder.WriteField(hpack.HeaderField{Name: fields[at], Value: fields[at+1]}); err != nil {
			return err
		}
	}
	return c.WriteHeaders(http2.HeadersFrameParam{
		StreamID: c.last, BlockFragment: c.headers.Bytes(), EndHeaders: true, EndStream: whole,
	})
}

// request is open for a server that must still be there.
func (c *http2Conn) request(method, path string, whole bool, fields ...string) {
	c.t.Helper()
	must(c.t, c.open(method, path, whole, fields...))
}

// next is the next frame of the last stream.
func (c *http2Conn) next() http2.Frame {
	c.t.Helper()
	for {
		frame, err := c.ReadFrame()
		must(c.t, err)
		if frame.Header().StreamID == c.last {
			return frame
		}
	}
}

// status is that of the answer to the last request.
func (c *http2Conn) status() string {
	c.t.Helper()
	headers, ok := c.next().(*http2.MetaHeadersFrame)
	if !ok {
		c.t.Fatal("the stream does not begin with headers")
	}
	return headers.PseudoValue("status")
}

// pipeHTTP2 is a client without a socket.
func pipeHTTP2(t testing.TB, listener *pipes, settings ...http2.Setting) *http2Conn {
	t.Helper()
	conn, err := listener.DialContext(t.Context(), "", "")
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	client := &http2Conn{Framer: http2.NewFramer(conn, conn), t: t, conn: conn, last: ^uint32(0)}
	client.encoder = hpack.NewEncoder(&client.headers)
	client.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	_, err = io.WriteString(conn, http2.ClientPreface)
	must(t, err)
	// A pipe keeps nothing: the server sends its settings before it reads those of the client.
	frame, err := client.ReadFrame()
	must(t, err)
	_, ok := frame.(*http2.SettingsFrame)
	if !ok {
		t.Fatalf("the server begins with %v", frame)
	}
	sent := make(chan error, 1)
	go func() { sent <- client.WriteSettings(settings...) }()
	must(t, <-sent)
	return client
}

// drain reads until the connection ends.
func (c *http2Conn) drain() { _, _ = io.Copy(io.Discard, c.conn) }

// readUntilSettled reads until the server has taken the client's settings.
func (c *http2Conn) readUntilSettled() {
	c.t.Helper()
	for {
		frame, err := c.ReadFrame()
		must(c.t, err)
		if settings, ok := frame.(*http2.SettingsFrame); ok && settings.IsAck() {
			return
		}
	}
}

// eachReset reads until the connection ends, and tells of each stream that is reset.
func (c *http2Conn) eachReset(tell func()) {
	for {
		frame, err := c.ReadFrame()
		if err != nil {
			return
		}
		if _, ok := frame.(*http2.RSTStreamFrame); ok {
			tell()
		}
	}
}
