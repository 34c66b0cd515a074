package server

import (
	"crypto/tls"
	"sync/atomic"

	"dialpoint/server/config"
)

// certificate is what TCP shows. It can change while connections are open: new ones see the new one.
type certificate struct {
	current atomic.Pointer[tls.Config]
	said    config.TLS
}

// set puts what is configured in its place. Nil leaves what there is.
func (c *certificate) set(said *config.TLS) error {
	if said == nil || *said == c.said {
		return nil
	}
	built, err := said.Config()
	if err != nil {
		return err
	}
	c.said = *said
	c.current.Store(built)
	return nil
}

// isSet reports whether TCP is to speak TLS.
func (c *certificate) isSet() bool { return c.current.Load() != nil }

// config looks the certificate up anew for each connection.
func (c *certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			return c.current.Load(), nil
		},
	}
}
