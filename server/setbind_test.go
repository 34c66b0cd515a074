package server_test

import (
	"testing"

	"connectrpc.com/connect"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server"
)

// What the program says of its own socket wins over what anybody reports, for as long as it says so.
func TestSetBindAndReports(t *testing.T) {
	t.Parallel()
	service := start(t, server.WithListener(wildcard()))
	client := dialpointv1connect.NewListenerServiceClient(overHTTP1(t), service.tcp)
	report := func(takeover bool) error {
		_, err := client.ReportListener(t.Context(), &dialpointv1.ReportListenerRequest{
			Bind: &dialpointv1.Bind{Host: "0.0.0.0", Port: 41001}, InstanceId: "a", Takeover: takeover,
		})
		return err
	}
	const reported, own, described = "ws://127.0.0.1:41001/api/ws?token=t", "ws://10.0.0.7:41002/api/ws?token=t", "ws://127.0.0.1:9119/api/ws?token=t"
	wantGateway := func(want string) {
		t.Helper()
		if got := service.gateway(t); got != want {
			t.Errorf("url = %q, want %q", got, want)
		}
	}
	must(t, report(false))
	wantGateway(reported)
	must(t, service.SetBind("", server.Bind{}))
	wantGateway(reported)
	must(t, service.SetBind("", server.Bind{Host: "10.0.0.7", Port: 41002}))
	wantGateway(own)
	for _, takeover := range []bool{false, true} {
		if err := report(takeover); connect.CodeOf(err) != connect.CodeAborted {
			t.Errorf("report = %v, want ABORTED", err)
		}
	}
	wantGateway(own)
	must(t, service.SetBind("", server.Bind{}))
	wantGateway(described)
	must(t, report(false))
	wantGateway(reported)
	if err := service.SetBind("nobody", server.Bind{}); err == nil {
		t.Error("a listener that is not there was taken back")
	}
}
