package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"math"
	"net"
	"strconv"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// Report says what a dashboard has bound. [ReportOf] makes one of a socket. Printed or logged, it does not show its
// credential.
type Report struct {
	// Listener is the listener's name. Empty means "default".
	Listener string
	// Host is the host as the operator wrote it, and not as the socket calls itself: one that is bound to 0.0.0.0 calls
	// itself [::]. Empty is every interface.
	Host string
	// Port is the port that the socket really has, from 1 to 65535.
	Port int
	// IPv6Only says whether an IPv6 wildcard refuses IPv4. Nil means that it is not known.
	IPv6Only *bool
	// TLS says whether the socket speaks TLS.
	TLS bool
	// InstanceID names this run of the dashboard, in the form ^[A-Za-z0-9._-]{1,128}$. Empty is a random one.
	InstanceID string
	// TTL is how long the report holds unless it is renewed, from 1 second to 1 hour. Zero is 15 seconds.
	TTL time.Duration
	// Credential is what children must present to the dashboard. Empty keeps the one that is configured.
	Credential string `json:"-"`
	// Takeover takes the listener from another instance whose lease is live. That one is lost then, for good.
	Takeover bool
}

// Report says once what a dashboard has bound, for as long as Report.TTL. Reporting again with the same instance renews
// that; [Client.Hold] does it by itself. The answer has the instance that was reported, and how long the report holds.
//
// The error is an [*Error]. A service that is not there is waited for, and a listener that another live instance holds
// is not: that is [ReasonListenerHeld], whose Error.RetryAfter says when its lease ends.
func (c *Client) Report(ctx context.Context, report Report) (*dialpointv1.ReportListenerResponse, error) {
	report = report.named()
	return ask(ctx, c, 0, func(ctx context.Context, service *service, _ time.Duration) (*dialpointv1.ReportListenerResponse, error) {
		return service.report(ctx, report)
	})
}

// Withdraw ends the lease of an instance before its time: nobody is sent to the dashboard any more. An empty name of the
// listener means "default". That there is no lease is no error, so that a call can be repeated. The error is an [*Error];
// the lease of another instance is left alone, with [ReasonListenerHeld].
func (c *Client) Withdraw(ctx context.Context, listener, instanceID string) error {
	_, err := ask(ctx, c, 0, func(ctx context.Context, service *service, _ time.Duration) (struct{}, error) {
		return struct{}{}, service.withdraw(ctx, listener, instanceID)
	})
	return err
}

func (s *service) report(ctx context.Context, report Report) (*dialpointv1.ReportListenerResponse, error) {
	response, err := s.listeners.ReportListener(ctx, report.request())
	if err == nil && response.GetListener() == nil {
		err = errHollow
	}
	return response, err
}

func (s *service) withdraw(ctx context.Context, listener, instanceID string) error {
	_, err := s.listeners.WithdrawListener(ctx, &dialpointv1.WithdrawListenerRequest{Listener: listener, InstanceId: instanceID})
	return err
}

// named is the report of an instance that has an id.
func (r Report) named() Report {
	if r.InstanceID == "" {
		r.InstanceID = rand.Text()
	}
	return r
}

func (r Report) request() *dialpointv1.ReportListenerRequest {
	request := &dialpointv1.ReportListenerRequest{
		Listener: r.Listener,
		Bind: &dialpointv1.Bind{
			Host: r.Host,
			// A number that is no port stays one, for the service to refuse.
			Port:     uint32(min(max(r.Port, 0), math.MaxInt32)),
			Ipv6Only: r.IPv6Only,
			Tls:      r.TLS,
		},
		InstanceId: r.InstanceID,
		Credential: r.Credential,
		Takeover:   r.Takeover,
	}
	if r.TTL != 0 {
		request.Ttl = durationpb.New(r.TTL)
	}
	return request
}

// String is what is reported of which listener, and by whom.
func (r Report) String() string {
	return fmt.Sprintf("listener %q bound to %s by instance %q",
		cmp.Or(r.Listener, "default"), net.JoinHostPort(r.Host, strconv.Itoa(r.Port)), r.InstanceID)
}

// Format implements [fmt.Formatter]: whatever the verb, it is what String returns. Package log/slog prints so too.
func (r Report) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, r.String()) }
