package config

import (
	"errors"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"unicode"

	"dialpoint/server/rules"
)

const (
	// defaultTCP is loopback, which needs neither TLS nor trust.
	defaultTCP = "127.0.0.1:9118"
	// off is what turns a socket off.
	off = "none"
	// maxUnixPath is what fits into a socket address beside its final zero byte, in bytes (unix(7), sun_path).
	maxUnixPath = 107
)

var errNothingToServe = errors.New("serve.unix and serve.tcp are both none: turn one of them on")

// noEffectWithoutTCP is said of keys that are about TCP alone.
const noEffectWithoutTCP = " has no effect, since serve.tcp is none"

// serve reads where the server listens, and who may call it. The order is that of the settings. Whether it may listen
// there is checked once all that matters for it is known.
func (r *reading) serve() Serve {
	said := r.document.Serve
	unix := r.unix(r.server(keyUnix, written(said.Unix)))
	tcp, tcpSaid := r.tcp(r.server(keyTCP, written(said.TCP)))
	trusted := parse(r, r.server(keyPlaintext, written(said.TCPPlaintext)), "false", parseTruth)
	secure := r.tls()
	r.checkTCP(tcp, tcpSaid, trusted, secure != nil)
	if unix == off && tcp.text == off {
		r.problem(errNothingToServe)
	}
	return Serve{
		Unix: unlessOff(unix), TCP: unlessOff(tcp.text), TCPPlaintext: trusted, TLS: secure,
		AllowedHosts: r.allowedHosts(tcp),
		Limits:       r.limits(),
		UnixAllow:    r.unixAllow(unix),
		Tokens:       r.tokens(unix, tcp),
	}
}

// unlessOff is the text as [Serve] has it, where off is empty. The settings say off as the operator would.
func unlessOff(text string) string {
	if text == off {
		return ""
	}
	return text
}

// unix is the socket's path or off. It is empty where there is a problem.
func (r *reading) unix(q query) string {
	otherwise := r.sources.DefaultUnix
	if otherwise == "" {
		otherwise = off
	}
	said := r.lookup(q, otherwise)
	path, err := parseUnix(said.text)
	if err != nil {
		r.refuse(said, err)
		path = ""
	}
	r.set(q.show, path, said.source)
	return path
}

// parseUnix is the absolute path of a socket: whoever is told of it may have another working directory.
func parseUnix(text string) (string, error) {
	switch {
	case text == off:
		return off, nil
	case strings.Contains(text, "://"):
		return "", badValue(text, "must be a path, without a scheme")
	case strings.HasPrefix(text, "@"):
		return "", badValue(text, "must be the path of a file: no permissions guard an abstract socket")
	case strings.ContainsFunc(text, unicode.IsControl):
		return "", badValue(text, "must be a path of printable characters")
	}
	path, err := filepath.Abs(text)
	if err != nil {
		return "", badValue(text, "must be an absolute path: "+err.Error())
	}
	if len(path) > maxUnixPath {
		return "", badValue(path, "must be at most 107 bytes long, as an absolute path: name a shorter one with serve.unix (--unix, DIALPOINT_UNIX)")
	}
	return path, nil
}

// tcpAddress is an address to listen on. Its text is off, or empty where there is a problem.
type tcpAddress struct {
	text string
	// loopback is set where nobody but this machine can come in, which needs no TLS.
	loopback bool
}

// isOn is false where there is a problem, too.
func (t tcpAddress) isOn() bool { return t.text != "" && t.text != off }

// tcp is the address, and who said it.
func (r *reading) tcp(q query) (tcpAddress, value) {
	said := r.lookup(q, defaultTCP)
	address, err := parseTCP(said.text)
	if err != nil {
		r.refuse(said, err)
	}
	r.set(q.show, address.text, said.source)
	return address, said
}

// parseTCP reads host:port. The host is put in canonical form, so that what listens is what was checked.
func parseTCP(text string) (tcpAddress, error) {
	if text == off {
		return tcpAddress{text: off, loopback: true}, nil
	}
	hostText, portText, err := net.SplitHostPort(text)
	if err != nil {
		return tcpAddress{}, badValue(text, "must be host:port, such as "+defaultTCP+" or [::1]:9118, or none")
	}
	host, err := rules.ParseBindHost(hostText)
	if err != nil {
		return tcpAddress{}, err
	}
	port, err := parsePort(portText)
	if err != nil {
		return tcpAddress{}, err
	}
	return tcpAddress{net.JoinHostPort(listenHost(hostText, host), port.String()), isOnlyLoopback(host)}, nil
}

// listenHost is the host as [net.Listen] wants it: "" and "*" are all interfaces of both families.
func listenHost(said string, host rules.Host) string {
	if said == "" || said == "*" {
		return ""
	}
	return host.String()
}

// isOnlyLoopback does not take a name below localhost for loopback: a resolver may think otherwise.
func isOnlyLoopback(host rules.Host) bool {
	addr, err := netip.ParseAddr(host.String())
	return host.String() == "localhost" || err == nil && addr.IsLoopback()
}

// checkTCP refuses an address that others can reach without TLS, unless the operator says that they are trusted. It
// warns of what has no effect.
func (r *reading) checkTCP(tcp tcpAddress, said value, trusted, secure bool) {
	switch {
	case secure && tcp.text == off:
		r.warn("serve.tls" + noEffectWithoutTCP)
	case secure && trusted:
		r.warn("serve.tcp_plaintext has no effect, since serve.tls is set")
	case !secure && tcp.isOn() && !tcp.loopback:
		r.checkPlaintext(tcp.text, said, trusted)
	}
}

func (r *reading) checkPlaintext(address string, said value, trusted bool) {
	if !trusted {
		r.refuse(said, badValue(said.text, "needs TLS, since others than this machine can reach it: set serve.tls.cert_file and "+
			"serve.tls.key_file, or listen on loopback, or set serve.tcp_plaintext (--tcp-plaintext) if the network is trusted"))
		return
	}
	r.warn("TCP at " + address + " (" + said.source + ") has no TLS: whoever can read the network reads tokens and credentials")
}
