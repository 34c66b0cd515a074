//go:build e2e

package e2e_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

// web is a client that trusts the service.
func (m *marked) web(t *testing.T, http2 bool) *http.Transport {
	t.Helper()
	trusted := x509.NewCertPool()
	certificate, err := os.ReadFile(m.certificate())
	must(t, err)
	trusted.AppendCertsFromPEM(certificate)
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!http2)
	protocols.SetHTTP2(http2)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, Protocols: protocols}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// callsWrongly calls every procedure in every protocol, with what is right in one and wrong in the others.
func (m *marked) callsWrongly(t *testing.T) {
	t.Helper()
	for _, http2 := range []bool{false, true} {
		web := m.web(t, http2)
		for _, procedure := range []string{resolveProcedure, watchProcedure, listProcedure, reportProcedure, healthProcedure, "/nothing", "/metrics"} {
			for _, contentType := range []string{typeJSON, typeProto, typeGRPC, typeGRPCWeb, typeStream, "text/plain"} {
				for _, token := range []string{"", "0123456789abcdef", childMarker, operatorMarker} {
					m.send(t, web, procedure, contentType, token)
				}
			}
		}
	}
}

// wrongBodies are right in no protocol, or for no listener.
var wrongBodies = []string{"{", `{"channel": "a/b"}`, `{"listener": "nobody"}`, "\x0a\x06nobody", enveloped(0, 8, "\x0a\x06nobody"), enveloped(1, 3, "abc")}

// send sends each wrong body, and keeps what is answered, headers and trailers included.
func (m *marked) send(t *testing.T, web *http.Transport, procedure, contentType, token string) {
	t.Helper()
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodOptions} {
		for _, body := range wrongBodies {
			request, err := http.NewRequestWithContext(t.Context(), method, m.tcp+procedure, strings.NewReader(body))
			must(t, err)
			request.Header.Set("Content-Type", contentType)
			if token != "" {
				request.Header.Set("Authorization", "Bearer "+token)
			}
			response, err := web.RoundTrip(request)
			must(t, err)
			answer, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			m.add(procedure+" as "+contentType, fmt.Sprint(response.Status, response.Header, string(answer), response.Trailer, err))
		}
	}
}

// asksHealth with the tool of others, and for what it may see and what not.
func (m *marked) asksHealth(t *testing.T) {
	t.Helper()
	address := strings.TrimPrefix(m.tcp, "https://")
	for _, args := range [][]string{
		{address, "grpc.health.v1.Health/Check"},
		{"-d", `{"service": "config"}`, address, "grpc.health.v1.Health/Check"},
		{"-d", `{"service": "listeners/default"}`, address, "grpc.health.v1.Health/Check"},
		{address, "list"},
		{address, "describe", "dialpoint.v1.Endpoint"},
		{"-v", address, resolveProcedure[1:]},
		{"-vv", address, listProcedure[1:]},
	} {
		m.ran(fmt.Sprintf("grpcurl %q", args), (*account)(nil).run(t, m.env(), "", "grpcurl", append([]string{"-cacert", m.certificate()}, args...)...))
	}
	for _, procedure := range []string{resolveProcedure, listProcedure} {
		header := "Authorization: Bearer " + childMarker + "\n"
		came := (*account)(nil).run(t, m.env(), header, "curl", "--silent", "--show-error", "--cacert", m.certificate(), "--noproxy", "*",
			"--header", "@-", "--header", "Content-Type: application/json", "--data", `{"channel": "chat-1"}`, m.tcp+procedure)
		m.ran("answer of "+procedure, outcome{came.code, m.withoutSecretFields(t, came), came.errors})
	}
}

// withoutSecretFields is an answer without the fields that are there for the secret. They must hold it.
func (m *marked) withoutSecretFields(t *testing.T, came outcome) string {
	t.Helper()
	var message map[string]any
	if err := json.Unmarshal([]byte(came.out), &message); err != nil {
		t.Fatalf("%v in %s", err, came.text())
	}
	endpoints, is := message["endpoints"].(map[string]any)
	if !is {
		return came.out
	}
	for part, field := range map[string]string{"gateway": "url", "sidecar": "url", "credential": "value"} {
		fields, _ := endpoints[part].(map[string]any)
		if got := m.secrets.in(fmt.Sprint(fields[field])); !slices.Equal(got, []string{"the credential"}) {
			t.Errorf("%s.%s shows %v, want the credential alone", part, field, got)
		}
		delete(fields, field)
	}
	rest, err := json.Marshal(message)
	must(t, err)
	return string(rest)
}
