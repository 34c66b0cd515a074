package client_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// TestReportRequest: what is reported arrives, and what is left out is left to the service.
func TestReportRequest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		report client.Report
		want   *dialpointv1.ReportListenerRequest
	}{
		"least": {client.Report{InstanceID: "i", Port: 1}, &dialpointv1.ReportListenerRequest{InstanceId: "i", Bind: &dialpointv1.Bind{Port: 1}}},
		"all": {
			client.Report{Listener: "l", Host: " [::] ", Port: 65535, IPv6Only: new(false), TLS: true, InstanceID: "i", TTL: 1500 * time.Millisecond, Credential: "c", Takeover: true},
			&dialpointv1.ReportListenerRequest{
				Listener: "l", Bind: &dialpointv1.Bind{Host: " [::] ", Port: 65535, Ipv6Only: new(false), Tls: true},
				InstanceId: "i", Ttl: durationpb.New(1500 * time.Millisecond), Credential: "c", Takeover: true,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requests := make(chan *dialpointv1.ReportListenerRequest, 2)
			recording := complete()
			answer := recording.report
			recording.report = func(ctx context.Context, request *dialpointv1.ReportListenerRequest) (*dialpointv1.ReportListenerResponse, error) {
				requests <- request
				return answer(ctx, request)
			}
			address, _ := serve(t, listenUnix(t), recording.handler())
			caller := connectTo(t, address)
			if _, err := caller.Report(t.Context(), test.report); err != nil {
				t.Fatal(err)
			}
			mustHold(t, caller, test.report)
			wantEqual(t, <-requests, test.want)
			wantEqual(t, <-requests, test.want)
		})
	}
}

// TestReport and its end, with a real service.
func TestReport(t *testing.T) {
	t.Parallel()
	service := newService(t)
	address, _ := serve(t, listenUnix(t), service.Handler())
	caller := connectTo(t, address)
	first, err := caller.Report(t.Context(), client.Report{Host: "0.0.0.0", Port: 9119, TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if first.GetTtl().AsDuration() != time.Hour || len(first.GetListener().GetInstanceId()) < 20 || first.GetListener().GetBind().GetHost() != "0.0.0.0" {
		t.Errorf("got %v", first)
	}
	instance := first.GetListener().GetInstanceId()
	wantHeld(t, service, instance, 9119)

	_, err = caller.Report(t.Context(), client.Report{Port: 9120})
	if failure := asError(t, err); failure.Reason != client.ReasonListenerHeld || failure.RetryAfter <= 0 {
		t.Errorf("got %v, retry after %s", err, failure.RetryAfter)
	}
	wantMessage(t, err.Error(), instance)
	if err := caller.Withdraw(t.Context(), "", "other"); client.ReasonOf(err) != client.ReasonListenerHeld {
		t.Errorf("withdrawal of another: %v", err)
	}
	wantHeld(t, service, instance, 9119)
	if _, err := caller.Report(t.Context(), client.Report{Port: 9120, InstanceID: instance}); err != nil {
		t.Error(err)
	}
	wantHeld(t, service, instance, 9120)
	if _, err := caller.Report(t.Context(), client.Report{Port: 9121, InstanceID: "new", Takeover: true}); err != nil {
		t.Error(err)
	}
	wantHeld(t, service, "new", 9121)
	for range 2 {
		if err := caller.Withdraw(t.Context(), "default", "new"); err != nil {
			t.Error(err)
		}
	}
	wantHeld(t, service, "", 0)
	if err := caller.Withdraw(t.Context(), "nobody", "new"); client.ReasonOf(err) != client.ReasonListenerUnknown {
		t.Errorf("withdrawal of an unknown listener: %v", err)
	}
}

// TestInstances: each is another, unless it has been named.
func TestInstances(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 10 {
		service := newService(t)
		address, _ := serve(t, listenUnix(t), service.Handler())
		lease := mustHold(t, connectTo(t, address), client.Report{Port: 1})
		if seen[lease.InstanceID()] {
			t.Errorf("two are called %q", lease.InstanceID())
		}
		seen[lease.InstanceID()] = true
		wantHeld(t, service, lease.InstanceID(), 1)
	}
}

// TestHollowReport: an answer without a listener is none.
func TestHollowReport(t *testing.T) {
	t.Parallel()
	hollow := service{report: func(context.Context, *dialpointv1.ReportListenerRequest) (*dialpointv1.ReportListenerResponse, error) {
		return new(dialpointv1.ReportListenerResponse), nil
	}}
	address, _ := serve(t, listenUnix(t), hollow.handler())
	for _, method := range []string{"Report", "Hold"} {
		err := calls[method](t.Context(), connectOnce(t, address))
		wantMessage(t, asError(t, err).Message, "its answer is empty")
	}
}

// TestCredentialIsNowhere: neither a report, nor a lease, nor an error shows it, however they are printed (promise 6).
func TestCredentialIsNowhere(t *testing.T) {
	t.Parallel()
	report := client.Report{Host: "0.0.0.0", Port: 9119, InstanceID: "i", Credential: marked}
	if got, want := fmt.Sprintf("%v %d %#v", report, &report, report), strings.Repeat(` listener "default" bound to 0.0.0.0:9119 by instance "i"`, 3)[1:]; got != want {
		t.Errorf("printed as %s, want %s", got, want)
	}
	address, _ := serve(t, listenUnix(t), newService(t).Handler())
	lease := mustHold(t, connectTo(t, address), report)
	lease.Update(report)
	if err := lease.Close(); err != nil {
		t.Error(err)
	}
	unspeakable := report
	unspeakable.Credential = marked + "\x00"
	_, refused := connectTo(t, address).Report(t.Context(), unspeakable)
	if client.ReasonOf(refused) != client.ReasonFieldInvalid {
		t.Errorf("got %v, want the credential refused", refused)
	}
	for _, value := range []any{report, &report, []client.Report{report}, struct{ Report client.Report }{report}, lease, refused} {
		if seen := printed(value); strings.Contains(seen, marked) {
			t.Errorf("%T shows the credential: %s", value, seen)
		}
	}
}
