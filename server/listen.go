package server

import (
	"context"
	"errors"
	"fmt"
	"net"

	"dialpoint/server/access"
	"dialpoint/server/config"
	"dialpoint/server/socket"
)

var (
	errNoConfig = errors.New("the server has no configuration that names sockets: mount its Handler, or give Serve sockets of your own")
	// ErrTokens is the error of tokens that the server keeps itself and cannot use. It wraps the reason.
	ErrTokens = errors.New("the tokens for TCP cannot be kept")
	// ErrNoTCP is the error of a TCP socket that systemd passes to a server that is told to have none, and so no tokens.
	ErrNoTCP = errors.New("serve.tcp is none, so that nobody has a token for it: set serve.tcp to its address, or pass no such socket")
	// ErrPlaintext is the error of a TCP socket that others can reach and that has no TLS. Tokens would travel over it as
	// they are.
	ErrPlaintext = errors.New("others than this machine can reach it, and it has no TLS: set serve.tls, let it listen on loopback, " +
		"or set serve.tcp_plaintext (--tcp-plaintext) if the network is trusted")
)

// Listen opens the sockets that the configuration names, the unix socket first. One that the process was started with
// (see [socket.Activated]) takes the place of the configured one of its kind. All are open, or none. What callers over
// TCP need is made with them: the tokens, where the configuration names none.
//
// The errors are those of [socket.ListenUnix] and [socket.ListenTCP], [ErrTokens], [ErrNoTCP] and [ErrPlaintext]. A server
// without [WithConfig] has no sockets of its own, which is an error too.
func (s *Server) Listen(ctx context.Context, inherited socket.Sockets) ([]net.Listener, error) {
	if s.config == nil {
		return nil, errNoConfig
	}
	sockets, err := s.listen(ctx, inherited)
	if err == nil {
		err = s.makeTokens(sockets)
	}
	if err != nil {
		closeAll(sockets)
		closeAll(inherited.All())
		return nil, err
	}
	return sockets, nil
}

// listen returns what it has opened beside an error, too.
func (s *Server) listen(ctx context.Context, inherited socket.Sockets) ([]net.Listener, error) {
	var sockets []net.Listener
	unix, err := s.listenUnix(ctx, inherited)
	if unix != nil {
		sockets = append(sockets, unix)
	}
	if err != nil {
		return sockets, err
	}
	tcp, err := s.listenTCP(ctx, inherited)
	if tcp != nil {
		sockets = append(sockets, tcp)
	}
	return sockets, err
}

// listenUnix is nil where there is to be no such socket.
func (s *Server) listenUnix(ctx context.Context, inherited socket.Sockets) (net.Listener, error) {
	switch serve := s.config.Serve; {
	case inherited.Unix != nil:
		return inherited.Unix, nil
	case serve.Unix == "":
		return nil, nil //nolint:nilnil // None is a good answer.
	default:
		opened, err := socket.ListenUnix(ctx, serve.Unix, socket.Allow(serve.UnixAllow))
		if err != nil {
			return nil, err
		}
		for _, warning := range opened.Warnings {
			s.log.Warn(warning)
		}
		return opened, nil
	}
}

// listenTCP is nil where there is to be no such socket.
func (s *Server) listenTCP(ctx context.Context, inherited socket.Sockets) (net.Listener, error) {
	opened, said, err := s.openTCP(ctx, inherited)
	if err != nil || opened == nil || socket.IsLoopback(opened.Addr()) || s.certificate.isSet() {
		return opened, err
	}
	// What a name stands for is known by now.
	if !s.config.Serve.TCPPlaintext {
		return opened, fmt.Errorf("%s: %w", said, ErrPlaintext)
	}
	s.log.Warn("TCP has no TLS: whoever can read the network reads tokens and credentials", "address", opened.Addr())
	return opened, nil
}

// openTCP also returns who said where.
func (s *Server) openTCP(ctx context.Context, inherited socket.Sockets) (opened net.Listener, said string, err error) {
	address := s.config.Serve.TCP
	switch {
	case inherited.TCP != nil:
		said = fmt.Sprintf("the socket %v that LISTEN_FDS has passed", inherited.TCP.Addr())
		if address == "" {
			return nil, said, fmt.Errorf("%s: %w", said, ErrNoTCP)
		}
		return inherited.TCP, said, nil
	case address == "":
		return nil, "", nil
	default:
		opened, err = socket.ListenTCP(ctx, address)
		return opened, "serve.tcp " + address, err
	}
}

// makeTokens makes the tokens that the configuration leaves to the server. It comes after the unix socket, which makes
// their directory, and before anybody can ask.
func (s *Server) makeTokens(sockets []net.Listener) error {
	directory := s.config.Serve.Tokens.Dir
	if directory == "" || len(sockets) == 0 {
		return nil
	}
	// A socket of ours has made it, and may have opened it to those who are allowed.
	if _, ours := sockets[0].(*socket.Unix); !ours {
		if err := socket.MakeDirectory(directory); err != nil {
			return fmt.Errorf("%w: %w", ErrTokens, err)
		}
	}
	if err := fillTokens(&s.config.Serve.Tokens); err != nil {
		return fmt.Errorf("%w: %w", ErrTokens, err)
	}
	s.admit(s.config.Serve)
	return nil
}

// fillTokens reads the tokens that the server keeps itself, and makes those that are missing. They go into the
// configuration, as its next reading finds them.
func fillTokens(tokens *config.Tokens) (err error) {
	if tokens.Dir != "" {
		tokens.Child, tokens.Operator, err = access.EnsureTokens(tokens.Dir)
	}
	return err
}
