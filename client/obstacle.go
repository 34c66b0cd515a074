package client

import (
	"errors"
	"io/fs"

	"connectrpc.com/connect"
)

// ErrConfiguration is behind each [*Error] whose cause is on the caller's own side: a file or a variable that holds no
// token or no certificate, or a file that cannot be read. Only whoever configured the caller can mend it, so that no
// service is waited for. A file that is not there may come yet, and is no such error.
var ErrConfiguration = errors.New("the client's own configuration is wrong")

// obstacle is what keeps a try from being made. It never shows a secret.
type obstacle struct {
	code connect.Code
	// problem is what is wrong, advice what to do about it.
	problem, advice string
	cause           error
}

// Error implements error.
func (o *obstacle) Error() string { return o.problem + "; " + o.advice }

// Unwrap gives [errors.Is] what is behind.
func (o *obstacle) Unwrap() error { return o.cause }

// misconfigured is an obstacle for good, unless it is that something is not there: children start before their service
// has made its tokens, so that it is waited for like the service.
func misconfigured(problem, advice string, cause error) error {
	if errors.Is(cause, fs.ErrNotExist) {
		return &obstacle{connect.CodeUnavailable, problem, advice, cause}
	}
	return &obstacle{connect.CodeFailedPrecondition, problem, advice, errors.Join(ErrConfiguration, cause)}
}
