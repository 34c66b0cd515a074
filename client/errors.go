package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"connectrpc.com/connect"
)

// Reason is why a call failed, in the service's words: the reason of a google.rpc.ErrorInfo of the domain "dialpoint".
// A service newer than this package may send others than those below.
type Reason string

// The reasons, each with the code it comes with.
const (
	// ReasonListenerUnknown means that there is no such listener (not_found).
	ReasonListenerUnknown Reason = "LISTENER_UNKNOWN"
	// ReasonListenerNotBound means that the listener is not up yet, or not any more (unavailable). Ask again after
	// Error.RetryAfter, or ask with Request.Wait.
	ReasonListenerNotBound Reason = "LISTENER_NOT_BOUND"
	// ReasonListenerNotReachable means that no address is known on which this caller could reach the listener
	// (failed_precondition).
	ReasonListenerNotReachable Reason = "LISTENER_NOT_REACHABLE"
	// ReasonShuttingDown means that the service stops, and what was open with it (unavailable). A call of this package
	// looks for the next one by itself.
	ReasonShuttingDown Reason = "SHUTTING_DOWN"
	// ReasonFieldInvalid means that a field of the request is wrong (invalid_argument). The message names it.
	ReasonFieldInvalid Reason = "FIELD_INVALID"
	// ReasonListenerHeld means that another live instance holds the listener (aborted).
	ReasonListenerHeld Reason = "LISTENER_HELD"
	// ReasonCredentialMissing means that the service wants a token and got none (unauthenticated).
	ReasonCredentialMissing Reason = "CREDENTIAL_MISSING" //nolint:gosec // a name
	// ReasonCredentialInvalid means that the token is not one of the service's (unauthenticated).
	ReasonCredentialInvalid Reason = "CREDENTIAL_INVALID" //nolint:gosec // a name
	// ReasonRoleForbidden means that the token is right, but not for this call (permission_denied).
	ReasonRoleForbidden Reason = "ROLE_FORBIDDEN"
	// ReasonPeerForbidden means that the user at the other end of the socket may not call (permission_denied).
	ReasonPeerForbidden Reason = "PEER_FORBIDDEN"
	// ReasonHostForbidden means that the service does not go by the name it was called (permission_denied).
	ReasonHostForbidden Reason = "HOST_FORBIDDEN"
	// ReasonLimitExceeded means that the service has too much to do (resource_exhausted). A call of this package asks
	// again by itself after Error.RetryAfter.
	ReasonLimitExceeded Reason = "LIMIT_EXCEEDED"
	// ReasonOriginForbidden means that a browser's page made the call (permission_denied).
	ReasonOriginForbidden Reason = "ORIGIN_FORBIDDEN"
)

// Error is why a call failed. Nothing in it is secret.
type Error struct {
	// Code is the Connect code (https://connectrpc.com/docs/protocol#error-codes). A service that is not there is
	// [connect.CodeUnavailable], as is a listener that is not bound: Reason tells them apart.
	Code connect.Code
	// Reason is the service's reason. Empty when the service did not answer, or gave none.
	Reason Reason
	// Message says for people what is wrong and what to do.
	Message string
	// RetryAfter is how long the service asks to wait before the next try. Zero when it did not say.
	RetryAfter time.Duration
	// Address is the service that was called, the last of them where several were.
	Address Address

	cause error
	// answered is set where the service sent the error. Problem is what it said, or what kept it from answering.
	answered bool
	problem  string
}

// Error implements error: the code, the reason if there is one, and the message.
func (e *Error) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("%s: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("%s (%s): %s", e.Code, e.Reason, e.Message)
}

// Unwrap is the error as Connect gave it, with all of its details. Where several services were called, it is the errors
// of all of them. It is nil where there is none, as of a service that says nothing.
func (e *Error) Unwrap() error { return e.cause }

// Is makes an [*Error] of code deadline_exceeded match [context.DeadlineExceeded], and one of code canceled match
// [context.Canceled], whether the caller's context or the service's copy of its deadline ended the call first.
func (e *Error) Is(target error) bool {
	return target == context.DeadlineExceeded && e.Code == connect.CodeDeadlineExceeded ||
		target == context.Canceled && e.Code == connect.CodeCanceled
}

// ReasonOf is the reason of the [*Error] in err. It is empty when there is none.
func ReasonOf(err error) Reason {
	if failure, found := errors.AsType[*Error](err); found {
		return failure.Reason
	}
	return ""
}
