package config

// place is where a value may be said beside the file, in order of precedence: the flag, then each variable.
type place struct {
	// key is the value's key in its section.
	key string
	// flag is its name without dashes. Empty is none.
	flag string
	// env are names of variables, the second a name of another system for the same.
	env []string
	// verbatim keeps quotes around a variable's value: they may be part of a credential.
	verbatim bool
}

// The places of the server's values.
var (
	atUnix      = place{key: "serve.unix", flag: "unix", env: []string{"DIALPOINT_UNIX"}}
	atTCP       = place{key: "serve.tcp", flag: "tcp", env: []string{"DIALPOINT_TCP"}}
	atPlaintext = place{key: "serve.tcp_plaintext", flag: "tcp-plaintext"}
	atStore     = place{key: "store", env: []string{"DIALPOINT_STORE"}}
	atLogLevel  = place{key: "log.level", env: []string{"DIALPOINT_LOG_LEVEL"}}
	atLogFormat = place{key: "log.format", env: []string{"DIALPOINT_LOG_FORMAT"}}
)

// The places of a listener's values. The second names of variables are those of Hermes deployments.
var (
	atBindHost    = place{key: "bind.host", flag: "bind-host", env: []string{"DIALPOINT_BIND_HOST", "HERMES_DASHBOARD_HOST"}}
	atBindPort    = place{key: "bind.port", flag: "bind-port", env: []string{"DIALPOINT_BIND_PORT", "HERMES_DASHBOARD_PORT"}}
	atIPv6Only    = place{key: "bind.ipv6_only"}
	atBindTLS     = place{key: "bind.tls"}
	atOverride    = place{key: "override", flag: "override", env: []string{"DIALPOINT_OVERRIDE", "HERMES_DASHBOARD_WS_HOST"}}
	atAdvertise   = place{key: "advertise", flag: "advertise", env: []string{"DIALPOINT_ADVERTISE"}}
	atBasePath    = place{key: "base_path"}
	atGatewayPath = place{key: "gateway_path"}
	atSidecarPath = place{key: "sidecar_path"}
	atAuthMode    = place{key: "auth.mode", env: []string{"DIALPOINT_AUTH_MODE"}}

	// A credential is said outright or as a file that holds it. The file's own key comes last.
	atCredential       = place{key: "auth.credential", env: []string{"DIALPOINT_CREDENTIAL"}, verbatim: true}
	atCredentialFile   = place{key: "auth.credential_file", env: []string{"DIALPOINT_CREDENTIAL_FILE"}}
	atSessionToken     = place{key: "auth.credential", env: []string{"HERMES_DASHBOARD_SESSION_TOKEN"}, verbatim: true}
	atCredentialInFile = place{key: "auth.credential_file"}
)

// ofDefault are the places where the default listener alone is told about.
var ofDefault = []place{atBindHost, atBindPort, atOverride, atAdvertise, atAuthMode, atCredential, atCredentialFile, atSessionToken}
