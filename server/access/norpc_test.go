package access_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dialpoint/server/access"
)

// What is in no RPC protocol is answered as a person with curl or a browser can read it.
func TestNoRPC(t *testing.T) {
	t.Parallel()
	tcp := overTCP(t, withTokens())
	tests := map[string]struct {
		peer                      peer
		method, path, contentType string
		status                    int
		reason                    string
	}{
		"browser":                   {tcp, http.MethodGet, "/", "", 401, "CREDENTIAL_MISSING"},
		"browser, RPC":              {tcp, http.MethodGet, resolvePath, "", 401, "CREDENTIAL_MISSING"},
		"form":                      {tcp, http.MethodPost, resolvePath, "application/x-www-form-urlencoded", 401, "CREDENTIAL_MISSING"},
		"no content type":           {tcp, http.MethodPost, resolvePath, "", 401, "CREDENTIAL_MISSING"},
		"JSON":                      {tcp, http.MethodPost, resolvePath, "application/json", 401, "CREDENTIAL_MISSING"},
		"wrong token":               {tcp.bearer("x"), http.MethodGet, "/", "", 401, "CREDENTIAL_INVALID"},
		"another Host":              {withHost(tcp, "evil.example"), http.MethodGet, "/", "", 403, "HOST_FORBIDDEN"},
		"a page":                    {tcp.shows("Origin", "https://evil.example"), http.MethodPost, "/", "text/plain", 403, "ORIGIN_FORBIDDEN"},
		"a page, health":            {tcp.shows("Sec-Fetch-Site", "cross-site"), http.MethodPost, "/grpc.health.v1.Health/Check", "application/json", 403, "ORIGIN_FORBIDDEN"},
		"preflight":                 {preflight(tcp), http.MethodOptions, resolvePath, "", 403, "ORIGIN_FORBIDDEN"},
		"no such path":              {tcp, http.MethodPost, "/nowhere", "application/json", 401, "CREDENTIAL_MISSING"},
		"no such path, known":       {tcp.bearer(childToken), http.MethodPost, "/nowhere", "application/json", 404, ""},
		"no such procedure":         {tcp, http.MethodPost, resolvePath + "2", "application/json", 401, "CREDENTIAL_MISSING"},
		"no such procedure, known":  {tcp.bearer(childToken), http.MethodPost, resolvePath + "2", "application/json", 404, ""},
		"beside an open one":        {tcp, http.MethodPost, "/grpc.health.v1.Health/Check/", "application/json", 401, "CREDENTIAL_MISSING"},
		"above an open one":         {tcp, http.MethodPost, "/grpc.health.v1.Health/", "application/json", 401, "CREDENTIAL_MISSING"},
		"an open one, not mounted":  {tcp, http.MethodPost, "/grpc.health.v1.Health/List", "application/json", 401, "CREDENTIAL_MISSING"},
		"an open one, with a query": {tcp, http.MethodPost, resolvePath + "?/grpc.health.v1.Health/Check", "application/json", 401, "CREDENTIAL_MISSING"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, body := test.peer.send(t, test.method, test.path, test.contentType)
			if response.StatusCode != test.status || test.reason != "" && reasonOfJSON(t, body) != test.reason {
				t.Errorf("status %d and %s, want %d and %s", response.StatusCode, body, test.status, test.reason)
			}
			if challenge := response.Header.Get("WWW-Authenticate"); strings.HasPrefix(challenge, "Bearer ") != (test.status == 401) {
				t.Errorf("WWW-Authenticate is %q", challenge)
			}
			for name := range response.Header {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("%s lets pages in", name)
				}
			}
		})
	}
}

func preflight(p peer) peer {
	return p.shows("Origin", "http://localhost:3000").shows("Access-Control-Request-Method", "POST")
}

// reasonOfJSON is the reason as it stands in the JSON of an error, for those who read no protobuf.
func reasonOfJSON(t testing.TB, body string) string {
	t.Helper()
	var failed struct {
		Code    string `json:"code"`
		Details []struct {
			Debug struct {
				Reason string `json:"reason"`
				Domain string `json:"domain"`
			} `json:"debug"`
		} `json:"details"`
	}
	must(t, json.Unmarshal([]byte(body), &failed))
	if len(failed.Details) != 1 || failed.Details[0].Debug.Domain != "dialpoint" || codes[failed.Details[0].Debug.Reason].String() != failed.Code {
		t.Errorf("the answer is %s", body)
		return ""
	}
	return failed.Details[0].Debug.Reason
}

// unread is a body that nobody may read.
type unread struct{ t testing.TB }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, io.EOF
}

func TestRefusedBeforeTheBodyIsRead(t *testing.T) {
	t.Parallel()
	gate := access.NewGate(discard, withTokens())
	for _, contentType := range []string{"application/proto", "application/connect+proto", "application/grpc", "application/grpc-web", "text/plain"} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, resolvePath, unread{t})
		request.Host = "localhost"
		request.Header.Set("Content-Type", contentType)
		handler(gate).ServeHTTP(httptest.NewRecorder(), request)
	}
}
