package api_test

import (
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// refusal is how a call is refused.
type refusal struct {
	code   connect.Code
	reason string
	// field is what a BadRequest names. Empty for none.
	field string
	// retry is whether there is a RetryInfo.
	retry bool
	says  string
}

func (r refusal) check(t *testing.T, err error) {
	t.Helper()
	if got := connect.CodeOf(err); got != r.code {
		t.Fatalf("code = %v of %v, want %v", got, err, r.code)
	}
	if got := reasonOf(t, err); got != r.reason {
		t.Errorf("reason = %q, want %q", got, r.reason)
	}
	if !strings.Contains(err.Error(), r.says) {
		t.Errorf("error %q does not say %q", err, r.says)
	}
	checkField(t, err, r.field)
	if _, found := detail[*errdetails.RetryInfo](err); found != r.retry {
		t.Errorf("RetryInfo is there: %t, want %t", found, r.retry)
	}
}

func badField(field, says string) refusal {
	return refusal{connect.CodeInvalidArgument, "FIELD_INVALID", field, false, field + ": " + says}
}

func TestBadReportChangesNothing(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, bound(t, "0.0.0.0"))
	tests := map[string]struct {
		spoil func(*dialpointv1.ReportListenerRequest)
		want  refusal
	}{
		"no such listener": {
			func(r *dialpointv1.ReportListenerRequest) { r.Listener = "nobody" },
			refusal{connect.CodeNotFound, "LISTENER_UNKNOWN", "", false, `there is no listener "nobody"`},
		},
		"listener's form": {
			func(r *dialpointv1.ReportListenerRequest) { r.Listener = "a b" },
			badField("listener", `"a b": a listener's name must be 1 to 128 of the characters A-Z a-z 0-9 . _ -`),
		},
		"no instance": {
			func(r *dialpointv1.ReportListenerRequest) { r.InstanceId = "" }, badField("instance_id", "it is required"),
		},
		"instance's form": {
			func(r *dialpointv1.ReportListenerRequest) { r.InstanceId = "a/b" },
			badField("instance_id", `"a/b": an instance id must be 1 to 128 of the characters A-Z a-z 0-9 . _ -`),
		},
		"instance of 129 bytes": {
			func(r *dialpointv1.ReportListenerRequest) { r.InstanceId = strings.Repeat("i", 129) },
			badField("instance_id", `"`+strings.Repeat("i", 120)+`…": an instance id must be`),
		},
		"no bind": {func(r *dialpointv1.ReportListenerRequest) { r.Bind = nil }, badField("bind", "it is required")},
		"empty bind": {
			func(r *dialpointv1.ReportListenerRequest) { r.Bind = &dialpointv1.Bind{} }, badField("bind.port", "0 is not from 1 to 65535"),
		},
		"port 0": {
			func(r *dialpointv1.ReportListenerRequest) { r.Bind.Port = 0 },
			badField("bind.port", "0 is not from 1 to 65535: report the port that the socket really has"),
		},
		"port 65536": {
			func(r *dialpointv1.ReportListenerRequest) { r.Bind.Port = 65536 }, badField("bind.port", "65536 is not from 1"),
		},
		"port that would wrap": {
			func(r *dialpointv1.ReportListenerRequest) { r.Bind.Port = 1<<32 - 1 }, badField("bind.port", "4294967295 is not from 1"),
		},
		"host": {
			func(r *dialpointv1.ReportListenerRequest) { r.Bind.Host = "${HOST}" }, badField("bind.host", `"${HOST}" is no host: `),
		},
		"blank host": {
			func(r *dialpointv1.ReportListenerRequest) { r.Bind.Host = " " }, badField("bind.host", `" " is no host: it is empty`),
		},
		"ttl 0": {
			func(r *dialpointv1.ReportListenerRequest) { r.Ttl = &durationpb.Duration{} }, badField("ttl", "0s is not from 1s to 1h0m0s"),
		},
		"ttl just too short": {
			func(r *dialpointv1.ReportListenerRequest) { r.Ttl = durationpb.New(time.Second - 1) }, badField("ttl", "999.999999ms is not from"),
		},
		"ttl just too long": {
			func(r *dialpointv1.ReportListenerRequest) { r.Ttl = durationpb.New(time.Hour + 1) }, badField("ttl", "1h0m0.000000001s is not from"),
		},
		"negative ttl": {
			func(r *dialpointv1.ReportListenerRequest) { r.Ttl = durationpb.New(-time.Minute) }, badField("ttl", "-1m0s is not from"),
		},
		"ttl that is no duration": {
			func(r *dialpointv1.ReportListenerRequest) { r.Ttl = &durationpb.Duration{Seconds: 5, Nanos: -1} },
			badField("ttl", "5 seconds and -1 nanoseconds are no duration"),
		},
		"ttl of a thousand years": {
			func(r *dialpointv1.ReportListenerRequest) { r.Ttl = &durationpb.Duration{Seconds: 31_556_952_000} },
			badField("ttl", "31556952000s is not from"),
		},
		"credential": {
			func(r *dialpointv1.ReportListenerRequest) { r.Credential = marker + "\n" + marker },
			badField("credential", "the credential holds a line break"),
		},
		"credential of 4097 bytes": {
			func(r *dialpointv1.ReportListenerRequest) {
				r.Credential = marker + strings.Repeat("c", 4097-len(marker))
			},
			badField("credential", "the credential is longer than 4096 bytes"),
		},
	}
	before := service.registry.Snapshot()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := reportBy("a", 80)
			test.spoil(request)
			_, err := service.listeners.ReportListener(t.Context(), request)
			test.want.check(t, err)
			if strings.Contains(err.Error(), marker) {
				t.Errorf("error shows the credential: %v", err)
			}
			if service.registry.Snapshot() != before {
				t.Error("a refused report changed something")
			}
		})
	}
}

func TestBadWithdrawalChangesNothing(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, unbound())
	service.report(t, reportBy("a", 80))
	before := service.registry.Snapshot()
	tests := map[string]struct {
		request *dialpointv1.WithdrawListenerRequest
		want    refusal
	}{
		"no such listener": {
			&dialpointv1.WithdrawListenerRequest{Listener: "nobody", InstanceId: "a"},
			refusal{connect.CodeNotFound, "LISTENER_UNKNOWN", "", false, `there is no listener "nobody"`},
		},
		"listener's form": {
			&dialpointv1.WithdrawListenerRequest{Listener: "/", InstanceId: "a"}, badField("listener", `"/": a listener's name`),
		},
		"no instance":     {&dialpointv1.WithdrawListenerRequest{}, badField("instance_id", "it is required")},
		"instance's form": {&dialpointv1.WithdrawListenerRequest{InstanceId: "é"}, badField("instance_id", `"é": an instance id`)},
		"another instance": {
			&dialpointv1.WithdrawListenerRequest{InstanceId: "b"},
			refusal{connect.CodeAborted, "LISTENER_HELD", "", false, `listener "default" is held by instance "a", whose lease ends at `},
		},
		"another instance, what to do": {
			&dialpointv1.WithdrawListenerRequest{InstanceId: "A"},
			refusal{connect.CodeAborted, "LISTENER_HELD", "", false, "only the holder can withdraw it"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := service.listeners.WithdrawListener(t.Context(), test.request)
			test.want.check(t, err)
			if service.registry.Snapshot() != before {
				t.Error("a refused withdrawal changed something")
			}
		})
	}
}

// Whose answer got lost asks again.
func TestWithdrawingTwiceIsFine(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, unbound())
	must(t, service.withdraw(t, "a"))
	service.report(t, reportBy("a", 80))
	for range 3 {
		must(t, service.withdraw(t, "a"))
	}
}

func TestHeldListener(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, unbound())
	service.report(t, reportBy("old", 80))
	ends := service.get(t).GetLeaseExpireTime().AsTime()
	_, err := service.listeners.ReportListener(t.Context(), reportBy("new", 81))
	refusal{connect.CodeAborted, "LISTENER_HELD", "", true, `listener "default" is held by instance "old", whose lease ends at ` +
		ends.Format("2006-01-02T15:04:05.000Z") + " unless it is renewed; wait until then, or report with takeover"}.check(t, err)
	retry, _ := detail[*errdetails.RetryInfo](err)
	if left := retry.GetRetryDelay().AsDuration(); left < 0 || left > 15*time.Second {
		t.Errorf("retry in %v, want the time that is left", left)
	}

	takeover := reportBy("new", 81)
	takeover.Takeover = true
	service.report(t, takeover)
	_, err = service.listeners.ReportListener(t.Context(), reportBy("old", 80))
	refusal{connect.CodeAborted, "LISTENER_HELD", "", true, `held by instance "new"`}.check(t, err)
	refusal{connect.CodeAborted, "LISTENER_HELD", "", false, `held by instance "new"`}.check(t, service.withdraw(t, "old"))
	if got := service.get(t); got.GetInstanceId() != "new" || got.GetBind().GetPort() != 81 {
		t.Errorf("listener = %v, want the new instance's", got)
	}
}

// What the program that embeds the service says of its own socket, no caller can change. It is no use to wait.
func TestListenerOfTheProgramItself(t *testing.T) {
	t.Parallel()
	service := serve(t, nil, bound(t, "0.0.0.0"))
	_, err := service.registry.Report(listener.Report{Bind: rules.Bind{Text: "127.0.0.1", Host: bound(t, "127.0.0.1").Bind.Host, Port: 80}})
	must(t, err)
	want := refusal{connect.CodeAborted, "LISTENER_HELD", "", false, `listener "default" is held by the program that the service is part of: ` +
		"only that program says what it binds"}
	for _, takeover := range []bool{false, true} {
		request := reportBy("a", 81)
		request.Takeover = takeover
		_, err := service.listeners.ReportListener(t.Context(), request)
		want.check(t, err)
	}
	refusal{connect.CodeAborted, "LISTENER_HELD", "", false, "only the holder can withdraw it"}.check(t, service.withdraw(t, "a"))
	if got := service.get(t); got.GetInstanceId() != "" || got.GetLeaseExpireTime() != nil || got.GetBindSource() != dialpointv1.BindSource_BIND_SOURCE_REPORT {
		t.Errorf("listener = %v", got)
	}
}

// A service that stops takes no more reports, and lets go what is withdrawn.
func TestReportWhileTheServiceStops(t *testing.T) {
	t.Parallel()
	ways := map[string]func(*service){
		"draining":       func(s *service) { s.drain() },
		"closed":         func(s *service) { s.registry.Close() },
		"both, in order": func(s *service) { s.drain(); s.registry.Close() },
	}
	for name, stop := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := serve(t, nil, unbound())
			service.report(t, reportBy("a", 80))
			stop(service)
			for _, instance := range []string{"a", "b", ""} {
				_, err := service.listeners.ReportListener(t.Context(), reportBy(instance, 80))
				if instance == "" && name == "closed" {
					badField("instance_id", "").check(t, err)
					continue
				}
				refusal{connect.CodeUnavailable, "SHUTTING_DOWN", "", true, "the service is shutting down"}.check(t, err)
			}
			must(t, service.withdraw(t, "a"))
		})
	}
}
