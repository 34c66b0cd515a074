package server

import (
	"math"
	"net"
	"slices"
	"syscall"

	"dialpoint/server/access"
	"dialpoint/server/config"
	"dialpoint/server/limit"
	"dialpoint/server/rules"
)

// guard sets up who may call, how much is served at a time, and what TCP shows. What a configuration says of the first
// wins over the options.
func (s *Server) guard(policy access.Policy) error {
	s.gate = access.NewGate(s.log, policy)
	s.limiter = limit.New(limit.Limits{})
	s.guests = limit.New(guestLimits)
	s.conns = limit.NewConns(1)
	s.conns.IdleTimeout = idleTimeout
	if s.config == nil {
		s.limit(limit.Limits{})
		return nil
	}
	serve := s.config.Serve
	s.host, _, _ = net.SplitHostPort(serve.TCP) // Without TCP there is none.
	if serve.Tokens.Dir != "" {
		// Whether these are the server's own is seen when it listens.
		serve.Tokens.Child, serve.Tokens.Operator = rules.Secret{}, rules.Secret{}
	}
	s.admit(serve)
	return s.certificate.set(serve.TLS)
}

// admit puts in force who may call and how much is served at a time.
func (s *Server) admit(serve config.Serve) {
	s.gate.SetPolicy(access.Policy{
		ChildToken:    serve.Tokens.Child,
		OperatorToken: serve.Tokens.Operator,
		AllowUsers:    serve.UnixAllow.Users,
		AllowGroups:   serve.UnixAllow.Groups,
		AllowedHosts:  append(slices.Clone(serve.AllowedHosts), s.host),
	})
	s.limit(limit.Limits(serve.Limits))
}

// guestLimits are for health and reflection, which need no token: who floods these keeps no caller out who has one.
var guestLimits = limit.Limits{Calls: 64, Streams: 256, StreamsPerPeer: 128}

// limit puts in force how much is served at a time, as far as there are files for it.
func (s *Server) limit(limits limit.Limits) {
	files := openFiles()
	within := limits.Within(files)
	if within != limits.Within(math.MaxUint64) {
		s.log.Warn("serve.limits are cut to what the process may have open: raise its limit of open files",
			"files", files, "streams", within.Streams, "streams_per_peer", within.StreamsPerPeer)
	}
	s.limiter.Set(within)
	s.conns.SetMax(limit.MaxConns(limits, files))
}

// openFiles is how many files this process may have open.
func openFiles() uint64 {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return limit.DefaultCalls
	}
	return uint64(files.Cur) //nolint:unconvert // It is signed on some systems.
}
