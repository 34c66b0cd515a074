package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dialpoint/server"
)

// Who goes on to send is answered, and not listened to.
func TestEndlessBodyIsNotRead(t *testing.T) {
	t.Parallel()
	service := start(t, server.WithListener(wildcard()))
	for name, path := range map[string]string{"call": resolvePath, "stream": "/dialpoint.v1.EndpointService/WatchEndpoints"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", strings.TrimPrefix(service.tcp, "http://"))
			must(t, err)
			defer func() { _ = conn.Close() }()
			_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
				"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", path, childToken, 1<<40)
			must(t, err)
			sent := make(chan int)
			go func() {
				total, chunk := 0, make([]byte, 64<<10)
				for {
					n, err := conn.Write(chunk)
					if total += n; err != nil || total > 1<<30 {
						sent <- total
						return
					}
				}
			}()
			if response, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
				if response.StatusCode == http.StatusOK {
					t.Errorf("the answer is %s", response.Status)
				}
				_ = response.Body.Close()
			}
			// What the kernel holds is more than what the server has read.
			const most = 64 << 20
			if total := <-sent; total > most {
				t.Errorf("the server took %d bytes", total)
			}
		})
	}
}

// Who does not send what was announced is answered, and the connection ends: what comes later is no request.
func TestHalfBodyEndsTheConnection(t *testing.T) {
	t.Parallel()
	service, err := server.New(server.WithListener(wildcard()), withTokens)
	must(t, err)
	web := httptest.NewServer(service.HandlerWithin(50 * time.Millisecond))
	t.Cleanup(web.Close)
	for name, token := range map[string]string{"let in": childToken, "refused": "nobody's token at all"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", web.Listener.Addr().String())
			must(t, err)
			defer func() { _ = conn.Close() }()
			must(t, conn.SetDeadline(time.Now().Add(time.Minute)))
			_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
				"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", resolvePath, token)
			must(t, err)
			answers, err := io.ReadAll(conn)
			must(t, err)
			if got := strings.Count(string(answers), "HTTP/1.1 "); got != 1 {
				t.Errorf("%d answers came:\n%s", got, answers)
			}
		})
	}
}
