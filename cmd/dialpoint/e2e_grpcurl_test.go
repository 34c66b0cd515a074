//go:build e2e

package main_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// grpcurlTo has the arguments of grpcurl that say where a service is.
func grpcurlTo(t *testing.T, s *service) map[string][]string {
	t.Helper()
	return map[string][]string{
		"TCP":  {"-H", s.bearer(t), "-plaintext", strings.TrimPrefix(s.tcp, "http://")},
		"unix": {"-plaintext", "-unix", strings.TrimPrefix(s.unix, "unix://")},
	}
}

// TestE2EGrpcurl: gRPC's own client resolves, lists and describes.
func TestE2EGrpcurl(t *testing.T) {
	t.Parallel()
	needTools(t, "grpcurl")
	h := newHome(t)
	s := h.serveDemo(t)
	for where, target := range grpcurlTo(t, s) {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			wantDemo(t, h.tool(t, "grpcurl", append(append([]string{"-d", question}, target...), resolveProcedure[1:])...))

			got := h.tool(t, "grpcurl", append(target, "list")...)
			if want := "dialpoint.v1.EndpointService\ndialpoint.v1.ListenerService\ngrpc.health.v1.Health\n"; got != want {
				t.Errorf("list: %q, want %q", got, want)
			}
			got = h.tool(t, "grpcurl", append(target, "describe", "dialpoint.v1.EndpointService")...)
			for _, want := range []string{"rpc ResolveEndpoints (", "rpc WatchEndpoints (", "stream .dialpoint.v1.WatchEndpointsResponse"} {
				if !strings.Contains(got, want) {
					t.Errorf("describe: %q, want it to hold %q", got, want)
				}
			}
		})
	}
}

// TestE2EGrpcurlOfAnError: the details arrive with the trailers.
func TestE2EGrpcurlOfAnError(t *testing.T) {
	t.Parallel()
	needTools(t, "grpcurl")
	h := newHome(t)
	s := h.serve(t, nil)
	said := h.toolFails(t, "grpcurl", append(grpcurlTo(t, s)["TCP"], resolveProcedure[1:])...)
	for _, want := range []string{"Code: Unavailable", "LISTENER_NOT_BOUND", "google.rpc.RetryInfo", `"retryDelay":`, "DIALPOINT_BIND_HOST"} {
		if !strings.Contains(said, want) {
			t.Errorf("grpcurl said %q, want it to hold %q", said, want)
		}
	}
}

// TestE2EGrpcurlReports: what a dashboard in any language sends, until another instance asks for the listener.
func TestE2EGrpcurlReports(t *testing.T) {
	t.Parallel()
	needTools(t, "grpcurl")
	h := newHome(t)
	s := h.serve(t, []string{"DIALPOINT_AUTH_MODE=none"})
	call := func(method, request string) []string {
		return append(append([]string{"-d", request}, grpcurlTo(t, s)["TCP"]...), "dialpoint.v1.ListenerService/"+method)
	}
	const report = `{"instance_id":"one","bind":{"host":"0.0.0.0","port":40123}}`
	if got := h.tool(t, "grpcurl", call("ReportListener", report)...); !strings.Contains(got, `"BIND_SOURCE_REPORT"`) || !strings.Contains(got, `"15s"`) {
		t.Errorf("a report is answered with %s", got)
	}
	if got := h.must(t, nil, "resolve", "-o", "url"); got != "ws://127.0.0.1:40123/api/ws\n" {
		t.Errorf("what is dialled is %q", got)
	}
	for _, method := range []string{"ReportListener", "WithdrawListener"} {
		request := strings.Replace(report, "one", "two", 1)
		if method == "WithdrawListener" {
			request = `{"instance_id":"two"}`
		}
		if said := h.toolFails(t, "grpcurl", call(method, request)...); !strings.Contains(said, "Code: Aborted") || !strings.Contains(said, "LISTENER_HELD") || !strings.Contains(said, `one`) {
			t.Errorf("%s of another instance: grpcurl said %q", method, said)
		}
	}
	h.tool(t, "grpcurl", call("WithdrawListener", `{"instance_id":"one"}`)...)
	if got := h.run(t, nil, "resolve", "-o", "url"); got.code != 69 {
		t.Errorf("after the withdrawal: exit %d, %s", got.code, got.stdout)
	}
}

const healthProcedure = "grpc.health.v1.Health/"

func healthOf(service string) string { return `{"service":"` + service + `"}` }

// TestE2EHealth: of the service, its configuration and each listener.
func TestE2EHealth(t *testing.T) {
	t.Parallel()
	needTools(t, "grpcurl")
	h := newHome(t)
	s := h.serve(t, []string{"DIALPOINT_AUTH_MODE=none"}, "--config", h.write(t, "dialpoint.yaml", fileWith(9119)))
	for where, target := range grpcurlTo(t, s) {
		check := func(service string) []string {
			return append(append([]string{"-d", healthOf(service)}, target...), healthProcedure+"Check")
		}
		for _, service := range []string{"", "dialpoint.v1.EndpointService", "dialpoint.v1.ListenerService", "config", "listeners/default"} {
			if got := h.tool(t, "grpcurl", check(service)...); statusOf(t, got) != "SERVING" {
				t.Errorf("%s: health of %q: %s", where, service, got)
			}
		}
		for _, service := range []string{"nobody", "listeners/", "listeners/nobody"} {
			if said := h.toolFails(t, "grpcurl", check(service)...); !strings.Contains(said, "Code: NotFound") {
				t.Errorf("%s: health of %q: %s", where, service, said)
			}
		}
	}
}

// health is a grpc.health.v1.HealthCheckResponse.
type health struct {
	Status string `json:"status"`
}

func statusOf(t *testing.T, answer string) string {
	t.Helper()
	var got health
	mustDo(t, json.Unmarshal([]byte(answer), &got))
	return got.Status
}

// TestE2EHealthWatch: a broken file shows in the health of the configuration, live, and in no other; a listener that is
// unbound shows in its own.
func TestE2EHealthWatch(t *testing.T) {
	t.Parallel()
	needTools(t, "grpcurl")
	h := newHome(t)
	s := h.serve(t, []string{"DIALPOINT_AUTH_MODE=none"}, "--config", h.write(t, "dialpoint.yaml", fileWith(9119)))
	config, listener, whole := h.watchHealth(t, s, "config"), h.watchHealth(t, s, "listeners/default"), h.watchHealth(t, s, "")
	want := func(who string, next func() string, status string) {
		t.Helper()
		if got := next(); got != status {
			t.Errorf("health of %s: %s, want %s", who, got, status)
		}
	}
	want("config", config, "SERVING")
	want("the listener", listener, "SERVING")
	want("the service", whole, "SERVING")

	h.replace(t, "dialpoint.yaml", "listeners: [")
	want("config with a broken file", config, "NOT_SERVING")
	h.replace(t, "dialpoint.yaml", fileWith(0))
	want("config with a good file", config, "SERVING")
	want("the listener without a port", listener, "NOT_SERVING")
	h.replace(t, "dialpoint.yaml", fileWith(9200))
	want("the listener with a port", listener, "SERVING")
	mustDo(t, s.stop())
}

// watchHealth watches one health by grpcurl, and returns what reads the next status.
func (h home) watchHealth(t *testing.T, s *service, name string) func() string {
	t.Helper()
	args := append(append([]string{"-d", healthOf(name)}, grpcurlTo(t, s)["TCP"]...), healthProcedure+"Watch")
	stream := h.program(t, nil, "grpcurl", args...)
	output, err := stream.StdoutPipe()
	mustDo(t, err)
	mustDo(t, stream.Start())
	t.Cleanup(func() { _ = stream.Wait() })
	messages := json.NewDecoder(output)
	return func() string {
		var got health
		mustDo(t, messages.Decode(&got))
		return got.Status
	}
}
