package doctor

import (
	"context"
	"net"
	"slices"
	"time"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

const (
	// defaultListener is what the service takes an empty name for.
	defaultListener = "default"

	connectTimeout = 3 * time.Second
	upgradeTimeout = 5 * time.Second
	// farewellTimeout is less than what the library allows, which is longer than anybody wants to wait.
	farewellTimeout = time.Second
)

// Doctor looks at what a service hands out.
type Doctor struct {
	// Service is asked what to dial.
	Service *client.Client
	// Env reads the environment that children will have, in the form of [os.LookupEnv]. Nil is an empty one.
	Env func(name string) (value string, set bool)
	// ConnectTimeout bounds each connection. Zero is 3 seconds.
	ConnectTimeout time.Duration
	// UpgradeTimeout bounds each WebSocket handshake, its connection included. Zero is 5 seconds.
	UpgradeTimeout time.Duration
	// FarewellTimeout bounds how long a dashboard that has accepted may take to close the WebSocket. Zero is 1 second, and
	// more than 5 seconds are 5.
	FarewellTimeout time.Duration
}

// Examine looks at one listener. A service that hands nothing out is a report, too, with its error.
func (d *Doctor) Examine(ctx context.Context, request client.Request) Report {
	endpoints, err := d.Service.Resolve(ctx, request)
	if err != nil {
		name := request.Listener
		if name == "" {
			name = defaultListener
		}
		return newReport(name, err, Check{Name: CheckResolve, Status: StatusFailed, Finding: err.Error()})
	}
	checks := append(resolved(endpoints), d.lease(ctx, request.Listener))
	return newReport(endpoints.GetListener(), nil, append(checks, d.dial(ctx, endpoints)...)...)
}

// ExamineAll looks at every listener that the service knows; the request's own is ignored. A caller who may not list them
// is told so by the first check, and gets the report of the default listener alone.
func (d *Doctor) ExamineAll(ctx context.Context, request client.Request) []Report {
	found, err := d.Service.ListListeners(ctx)
	if err != nil || len(found) == 0 {
		request.Listener = ""
		report := d.Examine(ctx, request)
		if err != nil {
			report.Checks = slices.Insert(report.Checks, 0, Check{
				Name: CheckListing, Status: StatusSkipped,
				Finding: "the listeners cannot be listed, so this is about one of them: " + err.Error(),
			})
		}
		return []Report{report}
	}
	reports := make([]Report, len(found))
	for i, listener := range found {
		request.Listener = listener.GetName()
		reports[i] = d.Examine(ctx, request)
	}
	return reports
}

// dial tries what was handed out.
func (d *Doctor) dial(ctx context.Context, endpoints *dialpointv1.Endpoints) []Check {
	s, err := newSubject(endpoints)
	if err != nil {
		return []Check{{Name: CheckConnect, Status: StatusFailed, Finding: err.Error()}}
	}
	connected := d.connect(ctx, s)
	checks := []Check{connected, d.loopback(ctx, s)}
	for _, endpoint := range s.endpoints() {
		checks = append(checks, d.upgrade(ctx, s, endpoint, connected.Status))
	}
	return append(checks, proxies(s, d.Env)...)
}

// dialer connects to what listens, and never through a proxy.
func (d *Doctor) dialer() *net.Dialer {
	return &net.Dialer{Timeout: orElse(d.ConnectTimeout, connectTimeout)}
}

func orElse(timeout, otherwise time.Duration) time.Duration {
	if timeout == 0 {
		return otherwise
	}
	return timeout
}
