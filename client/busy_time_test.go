package client_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

func tooMuch(t *testing.T, details ...proto.Message) error {
	t.Helper()
	return said(t, connect.CodeResourceExhausted, append(details, info(client.ReasonLimitExceeded))...)
}

func retryIn(delay time.Duration) proto.Message {
	return &errdetails.RetryInfo{RetryDelay: durationpb.New(delay)}
}

// TestServiceHasTooMuchToDo: it is asked again when it says, and not where it does not say.
func TestServiceHasTooMuchToDo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		details  []proto.Message
		patience time.Duration
		// until is when it has time again.
		until time.Duration
		want  []time.Duration
		code  connect.Code
	}{
		"for a while":                      {[]proto.Message{retryIn(time.Second)}, 0, 2500 * time.Millisecond, pauses(3500*time.Millisecond, 1000), 0},
		"for longer than it is waited for": {[]proto.Message{retryIn(time.Second)}, 5 * time.Second, time.Hour, pauses(5*time.Second, 1000), connect.CodeResourceExhausted},
		"no patience":                      {[]proto.Message{retryIn(time.Second)}, -1, time.Hour, []time.Duration{0}, connect.CodeResourceExhausted},
		"not to be asked again":            {nil, 0, time.Hour, []time.Duration{0}, connect.CodeResourceExhausted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				var tries []time.Duration
				network.serve(t, "a:1", service{resolve: func(context.Context, *dialpointv1.ResolveEndpointsRequest) (*dialpointv1.ResolveEndpointsResponse, error) {
					if tries = append(tries, network.elapsed()); network.elapsed() < test.until {
						return nil, tooMuch(t, test.details...)
					}
					return &dialpointv1.ResolveEndpointsResponse{Endpoints: endpoints(1)}, nil
				}}.handler())
				caller := network.client(t, "http://a:1", 0)
				caller.Patience = test.patience
				_, err := caller.Resolve(t.Context(), client.Request{})
				wantEqual(t, tries, test.want)
				if test.code == 0 {
					if err != nil {
						t.Error(err)
					}
				} else if asError(t, err).Code != test.code {
					t.Errorf("got %v, want %s", err, test.code)
				}
			})
		})
	}
}

// TestAnotherServiceHasTime: nobody waits for the busy one then.
func TestAnotherServiceHasTime(t *testing.T) {
	t.Parallel()
	for name, call := range patientCalls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				network.serve(t, "a:1", failing(tooMuch(t, retryIn(time.Second))).handler())
				network.serve(t, "b:1", complete().handler())
				if err := call(t.Context(), network.client(t, "http://a:1,http://b:1", 0)); err != nil {
					t.Error(err)
				}
				network.wantElapsed(t, 0)
			})
		})
	}
}
