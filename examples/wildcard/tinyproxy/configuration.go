package tinyproxy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// host is where the proxy listens.
const host = "127.0.0.1"

// ownPage is a name for which the proxy answers itself.
const ownPage = "tinyproxy.invalid"

// configuration has no LogFile, so that the log goes to standard output, and no ConnectPort, so that the proxy tunnels to
// every port.
const configuration = `Port %d
Listen ` + host + `
Allow ` + host + `
LogLevel Info
Timeout 60
MaxClients 20
StatHost "` + ownPage + `"
Filter %q
FilterType ere
`

// refused is what the proxy does not connect to, one extended regular expression a line.
//
// In hermes-agent issue 58993 the proxy could not reach the dashboard at 0.0.0.0, since it ran outside of the dashboard's
// container. Here it runs on the dashboard's machine, where Linux takes 0.0.0.0 for loopback, and the refusal stands in
// for that. Proxies have it anyway where they are set up with care: squid's acl to_localhost holds 0.0.0.0 and ::.
const refused = `^0\.0\.0\.0$
^\[?::\]?$
`

// configure writes the configuration into a directory, and returns its path.
func configure(dir string, port int) (string, error) {
	filter := filepath.Join(dir, "refused")
	config := filepath.Join(dir, "tinyproxy.conf")
	return config, errors.Join(
		os.WriteFile(filter, []byte(refused), 0o600),
		os.WriteFile(config, fmt.Appendf(nil, configuration, port, filter), 0o600),
	)
}
