package access_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"dialpoint/server/access"
	"dialpoint/server/rules"
)

func TestTrusted(t *testing.T) {
	t.Parallel()
	trusted := access.Policy{Trusted: true}
	tests := map[string]struct {
		peer peer
		want string
	}{
		"TCP":               {overTCP(t, trusted), "operator"},
		"TCP, wrong token":  {overTCP(t, trusted).bearer("x"), "operator"},
		"unix":              {overUnix(t, trusted), "operator"},
		"TCP, another Host": {withHost(overTCP(t, trusted), "evil.example"), "HOST_FORBIDDEN"},
		"TCP, a page":       {overTCP(t, trusted).shows("Origin", "http://localhost"), "ORIGIN_FORBIDDEN"},
		"unix, a page":      {overUnix(t, trusted).shows("Sec-Fetch-Site", "same-origin"), "ORIGIN_FORBIDDEN"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := test.peer.list(t)
			wantRole(t, got, err, test.want)
		})
	}
}

func TestSetPolicy(t *testing.T) {
	t.Parallel()
	gate := access.NewGate(discard, withTokens())
	socket := listen(t, "tcp", "127.0.0.1:0")
	serve(t, webServer(gate), socket)
	child := peer{url: "http://" + socket.Addr().String()}.bearer(childToken)
	got, err := child.resolve(t)
	wantRole(t, got, err, "child")

	gate.SetPolicy(access.Policy{OperatorToken: rules.NewSecret(childToken)})
	got, err = child.resolve(t)
	wantRole(t, got, err, "operator")

	gate.SetPolicy(access.Policy{})
	got, err = child.resolve(t)
	wantRole(t, got, err, "CREDENTIAL_INVALID")
}

// A policy's lists may be changed by who made it.
func TestPolicyIsCopied(t *testing.T) {
	t.Parallel()
	policy := withTokens()
	policy.AllowedHosts = []string{"edge.example"}
	tcp := withHost(overTCP(t, policy), "edge.example").bearer(childToken)
	policy.AllowedHosts[0] = "other.example"
	got, err := tcp.resolve(t)
	wantRole(t, got, err, "child")
}

// Each request is judged by one policy, the old one or the new one, never by parts of both.
func TestPoliciesDoNotMix(t *testing.T) {
	t.Parallel()
	asChild := access.Policy{ChildToken: rules.NewSecret(childToken), AllowedHosts: []string{"a.example"}}
	asOperator := access.Policy{OperatorToken: rules.NewSecret(childToken), AllowedHosts: []string{"b.example"}}
	gate := access.NewGate(discard, asChild)
	want := map[string]string{"a.example": "child", "b.example": "operator"}
	reports := gate.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if got := access.RoleOf(r.Context()).String(); got != want[r.Host] {
			t.Errorf("by %s the role is %s", r.Host, got)
		}
	}))
	var group sync.WaitGroup
	for host := range want {
		group.Go(func() {
			for range 500 {
				request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, resolvePath, http.NoBody)
				request.Host = host
				request.Header.Set("Authorization", "Bearer "+childToken)
				reports.ServeHTTP(httptest.NewRecorder(), request)
			}
		})
	}
	for range 250 {
		gate.SetPolicy(asOperator)
		gate.SetPolicy(asChild)
	}
	group.Wait()
}
