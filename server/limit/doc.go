// Package limit bounds how much is served at a time, so that a flood or a caller that is broken does not keep the
// others from being answered. There are three parts, and each works without the others:
//
//   - [Limiter] counts calls and streams, in all and by peer, and refuses those over its limits. A request counts once it
//     is here, so that those who announce much and send nothing keep nobody out;
//   - [Patience] lets go of callers that do not send what they announced, or do not take what they asked for;
//   - [Conns] keeps connections below what the process may have open, and closes idle ones to let new callers in.
//
// [HTTP2] bounds what a single HTTP/2 connection makes the server keep.
package limit
