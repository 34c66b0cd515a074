package doctor_test

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"dialpoint/cmd/dialpoint/doctor"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

func TestLease(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.July, 1, 12, 0, 0, 0, time.UTC)
	const renew = "see whether the dashboard, or the 'dialpoint report'"
	for name, test := range map[string]struct {
		left            time.Duration
		status          doctor.Status
		finding, advice string
	}{
		"fresh":              {15 * time.Second, doctor.StatusOK, "the lease of instance i-1 ends in 15s unless it is renewed", ""},
		"long":               {time.Hour, doctor.StatusOK, "the lease of instance i-1 ends in 1h0m0s unless it is renewed", ""},
		"enough":             {5 * time.Second, doctor.StatusOK, "the lease of instance i-1 ends in 5s unless it is renewed", ""},
		"near its end":       {4 * time.Second, doctor.StatusWarning, "the lease of instance i-1 ends in 4s", renew},
		"at its end":         {100 * time.Millisecond, doctor.StatusWarning, "the lease of instance i-1 is over", renew},
		"over":               {-time.Minute, doctor.StatusWarning, "the lease of instance i-1 is over", renew},
		"rounded to seconds": {4600 * time.Millisecond, doctor.StatusOK, "the lease of instance i-1 ends in 5s unless it is renewed", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := doctor.LeaseLeft(&dialpointv1.Listener{
				BindSource:      dialpointv1.BindSource_BIND_SOURCE_REPORT,
				InstanceId:      "i-1",
				LeaseExpireTime: timestamppb.New(now.Add(test.left)),
			}, now)
			if got.Name != doctor.CheckLease || got.Status != test.status || got.Finding != test.finding ||
				!strings.HasPrefix(got.Advice, test.advice) || (got.Advice == "") != (test.advice == "") {
				t.Errorf("got %+v, want %+v", got, test)
			}
		})
	}
}

// TestNoLease: a bind that was configured has none.
func TestNoLease(t *testing.T) {
	t.Parallel()
	check := only(t, examine(t, boundTo(t, startPatient(t, "close 1000").Port())), doctor.CheckLease, "")
	if check.Status != doctor.StatusSkipped || !strings.Contains(check.Finding, "there is no lease") {
		t.Errorf("got %+v, want it skipped", check)
	}
}
