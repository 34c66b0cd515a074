package client

import (
	"context"
	"net"
)

// Hold reports a socket that listens, as [Client.Hold] does, to the service that the environment names. Host is what the
// operator wrote, as in [ReportOf]. What else there is to say, options put into the report:
//
//	lease, err := client.Hold(ctx, socket, "0.0.0.0", func(report *client.Report) { report.Credential = token })
func Hold(ctx context.Context, socket net.Listener, host string, options ...func(*Report)) (*Lease, error) {
	report, err := ReportOf(socket, host)
	if err != nil {
		return nil, err
	}
	for _, option := range options {
		option(&report)
	}
	client := new(Client)
	lease, err := client.hold(ctx, report, client.Close)
	if err != nil {
		client.Close()
		return nil, err
	}
	return lease, nil
}

// Hold reports what a dashboard has bound and returns once the report is in. The lease it returns is renewed in the
// background until it is closed or the context ends, and then withdrawn. [Lease] says what it outlasts.
//
// Until the first report is in, a service that is not there is waited for, and so is a listener that another instance
// holds: a dashboard that was killed and started again gets it as soon as the lease of its forerunner ends, or at once
// with Report.Takeover. The deadline of the context, or where it has none Client.Patience, bounds that wait. A report that
// may have got in when the context ends is withdrawn, for which Hold takes up to 3 seconds more. The error is an [*Error].
func (c *Client) Hold(ctx context.Context, report Report) (*Lease, error) {
	return c.hold(ctx, report, func() {})
}

// hold calls a function at the end of the lease.
func (c *Client) hold(ctx context.Context, report Report, over func()) (*Lease, error) {
	if failure := c.ready(); failure != nil {
		return nil, failure
	}
	report = report.named()
	lease := &Lease{
		client:   c,
		listener: report.Listener,
		instance: report.InstanceID,
		backoff:  c.newBackoff(),
		changed:  make(chan struct{}, 1),
		done:     make(chan struct{}),
		over:     over,
	}
	if failure := lease.claim(ctx, report); failure != nil {
		if lease.unheard {
			_ = lease.withdraw(ctx) // It ends by itself all the same.
		}
		return nil, failure
	}
	lease.set(report)
	holding, stop := context.WithCancel(ctx)
	lease.stop = stop
	go lease.run(holding)
	return lease, nil
}
