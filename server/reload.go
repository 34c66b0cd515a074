package server

import (
	"context"

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
		Unchanged: func() { s.log.Info("configuration unchanged") },
	}
	if err := s.loader.Follow(ctx, s.config, handler); err != nil {
		s.log.Error("the configuration is not followed any more", "error", err)
	}
}

// reconfigure swaps a new configuration in whole.
func (s *Server) reconfigure(loaded *config.Config) error {
	if err := s.change(func() error { return s.registry.Configure(loaded.Listeners) }); err != nil {
		return err
	}
	if loaded.Serve != s.config.Serve {
		s.log.Warn("the section serve has changed: that takes effect when the service is started again")
	}
	if loaded.Log.Format != s.config.Log.Format {
		s.log.Warn("log.format has changed: that takes effect when the service is started again")
	}
	for _, warning := range loaded.Warnings {
		s.log.Warn(warning)
	}
	if s.reloaded != nil {
		s.reloaded(loaded)
	}
	s.health.setConfig(nil)
	s.log.Info("configuration loaded", "file", loaded.File, "revision", s.registry.Snapshot().Revision)
	return nil
}

// reloadFailed keeps the last good configuration.
func (s *Server) reloadFailed(err error) {
	s.health.setConfig(err)
	s.log.Error("configuration not loaded, the last good one stays in force", "error", err)
}
