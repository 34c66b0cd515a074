package access

import (
	"errors"
	"fmt"

	"connectrpc.com/connect"

	"dialpoint/server/failure"
	"dialpoint/server/rules"
)

// The reasons, by which programs tell refusals apart.
const (
	reasonCredentialMissing = "CREDENTIAL_MISSING" //nolint:gosec // a name
	reasonCredentialInvalid = "CREDENTIAL_INVALID" //nolint:gosec // a name
	reasonRoleForbidden     = "ROLE_FORBIDDEN"
	reasonPeerForbidden     = "PEER_FORBIDDEN"
	reasonHostForbidden     = "HOST_FORBIDDEN"
	reasonOriginForbidden   = "ORIGIN_FORBIDDEN"
)

// refusal is why a request is turned away. Its message is for the caller, who wrote what it quotes.
type refusal struct {
	code    connect.Code
	reason  string
	message string
}

func (r *refusal) err() *connect.Error {
	return failure.New(r.code, r.reason, errors.New(r.message))
}

func unauthenticated(reason, message string) *refusal {
	return &refusal{connect.CodeUnauthenticated, reason, message}
}

func denied(reason, format string, args ...any) *refusal {
	return &refusal{connect.CodePermissionDenied, reason, fmt.Sprintf(format, args...)}
}

const whereTokensAre = "--token-file or DIALPOINT_TOKEN_FILE names the file that holds it; " +
	"unless the service was given other tokens, those are child.token and operator.token beside its socket"

func credentialMissing() *refusal {
	return unauthenticated(reasonCredentialMissing,
		"this call needs a token in the header 'Authorization: Bearer TOKEN': "+whereTokensAre)
}

// credentialInvalid never shows what was sent: a wrong token may be right elsewhere.
func credentialInvalid(problem string) *refusal {
	return unauthenticated(reasonCredentialInvalid, problem+": "+whereTokensAre)
}

func roleForbidden(role Role, procedure string) *refusal {
	return denied(reasonRoleForbidden, "a caller in the role of %s may not call %s: "+
		"call with the operator token, or over the unix socket as the user of the service", role, procedure)
}

func unknownProcedure(procedure string) *refusal {
	return denied(reasonRoleForbidden, "nobody may call %s: the service does not say who should", procedure)
}

func peerForbidden(peer Peer) *refusal {
	return denied(reasonPeerForbidden, "user %d may not call over this socket: "+
		"let serve.unix_allow name the user or a group of it, or call over TCP with a token", peer.UID)
}

func strangerForbidden(peer Peer) *refusal {
	return denied(reasonPeerForbidden, "the caller's user has no id in the user namespace of this service, where it reads "+
		"%d as all such users do: let the namespace map the user, or call over TCP with a token", peer.UID)
}

func peerUnknown(err error) *refusal {
	return denied(reasonPeerForbidden, "it is not known who calls over this socket (%v): call over TCP with a token", err)
}

func hostForbidden(host string) *refusal {
	if host == "" {
		return denied(reasonHostForbidden, "the request names no host: send the header Host, as HTTP/1.1 does")
	}
	return denied(reasonHostForbidden, "this service does not go by the Host %s: "+
		"if it should, add the host without its port to serve.allowed_hosts", rules.Quote(host))
}

func originForbidden() *refusal {
	return denied(reasonOriginForbidden, "the request comes from a page in a browser (it has an Origin or Sec-Fetch-Site "+
		"header), and no page may call: call from a program that sends neither")
}
