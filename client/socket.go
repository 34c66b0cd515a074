package client

import (
	"crypto/tls"
	"fmt"
	"net"
	"reflect"
	"syscall"
)

// ReportOf is the report of a TCP socket that listens. The host is what the operator wrote, since the socket does not
// know: one that is bound to 0.0.0.0 calls itself [::]. The port is the socket's own.
//
// A socket that is bound to the IPv6 wildcard is asked whether it refuses IPv4. It must be a [net.TCPListener] for that,
// or something that implements [syscall.Conn] as well. Of one behind a wrapper that does not, it stays unknown, and the
// service finds it out. The socket that [tls.Listen] or [tls.NewListener] returns speaks TLS; set Report.TLS where
// something else does, such as [net/http.Server.ServeTLS].
//
// The error says what is no TCP socket, or what the system has said.
func ReportOf(socket net.Listener, host string) (Report, error) {
	address, isTCP := socket.Addr().(*net.TCPAddr)
	if !isTCP {
		return Report{}, fmt.Errorf("%s socket %q has no port that could be reported; report a TCP socket", socket.Addr().Network(), socket.Addr())
	}
	report := Report{Host: host, Port: address.Port, TLS: isTLS(socket)}
	asked, canAsk := socket.(syscall.Conn)
	if !canAsk || address.IP.To4() != nil || !address.IP.IsUnspecified() {
		return report, nil
	}
	only, err := ipv6Only(asked)
	if err != nil {
		return Report{}, fmt.Errorf("the socket at %s does not say whether it refuses IPv4: %w", address, err)
	}
	report.IPv6Only = only
	return report, nil
}

// isTLS knows the sockets of package tls by their type, which has no exported name.
func isTLS(socket net.Listener) bool {
	return reflect.TypeOf(socket) == reflect.TypeOf(tls.NewListener(nil, nil))
}
