// Package access decides who may call the service.
//
// [WithConn] asks the kernel who is at the other end of a unix socket, once, when a connection is accepted. A [Gate]
// then stands in two places:
//
//   - Its Middleware sees each request before the body is read. The guard turns away what a browser may have been
//     tricked into sending: a Host that is not ours (DNS rebinding) and an Origin on the web. Then the caller is given a
//     [Role]: over a unix socket by its user and groups, over TCP by its bearer token.
//   - Its Interceptor runs inside Connect, where the procedure is known for sure, and compares the role with the least
//     that the procedure needs. A procedure that nobody wrote down is refused to everybody.
//
// What both go by is a [Policy], which can be replaced at any time. A stream that is open stays open: it was let in
// by the policy of its time.
//
// Refusals carry the reasons CREDENTIAL_MISSING, CREDENTIAL_INVALID, ROLE_FORBIDDEN, PEER_FORBIDDEN, HOST_FORBIDDEN or
// ORIGIN_FORBIDDEN, in the protocol in which the caller speaks. None shows a token, nor does any log line.
//
// [EnsureTokens] keeps the tokens of a service that was configured with none.
package access
