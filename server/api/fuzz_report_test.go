package api_test

import (
	"net/http"
	"regexp"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
)

// aName is what listeners and instances may be called.
var aName = regexp.MustCompile(`\A[A-Za-z0-9._-]{1,128}\z`)

func FuzzReportListener(f *testing.F) {
	handler := handler(f)
	seeds(f,
		&dialpointv1.ReportListenerRequest{
			Listener: "six", Bind: &dialpointv1.Bind{Host: "::", Port: 1, Ipv6Only: new(true)}, InstanceId: "i", Credential: "c", Takeover: true,
		},
		&dialpointv1.ReportListenerRequest{Bind: &dialpointv1.Bind{Port: 65535, Tls: true}, InstanceId: "j", Ttl: durationpb.New(time.Hour)},
		&dialpointv1.ReportListenerRequest{Bind: &dialpointv1.Bind{Host: "a b", Port: 65536}, Ttl: &durationpb.Duration{Seconds: -1, Nanos: 1}},
	)
	f.Add([]byte(`{"bind":{"host":"fe80::1%eth0","port":9},"instanceId":"k","ttl":"1.5s","takeover":true}`), true)
	f.Fuzz(func(t *testing.T, body []byte, isJSON bool) {
		status, answer := call(handler, dialpointv1connect.ListenerServiceReportListenerProcedure, typeOf(isJSON), body)
		if status != http.StatusOK {
			checkRefusal(t, answer, "aborted")
			return
		}
		var request dialpointv1.ReportListenerRequest
		var response dialpointv1.ReportListenerResponse
		decodeRequest(t, body, isJSON, &request)
		decode(t, answer, isJSON, &response)
		checkReported(t, &request, &response)
		withdrawal, err := proto.Marshal(&dialpointv1.WithdrawListenerRequest{Listener: request.GetListener(), InstanceId: request.GetInstanceId()})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if status, answer := call(handler, dialpointv1connect.ListenerServiceWithdrawListenerProcedure, protoType, withdrawal); status != http.StatusOK {
				t.Errorf("what was reported cannot be withdrawn: %s", answer)
			}
		}
	})
}

// decodeRequest reads a request as the service does, which lets pass what it does not know.
func decodeRequest(t *testing.T, body []byte, isJSON bool, request proto.Message) {
	t.Helper()
	unmarshal := proto.Unmarshal
	if isJSON {
		unmarshal = protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal
	}
	if err := unmarshal(body, request); err != nil {
		t.Fatalf("the service took %q, which cannot be read: %v", body, err)
	}
}

// checkReported checks that a report was good to take, and was recorded as it was said.
func checkReported(t *testing.T, request *dialpointv1.ReportListenerRequest, response *dialpointv1.ReportListenerResponse) {
	t.Helper()
	found := response.GetListener()
	if !aName.MatchString(request.GetInstanceId()) || found.GetInstanceId() != request.GetInstanceId() {
		t.Errorf("instance %q reported, and %q holds it", request.GetInstanceId(), found.GetInstanceId())
	}
	if name := request.GetListener(); found.GetName() != name && (name != "" || found.GetName() != "default") {
		t.Errorf("report of %q, and %q was changed", name, found.GetName())
	}
	bind := request.GetBind()
	if bind.GetPort() == 0 || bind.GetPort() > 65535 || found.GetBind().GetHost() != bind.GetHost() || found.GetBind().GetPort() != bind.GetPort() ||
		found.GetBind().GetTls() != bind.GetTls() || (found.GetBind().Ipv6Only == nil) != (bind.Ipv6Only == nil) {
		t.Errorf("bind %v was recorded as %v", bind, found.GetBind())
	}
	if found.GetState() != dialpointv1.State_STATE_BOUND || found.GetBindSource() != dialpointv1.BindSource_BIND_SOURCE_REPORT ||
		found.GetLeaseExpireTime() == nil {
		t.Errorf("listener = %v", found)
	}
	granted := response.GetTtl().AsDuration()
	if asked := request.GetTtl(); asked == nil && granted != 15*time.Second || asked != nil && (granted != asked.AsDuration() || granted < time.Second || granted > time.Hour) {
		t.Errorf("asked for %v, granted %v", asked, granted)
	}
}

func FuzzWithdrawListener(f *testing.F) {
	handler := handler(f)
	seeds(f,
		&dialpointv1.WithdrawListenerRequest{Listener: "six", InstanceId: "i"},
		&dialpointv1.WithdrawListenerRequest{InstanceId: "a/b"},
	)
	f.Add([]byte(`{"listener":"zone","instanceId":"k"}`), true)
	f.Fuzz(func(t *testing.T, body []byte, isJSON bool) {
		status, answer := call(handler, dialpointv1connect.ListenerServiceWithdrawListenerProcedure, typeOf(isJSON), body)
		if status != http.StatusOK {
			checkRefusal(t, answer)
			return
		}
		var request dialpointv1.WithdrawListenerRequest
		decodeRequest(t, body, isJSON, &request)
		if !aName.MatchString(request.GetInstanceId()) {
			t.Errorf("instance %q withdrew", request.GetInstanceId())
		}
	})
}
