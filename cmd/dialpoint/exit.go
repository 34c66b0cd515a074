package main

import (
	"errors"

	"connectrpc.com/connect"

	"dialpoint/client"
)

// Exit codes beyond 0 and 1. The last three have the values of sysexits.h.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitUnavailable = 69
	exitNotAllowed  = 77
	exitConfig      = 78
)

// usageError is a command line that cannot be run.
type usageError struct{ error }

// Unwrap gives [errors.As] what is behind.
func (e usageError) Unwrap() error { return e.error }

// unavailableError is a service or a listener that did not become available in time.
type unavailableError struct{ error }

// Unwrap gives [errors.As] what is behind.
func (e unavailableError) Unwrap() error { return e.error }

// configError is a configuration that cannot be used.
type configError struct{ error }

// Unwrap gives [errors.As] what is behind.
func (e configError) Unwrap() error { return e.error }

// exitCode is what an error ends the process with.
func exitCode(err error) int {
	var failure *client.Error
	var status exitStatus
	switch {
	case errors.As(err, &status):
		return status.code
	case errors.As(err, new(usageError)):
		return exitUsage
	case errors.As(err, new(configError)):
		return exitConfig
	case errors.As(err, new(unavailableError)):
		return exitUnavailable
	case errors.Is(err, client.ErrConfiguration):
		return exitConfig
	case errors.As(err, &failure):
		return exitCodeOf(failure.Code)
	}
	return exitFailed
}

func exitCodeOf(code connect.Code) int {
	switch code {
	case connect.CodeUnavailable, connect.CodeNotFound, connect.CodeFailedPrecondition, connect.CodeDeadlineExceeded, connect.CodeResourceExhausted:
		return exitUnavailable
	case connect.CodeUnauthenticated, connect.CodePermissionDenied:
		return exitNotAllowed
	case connect.CodeInvalidArgument:
		return exitUsage
	default:
		return exitFailed
	}
}
