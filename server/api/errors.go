package api

import (
	"errors"
	"fmt"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

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

// fail is an error of the API, with its reason and any further details.
func fail(code connect.Code, reason, message string, details ...proto.Message) *connect.Error {
	failure := connect.NewError(code, errors.New(message))
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
	return fail(connect.CodeNotFound, reasonListenerUnknown, unknownMessage(name))
}

func unknownMessage(name string) string {
	return fmt.Sprintf("there is no listener %q; ListListeners, or 'dialpoint listeners', shows those there are", name)
}

func invalidField(field, problem string) *connect.Error {
	violation := &errdetails.BadRequest_FieldViolation{Field: field, Description: problem, Reason: reasonFieldInvalid}
	return fail(connect.CodeInvalidArgument, reasonFieldInvalid, field+": "+problem,
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{violation}})
}

func shuttingDown() *connect.Error {
	return fail(connect.CodeUnavailable, reasonShuttingDown, "the service is shutting down; ask again", retry())
}

// unavailable is the error for what the rules could not answer.
func unavailable(name string, why *rules.Unavailable) *connect.Error {
	message := fmt.Sprintf("listener %q: %s", name, why.Message)
	if why.Reason == rules.NotReachable {
		return fail(connect.CodeFailedPrecondition, string(why.Reason), message)
	}
	return fail(connect.CodeUnavailable, string(why.Reason), message, retry())
}
