package main

import (
	"errors"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"dialpoint/client"
	"dialpoint/cmd/dialpoint/doctor"
)

func reportOf(status doctor.Status) doctor.Report { return doctor.Report{Status: status} }

func unresolved(code connect.Code) doctor.Report {
	return doctor.Report{Status: doctor.StatusFailed, Err: &client.Error{Code: code}}
}

// TestDoctorOutcome: one code for all listeners together.
func TestDoctorOutcome(t *testing.T) {
	t.Parallel()
	ok, warning, failed := reportOf(doctor.StatusOK), reportOf(doctor.StatusWarning), reportOf(doctor.StatusFailed)
	later, forbidden := unresolved(connect.CodeUnavailable), unresolved(connect.CodePermissionDenied)
	for name, test := range map[string]struct {
		reports []doctor.Report
		want    int
	}{
		"all is well":                         {[]doctor.Report{ok, ok}, 0},
		"warnings":                            {[]doctor.Report{ok, warning}, 0},
		"one failed":                          {[]doctor.Report{ok, failed, warning}, 1},
		"one is not bound":                    {[]doctor.Report{ok, later, ok}, 69},
		"one is forbidden":                    {[]doctor.Report{forbidden}, 77},
		"the first of several":                {[]doctor.Report{forbidden, later}, 77},
		"one failed behind one not bound":     {[]doctor.Report{later, failed}, 1},
		"one failed before one that is not":   {[]doctor.Report{failed, later}, 1},
		"an error that nobody has a code for": {[]doctor.Report{later, unresolved(connect.CodeInternal)}, 1},
	} {
		err := outcome(test.reports)
		switch {
		case test.want == 0 && err != nil:
			t.Errorf("%s: %v, want none", name, err)
		case test.want != 0 && (err == nil || exitCode(err) != test.want || err.Error() != ""):
			t.Errorf("%s: %v, want code %d and no message", name, err, test.want)
		}
	}
}

// TestDoctorText: one line a check, whatever is in it, and each advice once for a listener.
func TestDoctorText(t *testing.T) {
	t.Parallel()
	check := doctor.Check{
		Name: doctor.CheckUpgrade, Endpoint: doctor.Gateway, Status: doctor.StatusFailed,
		Finding: "two\nlines", Advice: "do this",
	}
	other := check
	other.Endpoint = doctor.Sidecar
	proxy := doctor.Check{Name: doctor.CheckProxy, Client: "curl", Status: doctor.StatusOK, Finding: "f"}
	got, err := reportsText([]doctor.Report{
		{Listener: "a", Checks: []doctor.Check{check, other, proxy}},
		{Listener: "b", Checks: []doctor.Check{check}},
	})
	want := `LISTENER  CHECK            STATUS  FINDING
a         upgrade gateway  failed  "two\nlines"
a         upgrade sidecar  failed  "two\nlines"
a         proxy curl       ok      f
b         upgrade gateway  failed  "two\nlines"

what to do:
a, upgrade gateway: do this
b, upgrade gateway: do this
`
	if err != nil || got != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
}

// TestDoctorJSON: the worst status of all, no error of Go's, and a URL as it is.
func TestDoctorJSON(t *testing.T) {
	t.Parallel()
	got, err := reportsJSON([]doctor.Report{
		{Listener: "a", Status: doctor.StatusWarning, Checks: []doctor.Check{{Name: "x", Finding: "ws://h/?a&b"}}},
		{Listener: "b", Status: doctor.StatusOK, Err: errors.New("hidden")},
	})
	if err != nil || !strings.Contains(got, "{\n  \"status\": \"warning\",") || !strings.Contains(got, "ws://h/?a&b") || strings.Contains(got, "hidden") {
		t.Errorf("got %v\n%s", err, got)
	}
}
