package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect"
)

// isAway reports whether a service is not there, or says that it will not be, or that it has too much to do: another may
// be, or the same one later. A listener that is not bound is the service's answer.
func (e *Error) isAway() bool {
	isBusy := e.Code == connect.CodeResourceExhausted && e.RetryAfter > 0
	return isBusy || e.Code == connect.CodeUnavailable && e.Reason != ReasonListenerNotBound
}

// unreachable is the error of calls that found no service. It names every address that was tried; where that is one, its
// failure says enough.
func unreachable(failures []*Error) *Error {
	last := failures[len(failures)-1]
	if len(failures) == 1 {
		return last
	}
	failure := &Error{Code: last.Code, Reason: last.Reason, Address: last.Address}
	places := make([]string, len(failures))
	causes := make([]error, len(failures))
	for i, each := range failures {
		places[i] = tried(each.Address, each.problem)
		causes[i] = each
		failure.RetryAfter = max(failure.RetryAfter, each.RetryAfter)
	}
	if slices.ContainsFunc(failures, (*Error).isAway) {
		failure.Code = connect.CodeUnavailable
	}
	failure.Message = noService(places...)
	failure.cause = errors.Join(causes...)
	return failure
}

func tried(address Address, problem string) string { return fmt.Sprintf("at %s: %s", address, problem) }

// noService says for people that none of some places has a service, and what to do.
func noService(places ...string) string {
	return fmt.Sprintf("no Dialpoint service answers %s; start one with 'dialpoint serve', or say with --addr or %s where it is",
		strings.Join(places, ", nor "), AddressEnv)
}

// atLast is the error after a time of trying, which a context may have ended.
func (e *Error) atLast(ctx context.Context, took time.Duration) *Error {
	failure := *e
	if took >= time.Second {
		failure.Message += fmt.Sprintf(" (tried for %s)", took.Round(time.Second))
	}
	end := ended(ctx)
	if errors.Is(end, context.Canceled) {
		failure.Code = connect.CodeCanceled
	}
	failure.cause = errors.Join(e.cause, end)
	return &failure
}
