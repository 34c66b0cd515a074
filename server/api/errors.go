package api

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// Domain is the domain of every ErrorInfo that the service sends.
const Domain = "dialpoint"

// The reasons beside those of [rules.Reason].
const (
	reasonListenerUnknown = "LISTENER_UNKNOWN"
	reasonFieldInvalid    = "FIELD_INVALID"
	reasonShuttingDown    = "SHUTTING_DOWN"
)

// retryDelay is what a caller is told to wait before it asks again for what it may well get by then.
const retryDelay = time.Second

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

// fail is an error of the API, with its reason and any further details. It wraps its cause.
func fail(code connect.Code, reason string, cause error, details ...proto.Message) *connect.Error {
	failure := connect.NewError(code, cause)
	info := &errdetails.ErrorInfo{Reason: reason, Domain: Domain}
	for _, message := range append([]proto.Message{info}, details...) {
		if detail, err := connect.NewErrorDetail(message); err == nil {
			failure.AddDetail(detail)
		}
	}
	return failure
}

func retry() *errdetails.RetryInfo {
	return &errdetails.RetryInfo{RetryDelay: durationpb.New(retryDelay)}
}

func unknownListener(name string) *connect.Error {
	return fail(connect.CodeNotFound, reasonListenerUnknown, errors.New(unknownMessage(name)))
}

func unknownMessage(name string) string {
	if name == "" {
		name = listener.DefaultName
	}
	return fmt.Sprintf("there is no listener %q; ListListeners, or 'dialpoint listeners', shows those there are", Quoted(name))
}

func invalidField(field, problem string) *connect.Error {
	violation := &errdetails.BadRequest_FieldViolation{Field: field, Description: problem, Reason: reasonFieldInvalid}
	return fail(connect.CodeInvalidArgument, reasonFieldInvalid, errors.New(field+": "+problem),
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{violation}})
}

func shuttingDown() *connect.Error {
	return fail(connect.CodeUnavailable, reasonShuttingDown, errors.New("the service is shutting down; ask again"), retry())
}

// unresolved is the error of a call for one of [rules.Resolve].
func unresolved(err error) *connect.Error {
	why, ok := errors.AsType[*rules.Unavailable](err)
	switch {
	case !ok:
		return connect.NewError(connect.CodeInternal, err)
	case why.Reason == rules.NotBound:
		return fail(connect.CodeUnavailable, string(why.Reason), fmt.Errorf("%w; or ask with wait", err), retry())
	default:
		return fail(connect.CodeFailedPrecondition, string(why.Reason), err)
	}
}

// isNotBound reports whether an error says that a listener is not bound yet, which waiting may mend.
func isNotBound(err error) bool {
	why, ok := errors.AsType[*rules.Unavailable](err)
	return ok && why.Reason == rules.NotBound
}
