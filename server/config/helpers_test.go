package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"dialpoint/server/config"
	"dialpoint/server/listener"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// vars is an environment.
type vars map[string]string

func (v vars) lookup(name string) (string, bool) {
	value, found := v[name]
	return value, found
}

// defaultUnix stands for the default socket. Nothing is beside it, whatever runs on this machine.
const defaultUnix = "/nonexistent/dialpoint.sock"

// sources are an environment alone.
func sources(environment vars) config.Sources {
	return config.Sources{LookupEnv: environment.lookup, DefaultUnix: defaultUnix}
}

// write makes a file that nobody else can read, and is its path.
func write(t testing.TB, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// fileSources are a file alone.
func fileSources(t testing.TB, name, content string) config.Sources {
	t.Helper()
	from := sources(nil)
	from.Path = write(t, t.TempDir(), name, content)
	return from
}

func load(t testing.TB, from config.Sources) *config.Config {
	t.Helper()
	loaded, err := config.NewLoader(from).Load()
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func loadYAML(t testing.TB, content string) *config.Config {
	t.Helper()
	return load(t, fileSources(t, "dialpoint.yaml", content))
}

// loadError is why a configuration is refused, with "FILE" for the path of its file.
func loadError(t testing.TB, from config.Sources) string {
	t.Helper()
	loaded, err := config.NewLoader(from).Load()
	switch {
	case err == nil:
		t.Fatalf("no error, and the settings\n%v", loaded.Settings)
	case loaded != nil:
		t.Error("there is a configuration beside the error")
	}
	if from.Path == "" {
		return err.Error()
	}
	return strings.ReplaceAll(err.Error(), from.Path, "FILE")
}

func loadErrorYAML(t testing.TB, content string) string {
	t.Helper()
	return loadError(t, fileSources(t, "dialpoint.yaml", content))
}

// setting is the value and the source of a key.
func setting(t testing.TB, loaded *config.Config, key string) (value, source string) {
	t.Helper()
	for _, one := range loaded.Settings {
		if one.Key == key {
			return one.Value, one.Source
		}
	}
	t.Fatalf("there is no setting %s among %v", key, loaded.Settings)
	return "", ""
}

// only is the one listener there is.
func only(t testing.TB, loaded *config.Config) listener.Config {
	t.Helper()
	if len(loaded.Listeners) != 1 {
		t.Fatalf("there are %d listeners, want one: %v", len(loaded.Listeners), loaded.Listeners)
	}
	return loaded.Listeners[0]
}

func wantText(t testing.TB, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func wantList(t testing.TB, what string, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s\n got %q\nwant %q", what, got, want)
	}
}

func writeOver(path, content string) error { return os.WriteFile(path, []byte(content), 0o600) }

func makeFIFO(t testing.TB, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}
