//go:build e2e

package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// The tests of this build tag call the service with tools that are not ours. 'make e2e' has them.

const (
	resolveProcedure = "/dialpoint.v1.EndpointService/ResolveEndpoints"
	watchProcedure   = "/dialpoint.v1.EndpointService/WatchEndpoints"
	listProcedure    = "/dialpoint.v1.ListenerService/ListListeners"
	question         = `{"channel":"demo"}`
)

// needTools fails the test unless every tool is there. A test that was skipped would have shown nothing.
func needTools(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Fatalf("%v: run 'make e2e', which puts what 'make tools' builds into PATH; curl and bash come with the system", err)
		}
	}
}

// tool runs a tool that must succeed, and is its standard output.
func (h home) tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	got := runToEnd(t, h.program(t, nil, name, args...))
	if got.code != 0 {
		t.Fatalf("%s %q: exit %d\n%s%s", name, args, got.code, got.stdout, got.stderr)
	}
	return got.stdout
}

// toolFails runs a tool that must fail, and is what it said in all.
func (h home) toolFails(t *testing.T, name string, args ...string) string {
	t.Helper()
	got := runToEnd(t, h.program(t, nil, name, args...))
	if got.code == 0 {
		t.Errorf("%s %q: exit 0, want a failure\n%s", name, args, got.stdout)
	}
	return got.stdout + got.stderr
}

// bearer is the header that shows the operator's token.
func (s *service) bearer(t *testing.T) string {
	t.Helper()
	token, err := os.ReadFile(s.operatorTokenFile())
	mustDo(t, err)
	return "Authorization: Bearer " + strings.TrimSpace(string(token))
}

// serveDemo is a service that answers with what wantDemo wants.
func (h home) serveDemo(t *testing.T) *service {
	t.Helper()
	return h.serve(t, []string{"DIALPOINT_CREDENTIAL=t"}, "--bind-host", "0.0.0.0")
}

// wantDemo checks an answer in JSON.
func wantDemo(t *testing.T, answer string) {
	t.Helper()
	response := new(dialpointv1.ResolveEndpointsResponse)
	if err := protojson.Unmarshal([]byte(answer), response); err != nil {
		t.Fatalf("%v in %q", err, answer)
	}
	got := response.GetEndpoints()
	if got.GetGateway().GetUrl() != "ws://127.0.0.1:9119/api/ws?token=t" ||
		got.GetSidecar().GetUrl() != "ws://127.0.0.1:9119/api/pub?token=t&channel=demo" ||
		got.GetExplanation().GetRule() != dialpointv1.Rule_RULE_WILDCARD_TO_LOOPBACK {
		t.Errorf("the answer is %s", answer)
	}
}

// TestE2EBufCurl: with reflection, in every protocol, on HTTP/1.1 and HTTP/2, over TCP and the socket.
func TestE2EBufCurl(t *testing.T) {
	t.Parallel()
	needTools(t, "buf")
	h := newHome(t)
	s := h.serveDemo(t)
	socket := strings.TrimPrefix(s.unix, "unix://")
	for where, args := range map[string][]string{
		"TCP":  {"-H", s.bearer(t), s.tcp + resolveProcedure},
		"unix": {"--unix-socket", socket, "http://localhost" + resolveProcedure},
	} {
		for _, protocol := range []string{"", "connect", "grpc", "grpcweb"} {
			for _, version := range []string{"", "--http2-prior-knowledge"} {
				t.Run(strings.Join([]string{where, protocol, version}, " "), func(t *testing.T) {
					t.Parallel()
					call := []string{"curl", "-d", question}
					if protocol != "" {
						call = append(call, "--protocol", protocol)
					}
					if version != "" {
						call = append(call, version)
					}
					wantDemo(t, h.tool(t, "buf", append(call, args...)...))
				})
			}
		}
	}
}

// TestE2EBufCurlOfAnError shows a person what is wrong.
func TestE2EBufCurlOfAnError(t *testing.T) {
	t.Parallel()
	needTools(t, "buf")
	h := newHome(t)
	s := h.serveDemo(t)
	said := h.toolFails(t, "buf", "curl", "-H", s.bearer(t), "-d", `{"listener":"nobody"}`, s.tcp+resolveProcedure)
	for _, want := range []string{"not_found", "LISTENER_UNKNOWN", "dialpoint listeners"} {
		if !strings.Contains(said, want) {
			t.Errorf("buf said %q, want it to hold %q", said, want)
		}
	}
}

// TestE2EBannerCall: the call that serve proposes works when it is pasted.
func TestE2EBannerCall(t *testing.T) {
	t.Parallel()
	needTools(t, "buf", "bash")
	for where, args := range map[string][]string{
		"both":           {"--bind-host", "0.0.0.0"},
		"TCP":            {"--bind-host", "0.0.0.0", "--unix", "none"},
		"IPv6":           {"--bind-host", "0.0.0.0", "--unix", "none", "--tcp", "[::1]:0"},
		"all interfaces": {"--bind-host", "0.0.0.0", "--unix", "none", "--tcp", ":0", "--tcp-plaintext"},
		"unix":           {"--bind-host", "0.0.0.0", "--tcp", "none"},
		"unix, quotes":   {"--bind-host", "0.0.0.0", "--tcp", "none", "--unix", "it's $HOME.sock"},
	} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.dir = h.runtime
			s := h.serve(t, []string{"DIALPOINT_CREDENTIAL=t", "HOME=" + h.runtime}, args...)
			_, call, found := strings.Cut(s.banner, "\ntry it:\n")
			if !found {
				t.Fatalf("no call to try in\n%s", s.banner)
			}
			wantDemo(t, h.tool(t, "bash", "-c", call))
		})
	}
}

// TestE2EBufCurlWatch: the state first, one message for a reload that changes it, none for one that does not.
func TestE2EBufCurlWatch(t *testing.T) {
	t.Parallel()
	needTools(t, "buf")
	h := newHome(t)
	s := h.serve(t, []string{"DIALPOINT_CREDENTIAL=t"}, "--config", h.write(t, "dialpoint.yaml", fileWith(9119)))
	stream := h.program(t, nil, "buf", "curl", "-H", s.bearer(t), "-d", "{}", s.tcp+watchProcedure)
	output, err := stream.StdoutPipe()
	mustDo(t, err)
	mustDo(t, stream.Start())
	messages := json.NewDecoder(output)
	next := func() *dialpointv1.WatchEndpointsResponse {
		var text json.RawMessage
		mustDo(t, messages.Decode(&text))
		update := new(dialpointv1.WatchEndpointsResponse)
		mustDo(t, protojson.Unmarshal(text, update))
		return update
	}
	first := next().GetEndpoints()
	h.replace(t, "dialpoint.yaml", fileWith(9119)+"log: {level: debug}\n")
	awaitLog(t, s, `msg="configuration loaded"`, 1)
	h.replace(t, "dialpoint.yaml", fileWith(9200))
	second := next().GetEndpoints()
	if first.GetExplanation().GetDialPort() != 9119 || second.GetExplanation().GetDialPort() != 9200 || second.GetRevision() != first.GetRevision()+1 {
		t.Errorf("first %v, then %v", first, second)
	}
	mustDo(t, s.stop())
	if err := messages.Decode(new(json.RawMessage)); err == nil {
		t.Error("one more message came")
	}
	if code := exitCodeOf(t, stream.Wait()); code == 0 {
		t.Error("buf curl was not told that the service stops")
	}
}
