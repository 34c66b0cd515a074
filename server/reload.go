package server

import (
	"context"
	"reflect"
	"slices"

	"dialpoint/server/config"
)

// follow keeps the configuration up to date until the context ends.
func (s *Server) follow(ctx context.Context) {
	if s.loader == nil {
		return
	}
	handler := config.Handler{
		Apply:     s.reconfigure,
		Failed:    s.reloadFailed,
		Unchanged: s.reloadedSame,
	}
	if err := s.loader.Follow(ctx, s.config, handler); err != nil {
		s.log.Error("the configuration is not followed any more", "error", err)
	}
}

// reconfigure swaps a new configuration in whole.
func (s *Server) reconfigure(loaded *config.Config) error {
	if err := fillTokens(&loaded.Serve.Tokens); err != nil {
		return err
	}
	if err := s.certificate.set(loaded.Serve.TLS); err != nil {
		return err
	}
	// Who may call changes first: a new credential is not for whoever has an old token.
	s.admit(loaded.Serve)
	if err := s.registry.Configure(loaded.Listeners); err != nil {
		return err
	}
	for _, key := range needStart(s.config, loaded) {
		s.log.Warn("it has changed, and takes effect when the service is started again", "key", key)
	}
	for _, warning := range loaded.Warnings {
		s.log.Warn(warning)
	}
	s.prober.Again()
	s.config = loaded
	if s.reloaded != nil {
		s.reloaded(loaded)
	}
	s.health.setConfig(nil)
	s.log.Info("configuration loaded", "file", loaded.File, "revision", s.registry.Snapshot().Revision)
	return nil
}

// reloadedSame has no configuration to swap. What the configuration does not say may have changed all the same.
func (s *Server) reloadedSame() {
	s.prober.Again()
	s.log.Info("configuration unchanged")
}

// reloadFailed keeps the last good configuration.
func (s *Server) reloadFailed(err error) {
	s.health.setConfig(err)
	s.log.Error("configuration not loaded, the last good one stays in force", "error", err)
}

// needStart is the keys that differ and are read only when the service starts.
func needStart(now, loaded *config.Config) []string {
	var keys []string
	for key, differs := range map[string]bool{
		"serve.unix":          now.Serve.Unix != loaded.Serve.Unix,
		"serve.tcp":           now.Serve.TCP != loaded.Serve.TCP,
		"serve.tcp_plaintext": now.Serve.TCPPlaintext != loaded.Serve.TCPPlaintext,
		"serve.tls":           (now.Serve.TLS == nil) != (loaded.Serve.TLS == nil),
		// Who is no longer named is refused at once. Who is named now cannot reach the socket yet.
		"serve.unix_allow": !reflect.DeepEqual(now.Serve.UnixAllow, loaded.Serve.UnixAllow),
		"log.format":       now.Log.Format != loaded.Log.Format,
	} {
		if differs {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
