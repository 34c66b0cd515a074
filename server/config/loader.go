package config

import (
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Sources is where a configuration comes from.
type Sources struct {
	// Path is the file that --config names. Empty leaves it to DIALPOINT_CONFIG, then to SearchDirs; that none is
	// found is no error then.
	Path string
	// Flags are those given on the command line, by name without dashes: unix, tcp, tcp-plaintext, bind-host,
	// bind-port, override, advertise. Other names are not looked at.
	Flags map[string]string
	// LookupEnv looks into the environment, as [os.LookupEnv] does. Nil is an empty environment.
	LookupEnv func(string) (string, bool)
	// DefaultUnix is the socket where serve.unix says nothing. Empty is none. The server's own tokens are kept beside it
	// where serve.unix is none.
	DefaultUnix string
	// SearchDirs are searched for a file, as a rule those of the function [SearchDirs]. Nil is no search.
	SearchDirs []string
}

// SearchDirs are the directories that may hold a configuration file, the first that does wins: the working directory,
// dialpoint below the user's own directory for configuration (see [os.UserConfigDir]), and /etc/dialpoint. Empty is a
// user without such a directory.
func SearchDirs(userConfigDir string) []string {
	dirs := []string{"./"}
	if userConfigDir != "" {
		dirs = append(dirs, filepath.Join(userConfigDir, "dialpoint"))
	}
	return append(dirs, "/etc/dialpoint")
}

// Loader loads a configuration, as often as wanted. It may be used by several goroutines.
type Loader struct {
	sources Sources
	// requested is a mailbox of one for [Loader.Reload].
	requested chan struct{}
	// newNotifier begins to watch files. A test takes events away with it.
	newNotifier func() (*fsnotify.Watcher, error)
	// routine is how often files are read without an event where there are events. A test takes such looks away with it.
	routine time.Duration
}

// NewLoader is a loader that has loaded nothing yet.
func NewLoader(sources Sources) *Loader {
	return &Loader{sources: sources, requested: make(chan struct{}, 1), newNotifier: fsnotify.NewWatcher, routine: slowCheck}
}

// Load reads everything afresh. The error is all that is wrong, joined: each part names the value, who said it, and what
// to do about it. There is never a configuration beside an error.
func (l *Loader) Load() (*Config, error) {
	found := l.read("")
	return found.config, found.err
}

// Reload asks [Loader.Follow] to read everything again, as SIGHUP does. It does not wait.
func (l *Loader) Reload() {
	select {
	case l.requested <- struct{}{}:
	default:
	}
}
