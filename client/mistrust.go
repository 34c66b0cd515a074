package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strings"

	"connectrpc.com/connect"
)

// mistrust is why client and service cannot speak TLS with each other. No new try can mend it.
type mistrust struct {
	// applies reports whether it is behind an error.
	applies func(error) bool
	code    connect.Code
	// what is the matter with the service, and what to do about it.
	what, advice string
}

const untrusted = "is not to be trusted"

// mistrusts are all that are told apart. The first that applies says the most.
var mistrusts = []mistrust{
	{
		isPlain, connect.CodeFailedPrecondition,
		"does not speak TLS", "write its address with http, if it is to be called without",
	},
	{
		is[x509.HostnameError], connect.CodeFailedPrecondition,
		untrusted, "call it by a name that its certificate holds",
	},
	{
		is[x509.CertificateInvalidError], connect.CodeFailedPrecondition,
		untrusted, "have its certificate replaced",
	},
	{
		is[*tls.CertificateVerificationError], connect.CodeFailedPrecondition,
		untrusted, "name the authority that vouches for it with " + caFile.flag + " or " + caFile.env,
	},
	{
		isRefusedByAlert, connect.CodeUnauthenticated,
		"does not accept this caller", "name a certificate that it trusts with " + certFile.flag + " and " + keyFile.flag,
	},
}

// mistrustOf finds the mistrust behind an error.
func mistrustOf(err error) (why mistrust, found bool) {
	for _, why := range mistrusts {
		if why.applies(err) {
			return why, true
		}
	}
	return mistrust{}, false
}

// is reports whether there is an error of a type behind another.
func is[T error](err error) bool {
	_, found := errors.AsType[T](err)
	return found
}

// isPlain reports whether the other side answered without TLS. Package net/http knows its own protocol when it sees it.
func isPlain(err error) bool {
	return is[tls.RecordHeaderError](err) || errors.Is(err, http.ErrSchemeMismatch)
}

// isRefusedByAlert reports whether the other side has refused the certificate of this one, or misses one: in TLS 1.2 the
// latter is a failure of the handshake (RFC 5246, section 7.4.6). Package crypto/tls tells alerts apart by their text.
func isRefusedByAlert(err error) bool {
	alert, found := errors.AsType[*net.OpError](err)
	if !found || alert.Op != "remote error" {
		return false
	}
	text := alert.Err.Error()
	return strings.Contains(text, "certificate") || strings.Contains(text, "handshake failure")
}
