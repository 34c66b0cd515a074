package server_test

import (
	"log/slog"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/server"
)

// lines is a log that can be read while it is written.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// record is a logger at debug, and what it wrote.
func record() (*slog.Logger, *lines) {
	var written lines
	return slog.New(slog.NewTextHandler(&written, &slog.HandlerOptions{Level: slog.LevelDebug})), &written
}

func TestLogOneLineACallAndOneAChange(t *testing.T) {
	t.Parallel()
	const marker = "MARKED-CREDENTIAL"
	log, written := record()
	description := wildcard()
	description.Credential = marker
	service := start(t, server.WithLogger(log), server.WithListener(description))
	client := service.endpoints(t)
	_, err := client.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Channel: "c"})
	must(t, err)
	_, err = client.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{Listener: "nobody"})
	if connect.CodeOf(err) != connect.CodeNotFound {
		t.Fatal(err)
	}
	stream, err := client.WatchEndpoints(t.Context(), &dialpointv1.WatchEndpointsRequest{})
	must(t, err)
	if !stream.Receive() {
		t.Fatal(stream.Err())
	}
	must(t, service.SetBind("", server.Bind{Host: "10.0.0.7", Port: 9119}))
	service.stop()
	must(t, <-service.ended)
	_ = stream.Close()

	for says, want := range map[string]int{
		"level=INFO msg=\"listeners configured\" count=1":                               1,
		"msg=\"listener changed\"":                                                      1,
		"msg=\"listener changed\" listener=default bind_host=10.0.0.7":                  1,
		"level=DEBUG msg=call procedure=/dialpoint.v1.EndpointService/ResolveEndpoints": 2,
		"level=DEBUG msg=call procedure=/dialpoint.v1.EndpointService/WatchEndpoints":   1,
		"code=ok":          1,
		"code=not_found":   1,
		"code=unavailable": 1,
		marker:             0,
	} {
		if got := strings.Count(written.String(), says); got != want {
			t.Errorf("%q is there %d times, want %d:\n%s", says, got, want, written)
		}
	}
}

func TestLogOfAListenerThatIsRemoved(t *testing.T) {
	t.Parallel()
	log, written := record()
	service, err := server.New(server.WithLogger(log), server.WithListener(wildcard()))
	must(t, err)
	must(t, service.Reconfigure())
	if text := written.String(); !strings.Contains(text, "msg=\"listener removed\" listener=default") {
		t.Errorf("the log does not say it:\n%s", text)
	}
}
