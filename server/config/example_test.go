package config_test

import (
	"fmt"

	"dialpoint/server/config"
)

// A dashboard of Hermes is configured by its own variables, without a file.
func ExampleLoader_Load() {
	environment := map[string]string{
		"HERMES_DASHBOARD_HOST":          "0.0.0.0",
		"HERMES_DASHBOARD_SESSION_TOKEN": "t",
	}
	loader := config.NewLoader(config.Sources{
		LookupEnv:   func(name string) (string, bool) { value, found := environment[name]; return value, found },
		Flags:       map[string]string{"bind-port": "9443", "tcp": "none"},
		DefaultUnix: "/run/dialpoint/dialpoint.sock",
	})
	loaded, err := loader.Load()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, setting := range loaded.Settings {
		if setting.Source != "default" {
			fmt.Println(setting.Key, setting.Value, "from", setting.Source)
		}
	}
	// Output:
	// serve.tcp none from flag --tcp
	// listeners[default].bind.host 0.0.0.0 from env HERMES_DASHBOARD_HOST
	// listeners[default].bind.port 9443 from flag --bind-port
	// listeners[default].auth.credential REDACTED from env HERMES_DASHBOARD_SESSION_TOKEN
}

// An operator sees everything that is wrong at once, and where.
func ExampleLoader_Load_refused() {
	environment := map[string]string{"HERMES_DASHBOARD_WS_HOST": "0.0.0.0"}
	loader := config.NewLoader(config.Sources{
		LookupEnv: func(name string) (string, bool) { value, found := environment[name]; return value, found },
		Flags:     map[string]string{"tcp": "127.0.0.1"},
	})
	_, err := loader.Load()
	fmt.Println(err)
	// Output:
	// flag --tcp: "127.0.0.1": must be host:port, such as 127.0.0.1:9118 or [::1]:9118, or none
	// env HERMES_DASHBOARD_WS_HOST: "0.0.0.0" is no target: a wildcard can be bound but not dialled; leave it out to let loopback take its place
}
