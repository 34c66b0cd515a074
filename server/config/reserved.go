package config

import (
	"fmt"

	"dialpoint/server/rules"
)

// notYet begins what is said of such a key, and says that it was understood.
const notYet = "this version does not act on it yet: "

// refuseReserved refuses keys that are known but have no effect yet, unless they say what holds anyway. What an operator
// asks for is never accepted and then not done.
func (r *reading) refuseReserved() {
	etcd, node := r.document.Etcd, r.document.Node
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
func reserveList(r *reading, key string, said []*text) {
	if len(said) > 0 {
		r.problem(fmt.Errorf("file %s: %s: %smust be [] or left out", r.file, key, notYet))
	}
}
