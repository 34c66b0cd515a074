package client_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dialpoint/client"
)

// env looks variables up in a map.
func env(variables map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, found := variables[name]
		return value, found
	}
}

func TestDefaultSocket(t *testing.T) {
	t.Parallel()
	const root, user = 0, 1000
	for name, test := range map[string]struct {
		env  map[string]string
		uid  int
		want string
	}{
		"runtime directory":          {map[string]string{"XDG_RUNTIME_DIR": "/run/user/1000", "TMPDIR": "/t"}, user, "/run/user/1000/dialpoint/dialpoint.sock"},
		"runtime directory of root":  {map[string]string{"XDG_RUNTIME_DIR": "/run/user/0"}, root, "/run/user/0/dialpoint/dialpoint.sock"},
		"relative runtime directory": {map[string]string{"XDG_RUNTIME_DIR": "run"}, user, "/tmp/dialpoint-1000/dialpoint.sock"},
		"blank runtime directory":    {map[string]string{"XDG_RUNTIME_DIR": " \r"}, root, "/run/dialpoint/dialpoint.sock"},
		"root":                       {map[string]string{"TMPDIR": "/t"}, root, "/run/dialpoint/dialpoint.sock"},
		"temporary directory":        {map[string]string{"TMPDIR": "/var/t/"}, user, "/var/t/dialpoint-1000/dialpoint.sock"},
		"blank temporary directory":  {map[string]string{"TMPDIR": ""}, user, "/tmp/dialpoint-1000/dialpoint.sock"},
		"nothing said":               {nil, user, "/tmp/dialpoint-1000/dialpoint.sock"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := client.DefaultSocketOf(env(test.env), test.uid); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestDefaultSocketOfThisUser(t *testing.T) {
	t.Parallel()
	none := env(nil)
	if got, want := client.DefaultSocket(none), client.DefaultSocketOf(none, os.Getuid()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDefaultAddress(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		env  map[string]string
		want string
	}{
		"said":                    {map[string]string{client.AddressEnv: "http://127.0.0.1:9118", "XDG_RUNTIME_DIR": "/r"}, "http://127.0.0.1:9118"},
		"said with white space":   {map[string]string{client.AddressEnv: " unix:///a\r\n"}, "unix:///a"},
		"blank":                   {map[string]string{client.AddressEnv: " \t", "XDG_RUNTIME_DIR": "/r"}, "unix:///r/dialpoint/dialpoint.sock"},
		"not said":                {map[string]string{"XDG_RUNTIME_DIR": "/r"}, "unix:///r/dialpoint/dialpoint.sock"},
		"said wrong, not checked": {map[string]string{client.AddressEnv: "nowhere"}, "nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := client.DefaultAddress(env(test.env)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestNewReadsTheEnvironment(t *testing.T) {
	for name, test := range map[string]struct{ given, said, want string }{
		"given":              {"unix:///given", "unix:///said", "unix:///given"},
		"said":               {"", "unix:///said", "unix:///said"},
		"blank is not given": {" \r", "unix:///said", "unix:///said"},
		"neither":            {"", "", "unix:///r/dialpoint/dialpoint.sock"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(client.AddressEnv, test.said)
			t.Setenv("XDG_RUNTIME_DIR", "/r")
			if got := connectTo(t, test.given).Addresses(); len(got) != 1 || got[0].String() != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestNewSaysWhereABadAddressCameFrom(t *testing.T) {
	const refused = " is no address of a Dialpoint service: "
	long := filepath.Join("/r", strings.Repeat("x", longestPath))
	for name, test := range map[string]struct{ given, said, want string }{
		"given":          {"nowhere", "unix:///said", `"nowhere"` + refused},
		"said":           {"", "nowhere", `env DIALPOINT_ADDR: "nowhere"` + refused},
		"default socket": {"", "", `default socket, since env DIALPOINT_ADDR is not set: "unix://` + long},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(client.AddressEnv, test.said)
			t.Setenv("XDG_RUNTIME_DIR", long)
			caller, err := client.New(test.given)
			if caller != nil || err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, error %v\nwant an error that begins %s", caller, err, test.want)
			}
		})
	}
}
