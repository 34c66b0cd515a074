// Package socket opens the sockets that a server listens on, and lets nobody near a unix socket who has no business
// there: whoever could put another in its place would hand children whatever URLs they like.
//
// A unix socket lies in a directory that is its owner's alone, on a path that nobody but root and the owner can lead
// elsewhere. Starters take turns, so that one of them wins, and what is not ours is never removed. Sockets that systemd
// holds are taken over instead of opened.
package socket
