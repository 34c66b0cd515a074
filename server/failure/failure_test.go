package failure_test

import (
	"errors"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"dialpoint/server/failure"
)

func TestNew(t *testing.T) {
	t.Parallel()
	cause := errors.New("not yet; ask again")
	got := failure.New(connect.CodeUnavailable, "SOME_REASON", cause, failure.Retry())
	if got.Code() != connect.CodeUnavailable || got.Message() != cause.Error() || !errors.Is(got, cause) {
		t.Errorf("got %v", got)
	}
	if len(got.Details()) != 2 {
		t.Fatalf("got %d details, want 2", len(got.Details()))
	}
	first, err := got.Details()[0].Value()
	info, isInfo := first.(*errdetails.ErrorInfo)
	if err != nil || !isInfo || info.GetReason() != "SOME_REASON" || info.GetDomain() != failure.Domain {
		t.Errorf("the first detail is %v, %v", first, err)
	}
	second, err := got.Details()[1].Value()
	retry, isRetry := second.(*errdetails.RetryInfo)
	if err != nil || !isRetry || retry.GetRetryDelay().AsDuration() != failure.RetryDelay {
		t.Errorf("the second detail is %v, %v", second, err)
	}
}
