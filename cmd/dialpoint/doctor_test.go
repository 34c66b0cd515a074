package main_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dialpoint/cmd/dialpoint/doctor"
	"dialpoint/cmd/dialpoint/doctor/patient"
)

// startPatient runs a dashboard that is ill in one way until the test ends, and is its port.
func startPatient(t *testing.T, kind string) string {
	t.Helper()
	p, err := patient.Start(kind)
	mustDo(t, err)
	t.Cleanup(func() { mustDo(t, p.Close()) })
	return p.Port()
}

// examination is what -o json prints.
type examination struct {
	Status    doctor.Status   `json:"status"`
	Listeners []doctor.Report `json:"listeners"`
}

// check is one check about the only listener.
func (e examination) check(t *testing.T, name string) doctor.Check {
	t.Helper()
	if len(e.Listeners) != 1 {
		t.Fatalf("there are %d listeners in %+v, want 1", len(e.Listeners), e)
	}
	for _, check := range e.Listeners[0].Checks {
		if check.Name == name {
			return check
		}
	}
	t.Fatalf("there is no check %s in %+v", name, e)
	return doctor.Check{}
}

// doctor runs the command, which must end with that code.
func (h home) doctor(t *testing.T, code int, args ...string) examination {
	t.Helper()
	got := h.run(t, nil, append([]string{"doctor", "-o", "json"}, args...)...)
	if got.code != code {
		t.Errorf("doctor %q: exit %d, want %d\n%s%s", args, got.code, code, got.stdout, got.stderr)
	}
	var found examination
	if err := json.Unmarshal([]byte(got.stdout), &found); err != nil {
		t.Fatalf("doctor %q: %v in %q; it said %s", args, err, got.stdout, got.stderr)
	}
	return found
}

// TestDoctorAsChild: a child's token is enough to be told what is wrong with what a child may see.
func TestDoctorAsChild(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serve(t, []string{"DIALPOINT_CREDENTIAL=" + marker}, "--bind-port", startPatient(t, "close 1000"))
	token := filepath.Join(filepath.Dir(h.socket()), "child.token")
	found := h.doctor(t, 0, "--all", "--addr", s.tcp, "--token-file", token)
	for _, name := range []string{doctor.CheckListing, doctor.CheckLease} {
		if check := found.check(t, name); check.Status != doctor.StatusSkipped || !strings.Contains(check.Finding, "ROLE_FORBIDDEN") {
			t.Errorf("got %+v, want it skipped", check)
		}
	}
	if check := found.check(t, doctor.CheckUpgrade); check.Status != doctor.StatusOK {
		t.Errorf("got %+v, want ok", check)
	}
}

// TestDoctorAsNobody: who may not ask is told so, with the code for that. What is wrong with the command's own files is
// said as by any other command.
func TestDoctorAsNobody(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serve(t, nil, "--bind-host", "127.0.0.1")
	got := h.run(t, []string{"DIALPOINT_TOKEN_FILE="}, "doctor", "--addr", s.tcp)
	if got.code != 77 || !strings.Contains(got.stdout, "CREDENTIAL_MISSING") || got.stderr != "" {
		t.Errorf("without a token: exit %d, want 77\n%s%s", got.code, got.stdout, got.stderr)
	}
	got = h.run(t, nil, "doctor", "--addr", s.tcp, "--token-file", h.write(t, "token", "two words"))
	if got.code != 78 || got.stdout != "" || !strings.Contains(got.stderr, "token") {
		t.Errorf("with what is no token: exit %d, want 78\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestDoctorLease: a report that soon ends shows, and so does one that holds. The short one is renewed all along, so that it
// is there for however long the doctor takes.
func TestDoctorLease(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve(t, []string{"DIALPOINT_CREDENTIAL=" + marker})
	port := startPatient(t, "close 1000")
	for _, test := range []struct {
		ttl     string
		status  doctor.Status
		finding string
	}{
		{"1h", doctor.StatusOK, "the lease of instance i-1 ends in "},
		{"4s", doctor.StatusWarning, "the lease of instance i-1 "},
	} {
		holder := h.start(t, nil, "report", "--port", port, "--instance", "i-1", "--ttl", test.ttl, "--hold")
		says(t, holder.stdout, "instance", 1)
		found := h.doctor(t, 0)
		check := found.check(t, doctor.CheckLease)
		if check.Status != test.status || !strings.HasPrefix(check.Finding, test.finding) || found.Status != test.status {
			t.Errorf("%v: got %+v, want %+v", test.ttl, check, test)
		}
		holder.signal(t, syscall.SIGTERM)
		if code := holder.end(t); code != 0 {
			t.Errorf("%v: exit %d\n%s", test.ttl, code, holder.stderr)
		}
	}
}

// TestDoctorShowsNoSecret in any format, whatever is wrong.
func TestDoctorShowsNoSecret(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"close 1000", "close 4401", "403", "307", "echo", "garbage", "forged", "tls", "hangup"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.serve(t, []string{"DIALPOINT_CREDENTIAL=" + marker}, "--bind-host", "127.0.0.1", "--bind-port", startPatient(t, kind))
			for _, format := range []string{"text", "json"} {
				got := h.run(t, proxyEnv("user:"+marker+"@127.0.0.1:1"), "doctor", "--channel", "chat-1", "-o", format)
				if strings.Contains(got.stdout+got.stderr, marker) || !strings.Contains(got.stdout, "token=REDACTED") {
					t.Errorf("%s shows the credential, or no URL at all:\n%s%s", format, got.stdout, got.stderr)
				}
			}
		})
	}
}
