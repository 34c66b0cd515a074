package main_test

import (
	"net/http"
	"testing"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
)

// TestHealthFollowsReports: a listener serves for as long as its lease lives, whichever way that ends.
func TestHealthFollowsReports(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serve(t, nil)
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: &protocols}
	t.Cleanup(transport.CloseIdleConnections)
	health := grpchealth.NewClient(&http.Client{Transport: transport}, s.tcp, connect.WithGRPC())
	statuses := health.Watch(t.Context(), &grpchealth.CheckRequest{Service: "listeners/default"})
	want := func(want grpchealth.Status) {
		t.Helper()
		if event, open := <-statuses; !open || event.Err != nil || event.Response.Status != want {
			t.Fatalf("health %v, %v, want %v", event.Response, event.Err, want)
		}
	}
	want(grpchealth.StatusNotServing)
	h.must(t, nil, "report", "--port", "41001", "--ttl", "1s")
	want(grpchealth.StatusServing)
	want(grpchealth.StatusNotServing)

	killed := h.start(t, nil, "report", "--port", "41002", "--ttl", "1s", "--hold")
	want(grpchealth.StatusServing)
	mustDo(t, killed.process.Process.Kill())
	want(grpchealth.StatusNotServing)
	_ = killed.process.Wait()

	p := h.reportDashboard(t, nil, "out:HERMES_DASHBOARD_READY port=41003\\n", "line")
	want(grpchealth.StatusServing)
	p.line(t)
	want(grpchealth.StatusNotServing)
	if code := p.end(t); code != 0 {
		t.Errorf("exit %d\n%s", code, p.stderr)
	}
}
