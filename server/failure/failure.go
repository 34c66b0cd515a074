// Package failure builds the errors that the service answers with: a Connect code, a reason that programs can tell
// apart, and a message that says what to do next.
package failure

import (
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Domain is the domain of every ErrorInfo that the service sends.
const Domain = "dialpoint"

// RetryDelay is what a caller is told to wait before it asks again for what it may well get by then.
const RetryDelay = time.Second

// New is an error with its reason, as a google.rpc.ErrorInfo of [Domain], and any further details. It wraps its cause,
// whose message the caller sees: it must hold no secret.
func New(code connect.Code, reason string, cause error, details ...proto.Message) *connect.Error {
	failure := connect.NewError(code, cause)
	info := &errdetails.ErrorInfo{Reason: reason, Domain: Domain}
	for _, message := range append([]proto.Message{info}, details...) {
		if detail, err := connect.NewErrorDetail(message); err == nil {
			failure.AddDetail(detail)
		}
	}
	return failure
}

// Retry is the detail of an error that may be gone after [RetryDelay].
func Retry() proto.Message {
	return &errdetails.RetryInfo{RetryDelay: durationpb.New(RetryDelay)}
}
