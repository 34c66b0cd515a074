package doctor_test

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dialpoint/client"
	"dialpoint/cmd/dialpoint/doctor"
	"dialpoint/server"
	"dialpoint/server/rules"
)

// marker is a credential that is in no text by chance, and the same percent-encoded or not.
const marker = "mArKeD-cReDeNtIaL"

const (
	setCredential = "set auth.credential_file (for the default listener DIALPOINT_CREDENTIAL_FILE)"
	seePort       = "see which program has the port"
)

// upgrades are dashboards by kind, with what is found and advised.
var upgrades = map[string]struct {
	status          doctor.Status
	finding, advice string
}{
	"close 1000": {doctor.StatusOK, "accepted the upgrade (101)", ""},
	"close 1001": {doctor.StatusOK, "accepted the upgrade (101)", ""},
	"stubborn":   {doctor.StatusOK, "accepted the upgrade (101)", ""},
	"close 1008": {doctor.StatusFailed, "then closed with 1008: the credential is not the dashboard's", setCredential},
	"close 4401": {doctor.StatusFailed, "then closed with 4401: the credential is not the dashboard's", setCredential},
	"close 4403": {doctor.StatusFailed, "then closed with 4403: the credential is not the dashboard's", setCredential},
	"close 1011": {doctor.StatusFailed, "then closed with 1011", "see the dashboard's log"},
	"200":        {doctor.StatusFailed, "200 (OK): no WebSocket is there", "set base_path"},
	"307":        {doctor.StatusFailed, "307 (Temporary Redirect): children do not follow it", "set base_path"},
	"400":        {doctor.StatusFailed, "400 (Bad Request): no WebSocket is there", "set base_path"},
	"401":        {doctor.StatusFailed, "401 (Unauthorized): the credential is not the dashboard's", setCredential},
	"403":        {doctor.StatusFailed, "403 (Forbidden): the credential is not the dashboard's", "refuses the host or the caller"},
	"404":        {doctor.StatusFailed, "404 (Not Found): no WebSocket is there", "set base_path"},
	"405":        {doctor.StatusFailed, "405 (Method Not Allowed): no WebSocket is there", "set base_path"},
	"426":        {doctor.StatusFailed, "426 (Upgrade Required)", "pass the headers Upgrade and Connection on"},
	"429":        {doctor.StatusFailed, "429 (Too Many Requests)", "see the dashboard's log"},
	"502":        {doctor.StatusFailed, "502 (Bad Gateway)", "that of a reverse proxy"},
	"599":        {doctor.StatusFailed, "it answered 599", "see the dashboard's log"},
	"forged":     {doctor.StatusFailed, "it answered 101, but not as a WebSocket server", seePort},
	"garbage":    {doctor.StatusFailed, "does not speak HTTP", seePort},
	"echo":       {doctor.StatusFailed, "does not speak HTTP", seePort},
	"hangup":     {doctor.StatusFailed, "closed the connection without an answer", seePort},
	"silent":     {doctor.StatusFailed, "did not answer in time", "see whether the dashboard hangs"},
	"tls":        {doctor.StatusFailed, "it speaks TLS, and the URL is ws", "set bind.tls to true"},
}

// TestUpgrade: what a dashboard does is told apart, and no report holds the credential, whatever a server makes of it.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	for kind, want := range upgrades {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			listener := boundTo(t, startPatient(t, kind).Port())
			listener.Credential = marker
			report := examineBy(t, listener, doctorWith(kind))
			for _, endpoint := range []string{doctor.Gateway, doctor.Sidecar} {
				check := only(t, report, doctor.CheckUpgrade, endpoint)
				if check.Status != want.status || !strings.Contains(check.Finding, want.finding) ||
					!strings.Contains(check.Advice, want.advice) || (check.Advice == "") != (want.advice == "") {
					t.Errorf("%s: got %+v, want %+v", endpoint, check, want)
				}
			}
			if report.Status != want.status {
				t.Errorf("the report is %s, want %s", report.Status, want.status)
			}
			wantNoSecret(t, report)
		})
	}
}

func wantNoSecret(t *testing.T, report doctor.Report) {
	t.Helper()
	text, err := json.Marshal(report)
	must(t, err)
	if strings.Contains(string(text), marker) || !strings.Contains(string(text), "REDACTED") {
		t.Errorf("the report shows the credential, or no URL at all: %s", text)
	}
}

// TestEndpointPaths: each endpoint's advice names its own key.
func TestEndpointPaths(t *testing.T) {
	t.Parallel()
	report := examine(t, boundTo(t, startPatient(t, "404").Port()))
	for endpoint, key := range map[string]string{doctor.Gateway: "gateway_path", doctor.Sidecar: "sidecar_path"} {
		if check := only(t, report, doctor.CheckUpgrade, endpoint); !strings.Contains(check.Advice, key) {
			t.Errorf("%s: advice %q does not name %s", endpoint, check.Advice, key)
		}
	}
}

// TestCredential: the dashboard is one that looks at it.
func TestCredential(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		token, credential string
		mode              rules.AuthMode
		status            doctor.Status
		finding, advice   string
	}{
		"right": {marker, marker, "", doctor.StatusOK, "accepted", ""},
		"wrong": {"other", marker, "", doctor.StatusFailed, "401 (Unauthorized): the credential is not", `the parameter "token"`},
		"wrong parameter": {
			marker, marker, rules.AuthInternal,
			doctor.StatusFailed, "401 (Unauthorized): the credential is not", `the parameter "internal"`,
		},
		"none": {
			marker, "", "",
			doctor.StatusFailed, "401 (Unauthorized): it wants a credential, and the URL has none", "auth.mode to token or internal",
		},
		"none wanted": {"", "", "", doctor.StatusOK, "accepted", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := examine(t, server.Listener{
				Bind:       server.Bind{Host: "0.0.0.0", Port: startDashboard(t, "tcp4", "127.0.0.1:0", test.token)},
				Credential: test.credential, AuthMode: test.mode,
			})
			check := only(t, report, doctor.CheckUpgrade, doctor.Gateway)
			if check.Status != test.status || !strings.Contains(check.Finding, test.finding) || !strings.Contains(check.Advice, test.advice) {
				t.Errorf("got %+v, want %+v", check, test)
			}
		})
	}
}

// TestTLSIsSaid: the URL is wss, and what is there does not speak TLS, or with a certificate that nobody knows.
func TestTLSIsSaid(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]struct{ finding, advice string }{
		"tls":        {"its certificate is not trusted here: tls: failed to verify certificate: x509:", "by an authority that children trust"},
		"close 1000": {"it does not speak TLS, and the URL is wss", "set bind.tls to false"},
		"garbage":    {"it does not speak TLS, and the URL is wss", "set bind.tls to false"},
		"echo":       {"TLS failed: tls: received unexpected handshake message", "see the dashboard's log"},
		"hangup":     {"closed the connection without an answer", seePort},
		"silent":     {"did not answer in time", "see whether the dashboard hangs"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			listener := boundTo(t, startPatient(t, kind).Port())
			listener.Bind.TLS, listener.Credential = true, marker
			report := examineBy(t, listener, doctorWith(kind))
			check := only(t, report, doctor.CheckUpgrade, doctor.Gateway)
			if check.Status != doctor.StatusFailed || !strings.Contains(check.Finding, want.finding) || !strings.Contains(check.Advice, want.advice) {
				t.Errorf("got %+v, want %+v", check, want)
			}
			wantNoSecret(t, report)
		})
	}
}

// TestNoProxyIsUsed for an address which Go's own clients would send through it, as they do not with loopback. It is
// that of nobody on the loopback interface, so that the handshake fails at once, and asks no other machine.
func TestNoProxyIsUsed(t *testing.T) {
	var asked atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Store(true) }))
	t.Cleanup(proxy.Close)
	clearProxies(t)
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("HTTPS_PROXY", proxy.URL)
	for _, scheme := range []string{"ws", "wss"} {
		if err := new(doctor.Doctor).Shake(t.Context(), scheme+"://[fe80::1%25lo]:9119/api/ws"); err == nil || asked.Load() {
			t.Errorf("%s: got %v, and the proxy was asked: %v", scheme, err, asked.Load())
		}
	}
}

// TestHandshake: what arrives is what a child sends. An Origin would make it a browser's.
func TestHandshake(t *testing.T) {
	t.Parallel()
	arrived := make(chan *http.Request, 1)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived <- r
		http.NotFound(w, r)
	}))
	t.Cleanup(front.Close)
	_, port, err := net.SplitHostPort(front.Listener.Addr().String())
	must(t, err)
	listener := boundTo(t, port)
	listener.Credential, listener.GatewayPath = marker, "/gate"
	doctorFor(connectTo(t, listener), nil).Examine(t.Context(), client.Request{})
	got := <-arrived
	if got.URL.String() != "/gate?token="+marker || got.Host != front.Listener.Addr().String() ||
		got.Header.Get("Upgrade") != "websocket" || got.Header.Get("Sec-WebSocket-Version") != "13" {
		t.Errorf("the dashboard got %s for %s with %v", got.URL, got.Host, got.Header)
	}
	if origin := got.Header.Values("Origin"); origin != nil {
		t.Errorf("there was an Origin %q", origin)
	}
}

// TestFarewell: a dashboard that does not answer when the connection ends holds nobody up. The library alone would wait
// for 5 seconds at each endpoint.
func TestFarewell(t *testing.T) {
	t.Parallel()
	listener := boundTo(t, startPatient(t, "stubborn").Port())
	begin := time.Now()
	examineBy(t, listener, &doctor.Doctor{})
	if took := time.Since(begin); took > 8*time.Second {
		t.Errorf("it took %v", took)
	}
}
