package access

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"sync/atomic"

	"connectrpc.com/connect"

	"dialpoint/server/rules"
)

// challenge is what a caller without a good token is asked for (RFC 6750, section 3, which wants a parameter).
const challenge = `Bearer realm="dialpoint"`

// Gate applies a policy to requests. It is safe for concurrent use.
type Gate struct {
	log *slog.Logger
	// errors knows the protocols in which a caller may speak.
	errors *connect.ErrorWriter
	policy atomic.Pointer[enforced]
	served admissions
}

// NewGate is a gate with its first policy. It logs each refusal at debug: the reason, the procedure and the peer.
func NewGate(log *slog.Logger, policy Policy) *Gate {
	gate := &Gate{log: log, errors: connect.NewErrorWriter()}
	gate.SetPolicy(policy)
	return gate
}

// SetPolicy replaces the policy. Requests that are being served and that it does not let in end with what it says of them:
// a watch must not hand a new credential to whoever has an old token.
func (g *Gate) SetPolicy(policy Policy) {
	self := uint32(os.Geteuid()) //nolint:gosec // The kernel's ids have 32 bits.
	next := enforce(policy, self, unmappedHere())
	g.policy.Store(next)
	g.served.review(next)
}

// Middleware refuses requests before their body is read: those that the guard turns away, and those whose caller has no
// role, unless they are for health or reflection. A refusal is written in the caller's protocol; what is in none of
// them is answered as by Connect, in JSON with the status 401 or 403. The handler finds the role with [RoleOf].
func (g *Gate) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancelCause(r.Context())
		defer cancel(nil)
		let := admissionOf(r)
		let.revoke = cancel
		// It is there before it is judged, so that no new policy passes it by.
		g.served.add(let)
		defer g.served.remove(let)
		role, refused := g.policy.Load().admit(r, let)
		if refused != nil {
			g.logRefused(ctx, refused, r.URL.Path, r.RemoteAddr)
			g.write(w, r, refused.err())
			return
		}
		next.ServeHTTP(w, r.WithContext(withRole(ctx, role)))
	})
}

// admit is the role of who sent a request.
func (e *enforced) admit(r *http.Request, let *admission) (Role, *refusal) {
	if refused := e.guard(r); refused != nil {
		return Nobody, refused
	}
	return e.role(let)
}

// role is that of who is behind a request which the guard lets pass. A path only says what the caller wants to call: who
// is let in by an open one is nobody, and may then do no more than nobody may.
func (e *enforced) role(let *admission) (Role, *refusal) {
	switch {
	case e.trusted:
		return Operator, nil
	case let.conn != nil && let.conn.err != nil:
		return Nobody, peerUnknown(let.conn.err)
	case IsOpen(let.procedure):
		return Nobody, nil
	case let.conn != nil:
		return e.admitPeer(let.conn.peer)
	default:
		return e.admitToken(let.header)
	}
}

func (e *enforced) admitPeer(peer Peer) (Role, *refusal) {
	role := e.peerRole(peer)
	switch {
	case role != Nobody:
		return role, nil
	case e.strangers.isUser(peer.UID):
		return Nobody, strangerForbidden(peer)
	default:
		return Nobody, peerForbidden(peer)
	}
}

// admitToken looks at the token alone. A certificate that TLS has verified says that a caller may connect, not what it
// may do.
func (e *enforced) admitToken(header http.Header) (Role, *refusal) {
	token, refused := bearerToken(header)
	if refused != nil {
		return Nobody, refused
	}
	role := e.tokenRole(token)
	if role == Nobody {
		return Nobody, credentialInvalid("the token is not one of this service's")
	}
	return role, nil
}

// write answers with an error. A caller that is gone by now is not told.
func (g *Gate) write(w http.ResponseWriter, r *http.Request, err *connect.Error) {
	if err.Code() == connect.CodeUnauthenticated {
		w.Header().Set("WWW-Authenticate", challenge)
	}
	_ = g.errors.Write(w, r, err)
}

// logRefused shows nothing of the header. A path that is none of ours is quoted, since it may be anything.
func (g *Gate) logRefused(ctx context.Context, refused *refusal, procedure, remoteAddr string) {
	if !g.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	if _, isKnown := leastRoles[procedure]; !isKnown {
		procedure = rules.Quote(procedure)
	}
	g.log.LogAttrs(ctx, slog.LevelDebug, "refused",
		slog.String("reason", refused.reason),
		slog.String("procedure", procedure),
		slog.String("peer", PeerKey(ctx, remoteAddr)),
	)
}
