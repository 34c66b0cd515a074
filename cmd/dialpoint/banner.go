package main

import (
	"fmt"
	"net"
	"net/netip"
	"strings"

	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// banner is what serve shows first: where it listens, what each listener's children dial and why, and a call to try.
func banner(file string, sockets []net.Listener, listeners []listener.Listener) string {
	var text strings.Builder
	text.WriteString("dialpoint " + versionText() + "\n\n")
	text.WriteString(whereTable(file, sockets))
	for _, found := range listeners {
		text.WriteString("\nlistener " + found.Name + "\n" + listenerRows(found))
	}
	if len(listeners) > 0 {
		text.WriteString("\ntry it:\n  " + bufCurl(sockets, listeners[0].Name) + "\n\n")
	}
	return text.String()
}

func whereTable(file string, sockets []net.Listener) string {
	rows := newTable()
	for _, socket := range sockets {
		rows.row("  "+socket.Addr().Network(), socketURL(socket.Addr()))
	}
	rows.row("  config", orDash(file))
	return rows.String()
}

// listenerRows tells of one listener what a local child dials, and why.
func listenerRows(found listener.Listener) string {
	const exampleChannel = "CHANNEL"
	rows := newTable()
	if found.Bind.Source != "" {
		rows.row("  bind", hostPort(found.Bind.Text, uint32(found.Bind.Port))+"  ("+found.Bind.Source+")")
	}
	endpoints, err := rules.Resolve(found.Listener, rules.Caller{Audience: rules.Local, Channel: exampleChannel})
	if err != nil {
		rows.row("  waiting", err.Error())
		return rows.String()
	}
	why := endpoints.Explanation
	rows.row("  rule", fmt.Sprintf("%v  (%s)", why.Rule, why.Source))
	rows.row("  gateway", endpoints.Gateway.DisplayURL)
	rows.row("  sidecar", endpoints.Sidecar.DisplayURL)
	for _, warning := range why.Warnings {
		rows.row("  warning", warning)
	}
	return rows.String()
}

// socketURL is what a client on this machine dials. A wildcard is never shown: it can be bound but not dialled.
func socketURL(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return "unix://" + addr.String()
	}
	host := rules.AddrHost(tcp.AddrPort().Addr())
	if host.IsWildcard() {
		host = rules.AddrHost(netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	}
	return "http://" + host.Authority() + ":" + rules.Port(tcp.AddrPort().Port()).String()
}

// bufCurl is a command line that works when it is pasted.
func bufCurl(sockets []net.Listener, name string) string {
	last := sockets[len(sockets)-1].Addr()
	call := fmt.Sprintf(`buf curl -d '{"listener":%q,"channel":"demo"}'`, name)
	base := socketURL(last)
	if path, ok := strings.CutPrefix(base, "unix://"); ok {
		call += " --unix-socket " + quoted(path)
		base = "http://localhost"
	}
	return call + " " + base + dialpointv1connect.EndpointServiceResolveEndpointsProcedure
}

// quoted is a word for a POSIX shell.
func quoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
