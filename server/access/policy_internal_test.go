package access

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dialpoint/server/rules"
)

func TestPeerRole(t *testing.T) {
	t.Parallel()
	known, overflow := unmapped{noID, noID}, unmapped{65534, 65534}
	allow := Policy{AllowUsers: []uint32{7, 65534}, AllowGroups: []uint32{50, 65534}}
	tests := map[string]struct {
		policy    Policy
		self      uint32
		strangers unmapped
		peer      Peer
		want      Role
	}{
		"same user":                       {Policy{}, 1000, known, Peer{UID: 1000}, Operator},
		"root":                            {Policy{}, 1000, known, Peer{UID: 0}, Operator},
		"another":                         {Policy{}, 1000, known, Peer{UID: 1001}, Nobody},
		"another, of a service of root":   {Policy{}, 0, known, Peer{UID: 1001}, Nobody},
		"root's group":                    {Policy{}, 1000, known, Peer{UID: 1001, GID: 0, Groups: []uint32{0}}, Nobody},
		"allowed user":                    {allow, 1000, known, Peer{UID: 7}, Child},
		"allowed, and the same user":      {allow, 7, known, Peer{UID: 7}, Operator},
		"allowed group":                   {allow, 1000, known, Peer{UID: 8, GID: 8, Groups: []uint32{9, 50}}, Child},
		"allowed primary group":           {allow, 1000, known, Peer{UID: 8, GID: 50}, Child},
		"no id is a stranger's":           {allow, 1000, known, Peer{UID: 65534}, Child},
		"nor the service's own":           {Policy{}, 65534, known, Peer{UID: 65534}, Operator},
		"stranger, as the service":        {Policy{}, 65534, overflow, Peer{UID: 65534}, Nobody},
		"stranger, allowed":               {allow, 1000, overflow, Peer{UID: 65534, GID: 8}, Nobody},
		"stranger's group, allowed":       {allow, 1000, overflow, Peer{UID: 8, GID: 65534, Groups: []uint32{65534}}, Nobody},
		"stranger in a known group":       {allow, 1000, overflow, Peer{UID: 65534, GID: 65534, Groups: []uint32{65534, 50}}, Child},
		"stranger, primary group known":   {allow, 1000, overflow, Peer{UID: 65534, GID: 50}, Child},
		"known user in a namespace":       {allow, 65534, overflow, Peer{UID: 7, GID: 65534}, Child},
		"root in a namespace":             {allow, 65534, overflow, Peer{UID: 0, GID: 65534}, Operator},
		"root where it is the stranger's": {Policy{}, 0, unmapped{0, 0}, Peer{UID: 0}, Nobody},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := enforce(test.policy, test.self, test.strangers).peerRole(test.peer); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// A caller who cannot be allowed must not be told to ask for that.
func TestStrangersAreToldWhy(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		strangers unmapped
		want      string
	}{
		"a user":     {unmapped{noID, noID}, "let serve.unix_allow name the user"},
		"a stranger": {unmapped{65534, 65534}, "let the namespace map the user"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, refused := enforce(Policy{}, 1000, test.strangers).admitPeer(Peer{UID: 65534})
			if refused == nil || refused.reason != reasonPeerForbidden || !strings.Contains(refused.message, test.want) {
				t.Errorf("got %+v, want %q", refused, test.want)
			}
		})
	}
}

// The parser lets no empty token through, and it would still be no one's.
func TestEmptyTokenMatchesNothing(t *testing.T) {
	t.Parallel()
	for name, policy := range map[string]Policy{
		"neither":  {},
		"child":    {ChildToken: rules.NewSecret("0123456789abcdef")},
		"operator": {OperatorToken: rules.NewSecret("0123456789abcdef")},
	} {
		if role := enforce(policy, 0, unmapped{noID, noID}).tokenRole(""); role != Nobody {
			t.Errorf("%s configured: an empty token makes its holder %v", name, role)
		}
	}
}

// Health is open to every user who is known, as it is to everybody over TCP.
func TestAdmitOverUnix(t *testing.T) {
	t.Parallel()
	const health, resolve = "/grpc.health.v1.Health/Check", "/dialpoint.v1.EndpointService/ResolveEndpoints"
	stranger, self := &unixConn{peer: Peer{UID: 1001}}, &unixConn{peer: Peer{UID: 1000}}
	unknown := &unixConn{err: errors.New("no word of it")}
	tests := map[string]struct {
		conn   *unixConn
		path   string
		role   Role
		reason string
	}{
		"another user, health":  {stranger, health, Nobody, ""},
		"another user, a call":  {stranger, resolve, Nobody, reasonPeerForbidden},
		"another user, no path": {stranger, "/", Nobody, reasonPeerForbidden},
		"same user, health":     {self, health, Nobody, ""},
		"same user, a call":     {self, resolve, Operator, ""},
		"same user, no path":    {self, "/", Operator, ""},
		"unknown, health":       {unknown, health, Nobody, reasonPeerForbidden},
		"unknown, a call":       {unknown, resolve, Nobody, reasonPeerForbidden},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.WithValue(t.Context(), connKey{}, test.conn)
			request := httptest.NewRequestWithContext(ctx, http.MethodPost, test.path, http.NoBody)
			role, refused := enforce(Policy{}, 1000, unmapped{noID, noID}).admit(request, admissionOf(request))
			reason := ""
			if refused != nil {
				reason = refused.reason
			}
			if role != test.role || reason != test.reason {
				t.Errorf("got %v and %q, want %v and %q", role, reason, test.role, test.reason)
			}
		})
	}
}
