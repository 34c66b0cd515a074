package access_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"testing"

	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/access"
)

func TestRefusalsAreLogged(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-0123456789"
	tests := map[string]struct {
		peer                    func(peer) peer
		path                    string
		reason, procedure, from string
	}{
		"token":        {func(p peer) peer { return p.bearer(secret) }, resolvePath, "CREDENTIAL_INVALID", resolvePath, "loopback"},
		"host":         {func(p peer) peer { return withHost(p, secret+".example") }, resolvePath, "HOST_FORBIDDEN", resolvePath, "loopback"},
		"origin":       {func(p peer) peer { return p.shows("Origin", "http://"+secret) }, resolvePath, "ORIGIN_FORBIDDEN", resolvePath, "loopback"},
		"unknown path": {func(p peer) peer { return p }, "/a%0Ab@c?" + secret, "CREDENTIAL_MISSING", `"REDACTED@c"`, "loopback"},
		"role": {
			func(p peer) peer { return p.bearer(childToken) }, dialpointv1connect.ListenerServiceListListenersProcedure,
			"ROLE_FORBIDDEN", dialpointv1connect.ListenerServiceListListenersProcedure, "loopback",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			gate := access.NewGate(slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), withTokens())
			socket := listen(t, "tcp", "127.0.0.1:0")
			web := webServer(gate)
			serve(t, web, socket)
			test.peer(peer{url: "http://" + socket.Addr().String()}).send(t, http.MethodPost, test.path, "application/proto")
			must(t, web.Shutdown(t.Context()))
			line := map[string]string{}
			must(t, json.Unmarshal(log.Bytes(), &line))
			delete(line, "time")
			want := map[string]string{"level": "DEBUG", "msg": "refused", "reason": test.reason, "procedure": test.procedure, "peer": test.from}
			if !maps.Equal(line, want) {
				t.Errorf("logged %v, want %v", line, want)
			}
			if strings.Contains(log.String(), secret) || strings.Contains(log.String(), childToken) {
				t.Errorf("the log shows what was sent: %s", log.String())
			}
		})
	}
}
