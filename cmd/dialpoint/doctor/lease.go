package doctor

import (
	"context"
	"time"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// leaseEnds is how much of a lease must be left. A dashboard renews one of 15 seconds, which is what it gets unless it
// asks for another, when two thirds are left.
const leaseEnds = 5 * time.Second

// lease asks how long the dashboard's report still holds. Only operators may.
func (d *Doctor) lease(ctx context.Context, name string) Check {
	listener, err := d.Service.GetListener(ctx, name)
	if err != nil {
		return Check{Name: CheckLease, Status: StatusSkipped, Finding: "the lease cannot be looked at: " + err.Error()}
	}
	return leaseLeft(listener, time.Now())
}

func leaseLeft(listener *dialpointv1.Listener, now time.Time) Check {
	check := Check{Name: CheckLease, Status: StatusSkipped}
	if listener.GetLeaseExpireTime() == nil {
		check.Finding = "there is no lease, since no dashboard reported what it binds"
		return check
	}
	left := listener.GetLeaseExpireTime().AsTime().Sub(now).Round(time.Second)
	holder := "the lease of instance " + listener.GetInstanceId()
	const renew = "see whether the dashboard, or the 'dialpoint report' that reports for it, still runs and reaches the service"
	switch {
	case left <= 0:
		check.Status, check.Finding, check.Advice = StatusWarning, holder+" is over", renew
	case left < leaseEnds:
		check.Status, check.Finding, check.Advice = StatusWarning, holder+" ends in "+left.String(), renew
	default:
		check.Status, check.Finding = StatusOK, holder+" ends in "+left.String()+" unless it is renewed"
	}
	return check
}
