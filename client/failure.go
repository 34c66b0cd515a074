package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"time"

	"connectrpc.com/connect"
)

var (
	// errHollow stands for an answer without the one field that it is there for.
	errHollow = connect.NewError(connect.CodeInternal, errors.New("its answer is empty"))
	// errWatchEnded stands for a stream that ended in order.
	errWatchEnded = connect.NewError(connect.CodeUnavailable, errors.New("it ended the watch"))
)

// failure tells apart what the service said from what kept it from saying something.
func (s *service) failure(ctx context.Context, err error) *Error {
	failure := &Error{Code: connect.CodeOf(err), Address: s.address, cause: err}
	if answer, found := answered(err); found {
		failure.answered = true
		failure.Message = answer.Message()
		failure.problem = answer.Message()
		failure.readDetails(answer.Details())
		return failure
	}
	failure.problem = plain(err)
	failure.Code, failure.Message = s.diagnose(ctx, err, failure.problem)
	return failure
}

// silent is the failure of a service that has taken the connection, and says nothing. It has no cause: that would be the
// end of a context which is none of the caller's.
func (s *service) silent(limit time.Duration) *Error {
	silence := "been silent for " + limit.Round(time.Millisecond).String()
	return &Error{
		Code:    connect.CodeUnavailable,
		Message: fmt.Sprintf("the service at %s has %s; see whether it still runs", s.address, silence),
		Address: s.address,
		problem: "it has " + silence,
	}
}

// badUse is the error of every call of a client that was told what no client can do.
func badUse(err error) *Error {
	return &Error{Code: connect.CodeInvalidArgument, Message: err.Error(), cause: err}
}

// answered is the error that the service sent, if it sent one. An error without a message is JSON of another kind of
// server, which Connect reads as far as it can.
func answered(err error) (*connect.Error, bool) {
	answer, found := errors.AsType[*connect.Error](err)
	return answer, found && connect.IsWireError(err) && answer.Message() != ""
}

// diagnose says for people why no answer came from the service.
func (s *service) diagnose(ctx context.Context, err error, problem string) (connect.Code, string) {
	code := connect.CodeOf(err)
	obstacle, isObstacle := errors.AsType[*obstacle](err)
	mistrust, isMistrust := mistrustOf(err)
	switch end := ended(ctx); {
	case end != nil:
		return codeOfEnd(end), fmt.Sprintf("the call to %s was given up: %s", s.address, end)
	case isObstacle:
		return obstacle.code, obstacle.Error()
	case isMistrust:
		return mistrust.code, fmt.Sprintf("the service at %s %s: %s; %s", s.address, mistrust.what, problem, mistrust.advice)
	case errors.Is(err, errWatchEnded):
		return code, fmt.Sprintf("the service at %s ended the watch; it may be stopping", s.address)
	case errors.Is(err, fs.ErrPermission):
		return connect.CodePermissionDenied, fmt.Sprintf("this user may not connect to %s: %s; call as the user who runs the service", s.address, problem)
	case isDial(err):
		return connect.CodeUnavailable, noService(tried(s.address, problem))
	case isBroken(err):
		return connect.CodeUnavailable, fmt.Sprintf("the connection to %s broke: %s; see whether the service still runs", s.address, problem)
	}
	return code, fmt.Sprintf("the call to %s failed: %s; see whether it is a Dialpoint service that listens there", s.address, problem)
}

// ended is why the caller's context is over, or nil. A dialler may see the deadline pass before the context's own timer
// does (https://go.dev/issue/64449).
func ended(ctx context.Context) error {
	if deadline, found := ctx.Deadline(); found && ctx.Err() == nil && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

// codeOfEnd is the code that Connect has for a context's end.
func codeOfEnd(end error) connect.Code {
	if errors.Is(end, context.Canceled) {
		return connect.CodeCanceled
	}
	return connect.CodeDeadlineExceeded
}

// isDial reports whether there was no connection to begin with, a name that does not resolve included.
func isDial(err error) bool {
	operation, found := errors.AsType[*net.OpError](err)
	return found && operation.Op == "dial"
}

// isBroken reports whether a connection ended amid a call. The code does not tell: Connect counts a reset as canceled.
func isBroken(err error) bool {
	_, found := errors.AsType[*net.OpError](err)
	return found || errors.Is(err, io.ErrUnexpectedEOF)
}

// plain is what went wrong, without the code, the request and the parts of net/http that may stand before it.
func plain(err error) string {
	if obstacle, found := errors.AsType[*obstacle](err); found {
		return obstacle.problem
	}
	if operation, found := errors.AsType[*net.OpError](err); found {
		return operation.Error()
	}
	if request, found := errors.AsType[*url.Error](err); found {
		return request.Err.Error()
	}
	if failure, found := errors.AsType[*connect.Error](err); found && failure.Message() != "" {
		return failure.Message()
	}
	return connect.CodeOf(err).String()
}
