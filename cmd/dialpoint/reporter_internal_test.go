package main

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"

	"dialpoint/client"
)

// TestPauseAfter: an attempt that has waited is followed by the next at once, one that was refused is not.
func TestPauseAfter(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  error
		want time.Duration
	}{
		"no service":    {&client.Error{Code: connect.CodeUnavailable}, 0},
		"held":          {&client.Error{Code: connect.CodeAborted, Reason: client.ReasonListenerHeld}, 0},
		"no listener":   {&client.Error{Code: connect.CodeNotFound, Reason: client.ReasonListenerUnknown}, refusalPause},
		"not allowed":   {&client.Error{Code: connect.CodePermissionDenied, Reason: client.ReasonRoleForbidden}, refusalPause},
		"aborted":       {&client.Error{Code: connect.CodeAborted}, refusalPause},
		"anything":      {errors.New("x"), refusalPause},
		"wrapped":       {fmt.Errorf("y: %w", &client.Error{Code: connect.CodeUnavailable}), 0},
		"configuration": {&client.Error{Code: connect.CodeInvalidArgument}, refusalPause},
	} {
		if got := pauseAfter(test.err); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// TestComplaints: the same trouble is told once a minute, whatever its words are, and another at once.
func TestComplaints(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		told := 0
		complaints := complaints{say: func(string, ...any) { told++ }}
		away := func(message string) error { return &client.Error{Code: connect.CodeUnavailable, Message: message} }
		stopping := &client.Error{Code: connect.CodeUnavailable, Reason: client.ReasonShuttingDown}
		begin := time.Now()
		for _, step := range []struct {
			at   time.Duration
			err  error
			told int
		}{
			{0, away("a"), 1},
			{time.Second, away("b"), 1},
			{complaintPause - 1, away("c"), 1},
			{complaintPause, away("d"), 2},
			{complaintPause + time.Second, stopping, 3},
			{complaintPause + time.Second, stopping, 3},
			{complaintPause + time.Second, away("e"), 4},
			{complaintPause + 2*time.Second, errors.New("x"), 5},
		} {
			<-time.After(step.at - time.Since(begin))
			if complaints.add(step.err); told != step.told {
				t.Errorf("after %v: told %d times, want %d", step.at, told, step.told)
			}
		}
	})
}
