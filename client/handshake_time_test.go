package client_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"dialpoint/client"
)

// TestHandshakeTimeout: who is silent is given up, and a connection lives on for longer than a handshake may take.
func TestHandshakeTimeout(t *testing.T) {
	t.Parallel()
	t.Run("silent", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			near, far := net.Pipe()
			defer func() { _, _ = near.Close(), far.Close() }()
			began := time.Now()
			err := client.ShakeHands(t.Context(), tls.Client(near, &tls.Config{ServerName: "127.0.0.1"}))
			if !errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) || time.Since(began) != client.HandshakeTimeout {
				t.Errorf("got %v after %v", err, time.Since(began))
			}
		})
	})
	t.Run("long after", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			authority := newAuthority(t)
			config := &tls.Config{Certificates: []tls.Certificate{authority.issue(unchanged)}}
			near, far := net.Pipe()
			defer func() { _, _ = near.Close(), far.Close() }()
			service := tls.Server(far, config)
			caller := tls.Client(near, &tls.Config{ServerName: "127.0.0.1", RootCAs: authority.pool()})
			go func() {
				_ = service.Handshake()
				pass(3 * client.HandshakeTimeout)
				_, _ = service.Write([]byte("x"))
			}()
			if err := client.ShakeHands(t.Context(), caller); err != nil {
				t.Fatal(err)
			}
			if got, err := caller.Read(make([]byte, 1)); got != 1 || err != nil {
				t.Errorf("read %d bytes, %v", got, err)
			}
		})
	})
}
