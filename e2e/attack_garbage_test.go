//go:build e2e

package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// garbage are texts that are no request, of three kinds.
func garbage(random *rand.Rand) [][]byte {
	noise := make([]byte, 1+random.IntN(2000))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	return [][]byte{noise, clientHello(), append([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), noise...)}
}

// clientHello is how TLS begins.
func clientHello() []byte {
	var hello bytes.Buffer
	client := tls.Client(recorder{Writer: &hello}, &tls.Config{ServerName: "localhost"})
	_ = client.Handshake()
	return hello.Bytes()
}

// recorder is a connection on which nothing ever comes back.
type recorder struct {
	net.Conn
	io.Writer
}

func (r recorder) Write(text []byte) (int, error)   { return r.Writer.Write(text) }
func (r recorder) Read([]byte) (int, error)         { return 0, io.EOF }
func (r recorder) SetWriteDeadline(time.Time) error { return nil }
func (r recorder) Close() error                     { return nil }

func sendGarbage(ctx context.Context, t *testing.T, s *target) {
	t.Helper()
	const count, atOnce = 5000, 200
	random := rand.New(rand.NewPCG(1, 2))
	texts := make(chan []byte)
	var mutex sync.Mutex
	answers := map[string]int{}
	var throwing sync.WaitGroup
	for i := range atOnce {
		throwing.Go(func() {
			for text := range texts {
				answer := s.throw(ctx, networks[i%len(networks)], text)
				mutex.Lock()
				answers[answer]++
				mutex.Unlock()
			}
		})
	}
	for sent := 0; sent < count && ctx.Err() == nil; {
		for _, text := range garbage(random) {
			texts <- text
			sent++
		}
	}
	close(texts)
	throwing.Wait()
	t.Logf("answers: %v", answers)
}

// throw sends a text, and is the status of the answer.
func (s *target) throw(ctx context.Context, network string, text []byte) string {
	conn, err := s.connect(ctx, network)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(300 * time.Millisecond))
	_, _ = conn.Write(text)
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return "none"
	}
	_ = response.Body.Close()
	return response.Status
}
