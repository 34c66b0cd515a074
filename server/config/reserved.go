package config

import (
	"fmt"

	"dialpoint/server/rules"
)

// notYet begins what is said of such a key, and says that it was understood.
const notYet = "this version does not act on it yet: "

// refuseReserved refuses keys that are known but have no effect yet, unless they say what holds anyway. What an operator
// asks for is never accepted and then not done: that may be a limit or a certificate.
func (r *reading) refuseReserved() {
	serve, etcd, node := r.document.Serve, r.document.Etcd, r.document.Node
	reserve(r, "serve.tls.cert_file", serve.TLS.CertFile, "")
	reserve(r, "serve.tls.key_file", serve.TLS.KeyFile, "")
	reserve(r, "serve.tls.client_ca_file", serve.TLS.ClientCAFile, "")
	reserve(r, "serve.tls.min_version", serve.TLS.MinVersion, "1.3")
	reserveList(r, "serve.allowed_hosts", serve.AllowedHosts)
	reserve(r, "serve.limits.calls", serve.Limits.Calls, "1024")
	reserve(r, "serve.limits.streams", serve.Limits.Streams, "16384")
	reserve(r, "serve.limits.streams_per_peer", serve.Limits.StreamsPerPeer, "4096")
	reserveList(r, "serve.unix_allow", serve.UnixAllow)
	reserve(r, "serve.child_token_file", serve.ChildTokenFile, "")
	reserve(r, "serve.operator_token_file", serve.OperatorTokenFile, "")
	reserveList(r, "etcd.endpoints", etcd.Endpoints)
	reserve(r, "etcd.prefix", etcd.Prefix, "/dialpoint")
	reserve(r, "etcd.username", etcd.Username, "")
	reserve(r, "etcd.password_file", etcd.PasswordFile, "")
	reserve(r, "etcd.tls.ca_file", etcd.TLS.CAFile, "")
	reserve(r, "etcd.tls.cert_file", etcd.TLS.CertFile, "")
	reserve(r, "etcd.tls.key_file", etcd.TLS.KeyFile, "")
	reserve(r, "node.name", node.Name, "")
	reserve(r, "node.address", node.Address, "")
}

// reserve refuses a value but one. The key in the document is a path, as an operator would look for it.
func reserve[T ~string](r *reading, key string, said *T, must T) {
	if said != nil && *said != must {
		r.problem(fmt.Errorf("file %s: %s: %s: %smust be %q or left out", r.file, key, rules.Quote(string(*said)), notYet, must))
	}
}

// reserveList refuses a list with items, and shows none: an item may be a URL with a password.
func reserveList(r *reading, key string, said []text) {
	if len(said) > 0 {
		r.problem(fmt.Errorf("file %s: %s: %smust be [] or left out", r.file, key, notYet))
	}
}
