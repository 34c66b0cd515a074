// Package rules decides what a caller must dial to reach a listener.
//
// A dashboard binds (0.0.0.0:9119) and its children dial (127.0.0.1:9119). When each child works that out alone, some
// get it wrong: see https://github.com/NousResearch/hermes-agent/issues/58993. This package is the one place where it
// is worked out. It is pure: a [Listener] and a [Caller] go in, [Endpoints] or an [Unavailable] come out. It does no
// I/O, reads no clock and never changes what it is given.
//
// For a caller that shares the listener's loopback ([Local]) the first of these decides:
//
//  1. An override is dialled, whatever the bind host is.
//  2. A wildcard bind host becomes loopback: 127.0.0.1, or ::1 of an IPv6 wildcard that is said, or was found by a
//     probe, to refuse IPv4.
//  3. Any other bind host is dialled as it stands.
//
// For any other caller ([Remote]) an advertised target comes first, then the override; a wildcard becomes the address
// on which the caller reached the service; a loopback bind is not reachable.
package rules
