package config

// key is one value's place in the file, and where it may be said beside that, in order of precedence: the flag, then
// each variable.
type key struct {
	// path is where it stands in its section of the file, such as "bind.host".
	path string
	// flag is its name without dashes. Empty is none.
	flag string
	// env are names of variables, the second a name of another system for the same.
	env []string
	// verbatim keeps quotes around a variable's value: they may be part of a credential.
	verbatim bool
}

// The keys of the server's values.
var (
	keyUnix           = key{path: "serve.unix", flag: "unix", env: []string{"DIALPOINT_UNIX"}}
	keyTCP            = key{path: "serve.tcp", flag: "tcp", env: []string{"DIALPOINT_TCP"}}
	keyPlaintext      = key{path: "serve.tcp_plaintext", flag: "tcp-plaintext"}
	keyCertificate    = key{path: "serve.tls.cert_file"}
	keyPrivateKey     = key{path: "serve.tls.key_file"}
	keyClientCA       = key{path: "serve.tls.client_ca_file"}
	keyMinVersion     = key{path: "serve.tls.min_version"}
	keyAllowedHosts   = key{path: "serve.allowed_hosts"}
	keyCalls          = key{path: "serve.limits.calls"}
	keyStreams        = key{path: "serve.limits.streams"}
	keyStreamsPerPeer = key{path: "serve.limits.streams_per_peer"}
	keyUnixAllow      = key{path: "serve.unix_allow"}
	keyChildToken     = key{path: "serve.child_token_file"}
	keyOperatorToken  = key{path: "serve.operator_token_file"}
	keyStore          = key{path: "store", env: []string{"DIALPOINT_STORE"}}
	keyLogLevel       = key{path: "log.level", env: []string{"DIALPOINT_LOG_LEVEL"}}
	keyLogFormat      = key{path: "log.format", env: []string{"DIALPOINT_LOG_FORMAT"}}
)

// The keys of a listener's values. The second names of variables are those of Hermes deployments.
var (
	keyBindHost    = key{path: "bind.host", flag: "bind-host", env: []string{"DIALPOINT_BIND_HOST", "HERMES_DASHBOARD_HOST"}}
	keyBindPort    = key{path: "bind.port", flag: "bind-port", env: []string{"DIALPOINT_BIND_PORT", "HERMES_DASHBOARD_PORT"}}
	keyIPv6Only    = key{path: "bind.ipv6_only"}
	keyBindTLS     = key{path: "bind.tls"}
	keyOverride    = key{path: "override", flag: "override", env: []string{"DIALPOINT_OVERRIDE", "HERMES_DASHBOARD_WS_HOST"}}
	keyAdvertise   = key{path: "advertise", flag: "advertise", env: []string{"DIALPOINT_ADVERTISE"}}
	keyBasePath    = key{path: "base_path"}
	keyGatewayPath = key{path: "gateway_path"}
	keySidecarPath = key{path: "sidecar_path"}
	keyAuthMode    = key{path: "auth.mode", env: []string{"DIALPOINT_AUTH_MODE"}}

	// A credential is said outright or as a file that holds it. The file's own key comes last.
	keyCredential       = key{path: "auth.credential", env: []string{"DIALPOINT_CREDENTIAL"}, verbatim: true}
	keyCredentialFile   = key{path: "auth.credential_file", env: []string{"DIALPOINT_CREDENTIAL_FILE"}}
	keySessionToken     = key{path: "auth.credential", env: []string{"HERMES_DASHBOARD_SESSION_TOKEN"}, verbatim: true}
	keyCredentialInFile = key{path: "auth.credential_file"}
)

// ofDefault are the keys that a flag or a variable may say of the default listener.
var ofDefault = []key{
	keyBindHost, keyBindPort, keyOverride, keyAdvertise, keyAuthMode, keyCredential, keyCredentialFile, keySessionToken,
}
