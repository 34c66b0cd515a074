package doctor_test

import (
	"strings"
	"testing"

	"dialpoint/cmd/dialpoint/doctor"
	"dialpoint/server"
)

// TestConnect: why there is no connection, and which setting the address came from. The upgrades are not tried then.
func TestConnect(t *testing.T) {
	t.Parallel()
	port := closedPort(t)
	for name, test := range map[string]struct {
		listener        server.Listener
		finding, advice string
	}{
		"nothing listens": {
			boundTo(t, port),
			"nothing listens on 127.0.0.1:" + port, "start the dashboard; if it listens elsewhere, let the dashboard report",
		},
		"override": {
			server.Listener{Override: "127.0.0.1:" + port},
			"nothing listens on 127.0.0.1:" + port, "correct the override, which comes from default",
		},
		"no such address here": {
			server.Listener{Override: "[fe80::1%lo]:" + port},
			"no connection to [fe80::1%lo]:" + port + ": connect: ", "correct the override",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := examine(t, test.listener)
			check := only(t, report, doctor.CheckConnect, "")
			if check.Status != doctor.StatusFailed || !strings.Contains(check.Finding, test.finding) || !strings.Contains(check.Advice, test.advice) {
				t.Errorf("got %+v, want %+v", check, test)
			}
			for _, endpoint := range []string{doctor.Gateway, doctor.Sidecar} {
				if check := only(t, report, doctor.CheckUpgrade, endpoint); check.Status != doctor.StatusSkipped {
					t.Errorf("%s: got %+v, want it skipped", endpoint, check)
				}
			}
			if report.Status != doctor.StatusFailed {
				t.Errorf("the report is %s", report.Status)
			}
		})
	}
}

// TestConnected says where a name led.
func TestConnected(t *testing.T) {
	t.Parallel()
	port := startPatient(t, "close 1000").Port()
	for host, want := range map[string]string{
		"127.0.0.1": "something listens on 127.0.0.1:" + port,
		"localhost": "something listens on localhost:" + port + ", reached at 127.0.0.1:" + port,
	} {
		check := only(t, examine(t, server.Listener{Override: host + ":" + port}), doctor.CheckConnect, "")
		if check.Status != doctor.StatusOK || check.Finding != want || check.Advice != "" {
			t.Errorf("%s: got %+v, want %q", host, check, want)
		}
	}
}

// TestLoopback: sockets of each kind, and what a listener says of them.
func TestLoopback(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for name, test := range map[string]struct {
		network, address string
		bind             server.Bind
		status           doctor.Status
		finding, advice  string
	}{
		"IPv6 alone, and it is said to be both": {
			"tcp6", "[::]:0",
			server.Bind{Host: "::", IPv6Only: &no},
			doctor.StatusFailed, "[::1]:PORT answers, and 127.0.0.1:PORT, which is dialled, does not",
			"set bind.ipv6_only to true, or the override (for the default listener DIALPOINT_OVERRIDE) to [::1]",
		},
		"IPv6 alone, and it is said": {
			"tcp6", "[::]:0",
			server.Bind{Host: "::", IPv6Only: &yes},
			doctor.StatusOK, "[::1]:PORT answers, and 127.0.0.1:PORT, which is not dialled, does not", "",
		},
		"dual": {
			"tcp", "[::]:0",
			server.Bind{Host: "::", IPv6Only: &no},
			doctor.StatusOK, "127.0.0.1:PORT answers, and [::1]:PORT, too", "",
		},
		"IPv4 alone": {
			"tcp4", "127.0.0.1:0",
			server.Bind{Host: "0.0.0.0"},
			doctor.StatusOK, "127.0.0.1:PORT answers, and [::1]:PORT, which is not dialled, does not", "",
		},
		"IPv4 alone, and it is said to be IPv6": {
			"tcp4", "127.0.0.1:0",
			server.Bind{Host: "::", IPv6Only: &yes},
			doctor.StatusFailed, "127.0.0.1:PORT answers, and [::1]:PORT, which is dialled, does not",
			"set bind.ipv6_only to false, or the override (for the default listener DIALPOINT_OVERRIDE) to 127.0.0.1",
		},
		"no wildcard": {
			"tcp4", "127.0.0.1:0",
			server.Bind{Host: "127.0.0.1"},
			doctor.StatusSkipped, "no wildcard became a loopback address", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.bind.Port = startDashboard(t, test.network, test.address, "")
			check := only(t, examine(t, server.Listener{Bind: test.bind}), doctor.CheckLoopback, "")
			finding := withoutPort(check.Finding)
			if check.Status != test.status || finding != test.finding || check.Advice != test.advice {
				t.Errorf("got %+v, want %+v", check, test)
			}
		})
	}
}

// TestNoLoopback: nothing answers at either.
func TestNoLoopback(t *testing.T) {
	t.Parallel()
	listener := boundTo(t, closedPort(t))
	listener.Bind.Host = "*"
	check := only(t, examine(t, listener), doctor.CheckLoopback, "")
	if check.Status != doctor.StatusFailed || withoutPort(check.Finding) != "neither 127.0.0.1:PORT nor [::1]:PORT answers" {
		t.Errorf("got %+v", check)
	}
}
