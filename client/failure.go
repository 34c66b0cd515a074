package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
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
func (c *Client) failure(ctx context.Context, err error) *Error {
	failure := &Error{Code: connect.CodeOf(err), Address: c.address, cause: err}
	if answer, found := answered(err); found {
		failure.Message = answer.Message()
		failure.readDetails(answer.Details())
		return failure
	}
	failure.Code, failure.Message = c.diagnose(ctx, err)
	return failure
}

// answered is the error that the service sent, if it sent one. An error without a message is JSON of another kind of
// server, which Connect reads as far as it can.
func answered(err error) (*connect.Error, bool) {
	answer, found := errors.AsType[*connect.Error](err)
	return answer, found && connect.IsWireError(err) && answer.Message() != ""
}

// diagnose says for people why no answer came from the service.
func (c *Client) diagnose(ctx context.Context, err error) (connect.Code, string) {
	problem := plain(err)
	code := connect.CodeOf(err)
	switch end := ended(ctx); {
	case end != nil:
		return codeOfEnd(end), fmt.Sprintf("the call to %s was given up: %s", c.address, end)
	case errors.Is(err, errWatchEnded):
		return code, fmt.Sprintf("the service at %s ended the watch; it may be stopping, so watch again once it is back", c.address)
	case errors.Is(err, fs.ErrPermission):
		return connect.CodePermissionDenied, fmt.Sprintf("this user may not connect to %s: %s; call as the user who runs the service", c.address, problem)
	case isDial(err):
		return connect.CodeUnavailable, fmt.Sprintf("no Dialpoint service answers at %s: %s; start one with 'dialpoint serve', or say with --addr or %s where it is", c.address, problem, AddressEnv)
	case isBroken(err):
		return connect.CodeUnavailable, fmt.Sprintf("the connection to %s broke: %s; see whether the service still runs", c.address, problem)
	}
	return code, fmt.Sprintf("the call to %s failed: %s; see whether it is a Dialpoint service that listens there", c.address, problem)
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

// plain is what went wrong, without the code that stands before it.
func plain(err error) string {
	if failure, found := errors.AsType[*connect.Error](err); found && failure.Message() != "" {
		return failure.Message()
	}
	return connect.CodeOf(err).String()
}
