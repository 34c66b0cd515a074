package client_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"

	"dialpoint/client"
)

// TestTokenSourceHangs: it is given as long as a service that is silent, and no longer than the caller waits.
func TestTokenSourceHangs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		method           string
		patience, cancel time.Duration
		want             time.Duration
		code             connect.Code
	}{
		"patience":           {"Resolve", 0, 0, client.AnswerTimeout, connect.CodeFailedPrecondition},
		"little of it":       {"Resolve", 3 * time.Second, 0, 3 * time.Second, connect.CodeFailedPrecondition},
		"none":               {"Resolve", -1, 0, client.AnswerTimeout, connect.CodeFailedPrecondition},
		"caller gone":        {"Resolve", 0, time.Second, time.Second, connect.CodeCanceled},
		"watch":              {"Watch", time.Second, 0, client.AnswerTimeout, connect.CodeFailedPrecondition},
		"watch, caller gone": {"Watch", 0, time.Second, time.Second, connect.CodeCanceled},
		"source":             {"Source", 0, 0, client.AnswerTimeout, connect.CodeFailedPrecondition},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				network.serve(t, "a:1", complete().handler())
				caller := network.client(t, "http://a:1", 0)
				caller.Patience = test.patience
				caller.Token = func(ctx context.Context) (string, error) {
					<-ctx.Done()
					return "", ctx.Err()
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.cancel > 0 {
					time.AfterFunc(test.cancel, cancel)
				}
				err := patientCalls[test.method](ctx, caller)
				network.wantElapsed(t, test.want)
				if asError(t, err).Code != test.code {
					t.Errorf("got %v, want %s", err, test.code)
				}
			})
		})
	}
}

// TestTokenFileIsWaitedFor: as long as a service is, and the error says which of them is missing.
func TestTokenFileIsWaitedFor(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		patience time.Duration
		want     time.Duration
	}{
		"as ever":    {0, client.DefaultPatience},
		"as told":    {5 * time.Second, 5 * time.Second},
		"not at all": {-1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				network.serve(t, "a:1", complete().handler())
				caller := network.client(t, "http://a:1", 0)
				caller.Patience, caller.TokenFile = test.patience, t.TempDir()+"/token"
				_, err := caller.Resolve(t.Context(), client.Request{})
				network.wantElapsed(t, test.want)
				if asError(t, err).Code != connect.CodeUnavailable || errors.Is(err, client.ErrConfiguration) || len(network.tries()) > 0 {
					t.Errorf("got %v after %d connections, want unavailable after none", err, len(network.tries()))
				}
				wantMessage(t, err.Error(), "token", "cannot be read: no such file or directory; start what makes it, or name another with --token-file")
			})
		})
	}
}
