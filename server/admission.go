package server

import (
	"net"
	"slices"
	"syscall"

	"dialpoint/server/access"
	"dialpoint/server/config"
	"dialpoint/server/limit"
)

// guard sets up who may call, how much is served at a time, and what TCP shows. What a configuration says of the first
// wins over the options.
func (s *Server) guard(policy access.Policy) error {
	s.gate = access.NewGate(s.log, policy)
	s.limiter = limit.New(limit.Limits{})
	s.conns = limit.NewConns(limit.MaxConns(limit.Limits{}, openFiles()))
	if s.config == nil {
		return nil
	}
	s.admit(s.config.Serve)
	return s.certificate.set(s.config.Serve.TLS)
}

// admit puts in force who may call and how much is served at a time.
func (s *Server) admit(serve config.Serve) {
	s.gate.SetPolicy(access.Policy{
		ChildToken:    serve.Tokens.Child,
		OperatorToken: serve.Tokens.Operator,
		AllowUsers:    serve.UnixAllow.Users,
		AllowGroups:   serve.UnixAllow.Groups,
		AllowedHosts:  hostsOf(serve),
	})
	limits := limit.Limits(serve.Limits)
	s.limiter.Set(limits)
	s.conns.SetMax(limit.MaxConns(limits, openFiles()))
}

// openFiles is how many files this process may have open.
func openFiles() uint64 {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return limit.DefaultCalls
	}
	return uint64(files.Cur) //nolint:unconvert // It is signed on some systems.
}

// hostsOf is the hosts that the operator has named: those that are allowed, and the one to listen on.
func hostsOf(serve config.Serve) []string {
	host, _, err := net.SplitHostPort(serve.TCP)
	if err != nil {
		return serve.AllowedHosts
	}
	return append(slices.Clone(serve.AllowedHosts), host)
}
