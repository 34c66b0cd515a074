package api

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	"dialpoint/server/failure"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// The reasons beside those of [rules.Reason].
const (
	reasonListenerUnknown = "LISTENER_UNKNOWN"
	reasonListenerHeld    = "LISTENER_HELD"
	reasonFieldInvalid    = "FIELD_INVALID"
	reasonShuttingDown    = "SHUTTING_DOWN"
)

// maxHeldRetry is the longest that a caller is told to wait for another's lease to end. It may be withdrawn before that,
// and a lease of an hour may be renewed for good.
const maxHeldRetry = listener.DefaultTTL

// maxQuoted is how many bytes of what a caller wrote are repeated to it. No listener has a longer name.
const maxQuoted = 128

// Quoted is what a caller wrote, fit to be repeated in a message: what is too long ends in an ellipsis, and no
// character is cut in two.
func Quoted(text string) string {
	if len(text) <= maxQuoted {
		return text
	}
	end := maxQuoted
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

func unknownListener(name string) *connect.Error {
	return failure.New(connect.CodeNotFound, reasonListenerUnknown, errors.New(unknownMessage(name)))
}

func unknownMessage(name string) string {
	if name == "" {
		name = listener.DefaultName
	}
	return fmt.Sprintf("there is no listener %q; ListListeners, or 'dialpoint listeners', shows those there are", Quoted(name))
}

func invalidField(field, problem string) *connect.Error {
	violation := &errdetails.BadRequest_FieldViolation{Field: field, Description: problem, Reason: reasonFieldInvalid}
	return failure.New(connect.CodeInvalidArgument, reasonFieldInvalid, errors.New(field+": "+problem),
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{violation}})
}

func shuttingDown() *connect.Error {
	return failure.New(connect.CodeUnavailable, reasonShuttingDown, errors.New("the service is shutting down; ask again"), failure.Retry())
}

// unresolved is the error of a call for one of [rules.Resolve].
func unresolved(err error) *connect.Error {
	why, ok := errors.AsType[*rules.Unavailable](err)
	switch {
	case !ok:
		return connect.NewError(connect.CodeInternal, err)
	case why.Reason == rules.NotBound:
		return failure.New(connect.CodeUnavailable, string(why.Reason), fmt.Errorf("%w; or ask with wait", err), failure.Retry())
	default:
		return failure.New(connect.CodeFailedPrecondition, string(why.Reason), err)
	}
}

// notReported is the error of a call for one of [listener.Registry.Report].
func notReported(name string, err error) *connect.Error {
	held, ok := errors.AsType[*listener.HeldError](err)
	switch {
	case errors.Is(err, listener.ErrClosed):
		return shuttingDown()
	case !ok:
		return unknownListener(name)
	case held.Expires.IsZero():
		return failure.New(connect.CodeAborted, reasonListenerHeld, fmt.Errorf("%w: only that program says what it binds", held))
	}
	retry := &errdetails.RetryInfo{RetryDelay: durationpb.New(min(max(time.Until(held.Expires), 0), maxHeldRetry))}
	return failure.New(connect.CodeAborted, reasonListenerHeld, fmt.Errorf("%w; wait until then, or report with takeover", held), retry)
}

// notWithdrawn is the error of a call for one of [listener.Registry.Withdraw].
func notWithdrawn(name string, err error) *connect.Error {
	if held, ok := errors.AsType[*listener.HeldError](err); ok {
		return failure.New(connect.CodeAborted, reasonListenerHeld, fmt.Errorf("%w; only the holder can withdraw it", held))
	}
	return unknownListener(name)
}

// isNotBound reports whether an error says that a listener is not bound yet, which waiting may mend.
func isNotBound(err error) bool {
	why, ok := errors.AsType[*rules.Unavailable](err)
	return ok && why.Reason == rules.NotBound
}
