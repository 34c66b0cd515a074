//go:build e2e

package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// http2conn is a connection on which frames are written as they come. What the service writes is not looked at.
type http2conn struct {
	net.Conn
	*http2.Framer

	buffer *bufio.Writer
	// next is the stream to open next.
	next uint32
}

// openHTTP2 opens a connection, and says how the service may send. With read its answers are read and dropped.
func (s *target) openHTTP2(ctx context.Context, t *testing.T, network string, read bool, settings ...http2.Setting) *http2conn {
	t.Helper()
	conn, err := s.connect(ctx, network)
	if err != nil {
		if ctx.Err() == nil {
			t.Errorf("%s: %v", network, err)
		}
		return nil
	}
	_ = conn.SetWriteDeadline(time.Now().Add(floodTime))
	if read {
		go func() { _, _ = io.Copy(io.Discard, conn) }()
	}
	buffer := bufio.NewWriterSize(conn, 64<<10)
	c := &http2conn{conn, http2.NewFramer(buffer, nil), buffer, 1}
	_, _ = buffer.WriteString(http2.ClientPreface)
	_ = c.WriteSettings(settings...)
	return c
}

// headerBlock is the header of a call, which leaves nothing in the tables of a connection.
func headerBlock(procedure, contentType, token string) []byte {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	encoder.SetMaxDynamicTableSizeLimit(0)
	fields := [][2]string{
		{":method", "POST"},
		{":scheme", "http"},
		{":path", procedure},
		{":authority", "localhost"},
		{"content-type", contentType},
	}
	if token != "" {
		fields = append(fields, [2]string{"authorization", "Bearer " + token})
	}
	for _, field := range fields {
		_ = encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]})
	}
	return block.Bytes()
}

// begin opens a stream, and does not end it.
func (c *http2conn) begin(block []byte) (stream uint32, err error) {
	stream = c.next
	c.next += 2
	return stream, c.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block, EndHeaders: true})
}

// half-open streams: so many on each of so many connections, which is what Go's server allows.
const (
	connectionsHTTP2 = 5
	streamsHTTP2     = 100
)

// beginAll opens streams on connections, with the same data on each.
func (s *target) beginAll(ctx context.Context, t *testing.T, network string, block []byte, data string, settings ...http2.Setting) connections {
	t.Helper()
	var all connections
	for range connectionsHTTP2 {
		c := s.openHTTP2(ctx, t, network, false, settings...)
		if c == nil {
			break
		}
		all = append(all, c.Conn)
		for range streamsHTTP2 {
			if stream, err := c.begin(block); err == nil && data != "" {
				_ = c.WriteData(stream, false, []byte(data))
			}
		}
		if err := c.buffer.Flush(); err != nil {
			t.Logf("%s: %v", network, err)
		}
	}
	return all
}

func leaveBodiesHTTP2(ctx context.Context, t *testing.T, s *target) {
	t.Helper()
	crowd{
		"nobody's over TCP":  s.beginAll(ctx, t, "tcp", headerBlock(resolveProcedure, "application/json", ""), "{"),
		"a child's over TCP": s.beginAll(ctx, t, "tcp", headerBlock(resolveProcedure, "application/json", s.child), "{"),
		"over the socket":    s.beginAll(ctx, t, "unix", headerBlock(resolveProcedure, "application/grpc", ""), "\x00\x00"),
	}.stay(ctx, t, s, 5*time.Second)
}

// leaveWatchesHTTP2 has streams on which the service may not send a byte.
func leaveWatchesHTTP2(ctx context.Context, t *testing.T, s *target) {
	t.Helper()
	closed := http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}
	const message = "\x00\x00\x00\x00\x00"
	crowd{
		"a child's over TCP": s.beginAll(ctx, t, "tcp", headerBlock(watchProcedure, "application/grpc", s.child), message, closed),
		"over the socket":    s.beginAll(ctx, t, "unix", headerBlock(watchProcedure, "application/grpc", ""), message, closed),
	}.stay(ctx, t, s, 5*time.Second)
}

// pour writes with several connections at once until all have written so often, or the context ends. The service may
// close a connection at any time; then the next one is opened.
func (s *target) pour(ctx context.Context, t *testing.T, read bool, times int, write func(c *http2conn) error) {
	t.Helper()
	const atOnce, timesEach = 4, 10_000
	var written, opened atomic.Int64
	var pouring sync.WaitGroup
	for i := range atOnce {
		pouring.Go(func() {
			for written.Load() < int64(times) && ctx.Err() == nil {
				opened.Add(1)
				c := s.openHTTP2(ctx, t, networks[i%len(networks)], read)
				if c == nil {
					return
				}
				for n := 0; n < timesEach && ctx.Err() == nil && write(c) == nil; n++ {
					written.Add(1)
				}
				_ = c.buffer.Flush()
				_ = c.Close()
			}
		})
	}
	pouring.Wait()
	t.Logf("%d times on %d connections", written.Load(), opened.Load())
}

// resetStreams is CVE-2023-44487.
func resetStreams(ctx context.Context, t *testing.T, s *target) {
	t.Helper()
	block := headerBlock(resolveProcedure, "application/json", s.child)
	s.pour(ctx, t, true, 200_000, func(c *http2conn) error {
		stream, err := c.begin(block)
		if err != nil {
			return err
		}
		return c.WriteRSTStream(stream, http2.ErrCodeCancel)
	})
}

// continueHeaders is CVE-2023-45288: headers that never end, in frames of 16 KiB.
func continueHeaders(ctx context.Context, t *testing.T, s *target) {
	t.Helper()
	var field bytes.Buffer
	encoder := hpack.NewEncoder(&field)
	encoder.SetMaxDynamicTableSizeLimit(0)
	_ = encoder.WriteField(hpack.HeaderField{Name: "x-long", Value: strings.Repeat("x", 15<<10), Sensitive: true})
	first := headerBlock(resolveProcedure, "application/json", s.child)
	s.pour(ctx, t, true, 20_000, func(c *http2conn) error {
		if c.next == 1 {
			c.next += 2
			return c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: first})
		}
		return c.WriteContinuation(1, false, field.Bytes())
	})
}

// sendControlFrames is CVE-2019-9512 and CVE-2019-9515: each has to be answered, and the answers are not read.
func sendControlFrames(ctx context.Context, t *testing.T, s *target) {
	t.Helper()
	s.pour(ctx, t, false, 1_000_000, func(c *http2conn) error {
		if err := c.WritePing(false, [8]byte{}); err != nil {
			return err
		}
		return c.WriteSettings()
	})
}
