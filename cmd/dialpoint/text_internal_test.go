package main

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// TestSocketURL: what is shown can be dialled.
func TestSocketURL(t *testing.T) {
	t.Parallel()
	for want, addr := range map[string]net.Addr{
		"unix:///run/dialpoint.sock": &net.UnixAddr{Name: "/run/dialpoint.sock", Net: "unix"},
		"http://127.0.0.1:9118":      &net.TCPAddr{IP: net.IPv4zero, Port: 9118},
		"http://127.0.0.1:9119":      &net.TCPAddr{IP: net.IPv6unspecified, Port: 9119},
		"http://[::1]:9118":          &net.TCPAddr{IP: net.IPv6loopback, Port: 9118},
		"http://192.0.2.1:9118":      &net.TCPAddr{IP: net.ParseIP("192.0.2.1"), Port: 9118},
	} {
		for _, secure := range []bool{false, true} {
			want := want
			if secure {
				want = strings.Replace(want, "http:", "https:", 1)
			}
			if got := socketURL(addr, secure); got != want {
				t.Errorf("%v: %s, want %s", addr, got, want)
			}
		}
	}
}

func TestHostPort(t *testing.T) {
	t.Parallel()
	for want, bind := range map[string]struct {
		host string
		port uint32
	}{
		"0.0.0.0:9119":         {"0.0.0.0", 9119},
		`"0.0.0.0\t\n":9119`:   {"0.0.0.0\t\n", 9119},
		"[::]:9119":            {"::", 9119},
		"[::1]:9119":           {"[::1]", 9119},
		"[fe80::1%eth0]:9119":  {"fe80::1%eth0", 9119},
		"fly.example.dev:9119": {"fly.example.dev", 9119},
		"127.0.0.1:?":          {"127.0.0.1", 0},
		"[::]:?":               {"::", 0},
		":9119":                {"", 9119},
		"-":                    {"", 0},
	} {
		if got := hostPort(bind.host, bind.port); got != want {
			t.Errorf("%v: %s, want %s", bind, got, want)
		}
	}
}

// TestRuleTexts: every rule that can be sent has words for people.
func TestRuleTexts(t *testing.T) {
	t.Parallel()
	for number, name := range dialpointv1.Rule_name {
		if _, found := ruleTexts[dialpointv1.Rule(number)]; found == (number == 0) {
			t.Errorf("%s: has a text %v", name, found)
		}
	}
}

// TestExitCode: one code for each kind of failure, however deep it lies.
func TestExitCode(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  error
		want int
	}{
		"anything":      {errors.New("x"), 1},
		"usage":         {usageError{errors.New("x")}, 2},
		"configuration": {fmt.Errorf("y: %w", configError{errors.New("x")}), 78},
		"unavailable":   {unavailableError{errors.New("x")}, 69},
	} {
		if got := exitCode(test.err); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
	for code, want := range map[connect.Code]int{
		connect.CodeUnavailable:        69,
		connect.CodeNotFound:           69,
		connect.CodeFailedPrecondition: 69,
		connect.CodeDeadlineExceeded:   69,
		connect.CodeUnauthenticated:    77,
		connect.CodePermissionDenied:   77,
		connect.CodeInvalidArgument:    2,
		connect.CodeInternal:           1,
		connect.CodeAborted:            1,
		connect.CodeUnimplemented:      1,
	} {
		if got := exitCode(fmt.Errorf("call: %w", &client.Error{Code: code})); got != want {
			t.Errorf("%v: %d, want %d", code, got, want)
		}
	}
}

// TestErrorsUnwrap: a kind of error is added to a cause, and does not hide it.
func TestErrorsUnwrap(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	for _, err := range []error{usageError{cause}, unavailableError{cause}, configError{cause}} {
		if !errors.Is(err, cause) || err.Error() != "cause" {
			t.Errorf("%T: %v", err, err)
		}
	}
}
