// Package config reads what a server and its listeners are configured with.
//
// # Precedence
//
// Each value comes from the first of these that says something: a flag, an environment variable, the file, the default.
// Blank is nothing said, but for one case: a bind host that is exactly empty, in a flag or the file, together with a
// port is the wildcard, as it is for listening calls. The default listener alone heeds flags and environment:
//
//	value            flag             environment                                    default
//	bind.host        --bind-host      DIALPOINT_BIND_HOST, HERMES_DASHBOARD_HOST     127.0.0.1, if a port is said
//	bind.port        --bind-port      DIALPOINT_BIND_PORT, HERMES_DASHBOARD_PORT     9119, if a host is said
//	override         --override       DIALPOINT_OVERRIDE, HERMES_DASHBOARD_WS_HOST
//	advertise        --advertise      DIALPOINT_ADVERTISE
//	auth.mode                         DIALPOINT_AUTH_MODE                            token with a credential, else none
//	auth.credential                   DIALPOINT_CREDENTIAL, DIALPOINT_CREDENTIAL_FILE,
//	                                  HERMES_DASHBOARD_SESSION_TOKEN, then the file's auth.credential_file
//
// And for the server:
//
//	serve.unix          --unix           DIALPOINT_UNIX          the default socket
//	serve.tcp           --tcp            DIALPOINT_TCP           127.0.0.1:9118
//	serve.tcp_plaintext --tcp-plaintext                          false
//	store                                DIALPOINT_STORE         memory
//	log.level                            DIALPOINT_LOG_LEVEL     info
//	log.format                           DIALPOINT_LOG_FORMAT    text
//
// Other listeners are described by the file alone, as are the rest of a listener's values and of the section serve: TLS,
// allowed hosts and accounts, limits, tokens. HOST, PORT and HOSTNAME are never read: platforms set them for purposes of
// their own.
//
// # The file
//
// The file is strict: what is not known, not of its type, or not acted on is refused, so that nothing an operator
// writes is ever silently without effect. viper reads it, and does nothing else: it neither watches nor looks into the
// environment, and each load has a viper of its own. On the way, content passes these:
//
//  1. syntax.go refuses what the decoders of YAML and JSON let pass, and finds the line of an error.
//  2. shape.go compares keys with those of [document], before viper folds their case and drops the empty ones.
//  3. leaf.go takes values of the right type, and makes text of them.
//  4. From there on a value of the file is a [value] like that of a flag or a variable, and is parsed by the same code.
//  5. reserved.go refuses what this version would not act on.
//
// A pass goes on after a problem, so that the error holds all of them.
//
// # Changes
//
// [Loader.Follow] reads again when something changes. Each reading is whole: nothing is merged into what was before.
// It is swapped in whole or not at all, and while it is bad the last good one stays. What is watched is not the file but
// every directory entry that leads to it (pathentries.go), since editors, deployments and Kubernetes replace files, symlinks
// and directories rather than write to them.
//
// # Secrets
//
// A credential is in a variable or in a file of its own, never in the configuration file or a flag: those are shown,
// copied and listed. Tokens and keys are in files alone. No error, warning or setting holds one. For that reason no value
// is shown of a key that is not known, nor of a list or a section in the place of a value: a credential may have been put
// there. What is in a file that a key names is never shown either.
//
// The tokens that a server makes itself have no key. Where no token file is named and TCP is on, those beside the socket
// are read if they are there: see [Tokens].
package config
