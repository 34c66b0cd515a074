package doctor_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"dialpoint/client"
	"dialpoint/cmd/dialpoint/doctor"
	"dialpoint/server"
)

// TestHealthy: nothing is wrong, and each check is made once, in order.
func TestHealthy(t *testing.T) {
	t.Parallel()
	port := startDashboard(t, "tcp4", "127.0.0.1:0", marker)
	report := examine(t, server.Listener{Bind: server.Bind{Host: "0.0.0.0", Port: port}, Credential: marker})
	if report.Status != doctor.StatusOK || report.Err != nil || report.Listener != "default" {
		t.Errorf("got %s, %v about %s, want ok about default", report.Status, report.Err, report.Listener)
	}
	var got []string
	for _, check := range report.Checks {
		got = append(got, strings.TrimSpace(check.Name+" "+check.Endpoint+check.Client))
		if check.Advice != "" {
			t.Errorf("%s: there is advice %q", check.Name, check.Advice)
		}
	}
	want := []string{
		"resolve gateway", "resolve sidecar", "lease", "connect", "loopback", "upgrade gateway", "upgrade sidecar",
		"proxy go", "proxy curl", "proxy python",
	}
	if !slices.Equal(got, want) {
		t.Errorf("checks %q, want %q", got, want)
	}
	wantNoSecret(t, report)
}

// TestNoChannel: without a channel there is no sidecar to look at.
func TestNoChannel(t *testing.T) {
	t.Parallel()
	service := connectTo(t, boundTo(t, startPatient(t, "close 1000").Port()))
	report := doctorFor(service, nil).Examine(t.Context(), client.Request{})
	for _, name := range []string{doctor.CheckResolve, doctor.CheckUpgrade} {
		if check := only(t, report, name, ""); check.Endpoint != doctor.Gateway {
			t.Errorf("%s is about %q", name, check.Endpoint)
		}
	}
}

// TestUnavailable: the service's own words say what to do.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	silent := listenUnix(t)
	must(t, silent.Close())
	known := connectTo(t, server.Listener{}, server.Listener{Name: "inner", Bind: server.Bind{Host: "127.0.0.1", Port: 9119}})
	for name, test := range map[string]struct {
		service  *client.Client
		request  client.Request
		code     connect.Code
		listener string
		finding  string
	}{
		"not bound":   {known, client.Request{}, connect.CodeUnavailable, "default", "LISTENER_NOT_BOUND"},
		"unknown":     {known, client.Request{Listener: "x"}, connect.CodeNotFound, "x", "LISTENER_UNKNOWN"},
		"bad channel": {known, client.Request{Listener: "inner", Channel: "a b"}, connect.CodeInvalidArgument, "inner", "FIELD_INVALID"},
		"no service":  {newClient(t, silent), client.Request{}, connect.CodeUnavailable, "default", "no Dialpoint service answers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := doctorFor(test.service, nil).Examine(t.Context(), test.request)
			check := only(t, report, doctor.CheckResolve, "")
			if check.Status != doctor.StatusFailed || !strings.Contains(check.Finding, test.finding) || len(report.Checks) != 1 {
				t.Errorf("got %+v, want it failed for %s alone", report.Checks, test.finding)
			}
			failure, ok := report.Err.(*client.Error) //nolint:errorlint // it is what Err is said to be
			if !ok || failure.Code != test.code || report.Listener != test.listener || report.Status != doctor.StatusFailed {
				t.Errorf("got %v about %s, want %s about %s", report.Err, report.Listener, test.code, test.listener)
			}
		})
	}
}

// TestWarnings of the service are passed on, and make the report no worse than a warning.
func TestWarnings(t *testing.T) {
	t.Parallel()
	listener := openTo(t, startPatient(t, "close 1000").Port())
	only6 := true
	listener.Bind.IPv6Only = &only6
	report := examine(t, listener)
	check := only(t, report, doctor.CheckExplanation, "")
	if check.Status != doctor.StatusWarning || !strings.Contains(check.Finding, "ipv6_only has no meaning") || report.Status != doctor.StatusWarning {
		t.Errorf("got %+v in a report that is %s", check, report.Status)
	}
}

// TestExamineAll looks at each listener by name, and one that is ill does not hide another.
func TestExamineAll(t *testing.T) {
	t.Parallel()
	well := openTo(t, startPatient(t, "close 1000").Port())
	well.Name = "well"
	ill := boundTo(t, startPatient(t, "404").Port())
	ill.Name = "ill"
	service := connectTo(t, well, ill, server.Listener{Name: "later"})
	reports := doctorFor(service, nil).ExamineAll(t.Context(), client.Request{Listener: "well"})
	got := make(map[string]doctor.Status)
	for _, report := range reports {
		got[report.Listener] = report.Status
	}
	if len(got) != 3 || got["well"] != doctor.StatusOK || got["ill"] != doctor.StatusFailed || got["later"] != doctor.StatusFailed {
		t.Errorf("got %v", got)
	}
}

// TestMayNotList: a caller of the child's role is told so, and gets what it may have.
func TestMayNotList(t *testing.T) {
	t.Parallel()
	service := connectAsChild(t, openTo(t, startPatient(t, "close 1000").Port()))
	reports := doctorFor(service, nil).ExamineAll(t.Context(), client.Request{Listener: "other"})
	if len(reports) != 1 || reports[0].Listener != "default" || reports[0].Status != doctor.StatusOK {
		t.Fatalf("got %+v, want one report about default that is ok", reports)
	}
	for _, name := range []string{doctor.CheckListing, doctor.CheckLease} {
		check := only(t, reports[0], name, "")
		if check.Status != doctor.StatusSkipped || !strings.Contains(check.Finding, "ROLE_FORBIDDEN") {
			t.Errorf("%s: got %+v, want it skipped", name, check)
		}
	}
	if first := reports[0].Checks[0].Name; first != doctor.CheckListing {
		t.Errorf("the first check is %s, want the listing", first)
	}
}

// connectAsChild is a client that shows a service the token of children.
func connectAsChild(t *testing.T, listener server.Listener) *client.Client {
	t.Helper()
	const token = "the-token-of-children"
	service, err := server.New(server.WithListener(listener), server.WithTokens(token, "the-token-of-operators"))
	must(t, err)
	t.Cleanup(service.Close)
	front := httptest.NewServer(service.Handler())
	t.Cleanup(front.Close)
	caller := &client.Client{
		Addr: front.URL, Patience: -1,
		Token: func(context.Context) (string, error) { return token, nil },
	}
	t.Cleanup(caller.Close)
	return caller
}

// TestNoListeners: a service that knows none says so.
func TestNoListeners(t *testing.T) {
	t.Parallel()
	reports := doctorFor(connectTo(t), nil).ExamineAll(t.Context(), client.Request{})
	if len(reports) != 1 || client.ReasonOf(reports[0].Err) != client.ReasonListenerUnknown || len(reports[0].Checks) != 1 {
		t.Errorf("got %+v, want one report, of a listener that is not known", reports)
	}
}

func TestWorst(t *testing.T) {
	t.Parallel()
	for want, statuses := range map[doctor.Status][][]doctor.Status{
		doctor.StatusOK:      {{}, {doctor.StatusOK}, {doctor.StatusSkipped}, {doctor.StatusSkipped, doctor.StatusOK}},
		doctor.StatusWarning: {{doctor.StatusWarning}, {doctor.StatusOK, doctor.StatusWarning, doctor.StatusSkipped}},
		doctor.StatusFailed:  {{doctor.StatusFailed, doctor.StatusWarning}, {doctor.StatusWarning, doctor.StatusFailed, doctor.StatusOK}},
	} {
		for _, given := range statuses {
			if got := doctor.Worst(given...); got != want {
				t.Errorf("%v: %s, want %s", given, got, want)
			}
		}
	}
}
