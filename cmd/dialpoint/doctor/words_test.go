package doctor_test

import (
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"dialpoint/cmd/dialpoint/doctor"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// answerBy is an answer of a service that dials 192.0.2.1, by some rule.
func answerBy(rule dialpointv1.Rule) *dialpointv1.Endpoints {
	return &dialpointv1.Endpoints{
		Gateway:     &dialpointv1.Endpoint{BareUrl: "ws://192.0.2.1:9119/api/ws"},
		Explanation: &dialpointv1.Explanation{Rule: rule, Source: "env HERMES_DASHBOARD_WS_HOST"},
	}
}

// TestWordsOfErrors that cannot be had on the loopback interface: the system's errors are made by hand.
func TestWordsOfErrors(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for name, test := range map[string]struct {
		err             error
		rule            dialpointv1.Rule
		finding, advice string
	}{
		"unknown name": {
			&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "192.0.2.1", IsNotFound: true}},
			dialpointv1.Rule_RULE_OVERRIDE,
			"the name 192.0.2.1 cannot be looked up here: no such host",
			"give a host that children can look up: correct the override, which comes from env HERMES_DASHBOARD_WS_HOST",
		},
		"time is over": {
			&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded},
			dialpointv1.Rule_RULE_BIND_HOST,
			"192.0.2.1:9119 did not answer in time",
			"a firewall drops the connection; if it listens elsewhere, let the dashboard report what it binds, or correct bind.host and bind.port",
		},
		"no way there": {
			&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.EHOSTUNREACH)},
			dialpointv1.Rule_RULE_ADVERTISED,
			"no connection to 192.0.2.1:9119: connect: no route to host",
			"if the dashboard listens elsewhere, correct the advertised address, which comes from env HERMES_DASHBOARD_WS_HOST",
		},
		"refused": {
			refused, dialpointv1.Rule_RULE_WILDCARD_TO_LOOPBACK,
			"nothing listens on 192.0.2.1:9119",
			"DIALPOINT_BIND_PORT",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			finding, advice := doctor.NotConnected(answerBy(test.rule), test.err)
			if finding != test.finding || !strings.Contains(advice, test.advice) {
				t.Errorf("got %q, %q, want %q, %q", finding, advice, test.finding, test.advice)
			}
		})
	}
}

// TestOtherContract: what a service of another version sends is not taken for a URL, nor shown.
func TestOtherContract(t *testing.T) {
	t.Parallel()
	for _, bare := range []string{"", "ws://", "http://127.0.0.1:9119/" + marker, "ws://%zz/" + marker, marker} {
		answer := answerBy(dialpointv1.Rule_RULE_BIND_HOST)
		answer.Gateway.BareUrl = bare
		finding, _ := doctor.NotConnected(answer, nil)
		if !strings.Contains(finding, "as new as this command") || strings.Contains(finding, marker) {
			t.Errorf("%s: got %q", bare, finding)
		}
	}
}
