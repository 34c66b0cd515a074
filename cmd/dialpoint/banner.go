package main

import (
	"fmt"
	"net"
	"net/netip"
	"strings"

	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/config"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// greeting is what serve shows first: where it listens, what each listener's children dial and why, and a call to try.
type greeting struct {
	config    *config.Config
	sockets   []net.Listener
	listeners []listener.Listener
}

func (g greeting) String() string {
	var text strings.Builder
	text.WriteString("dialpoint " + versionText() + "\n\n")
	text.WriteString(g.whereTable())
	for _, found := range g.listeners {
		text.WriteString("\nlistener " + found.Name + "\n" + listenerRows(found))
	}
	if len(g.listeners) > 0 {
		text.WriteString("\ntry it:\n  " + g.bufCurl(g.listeners[0].Name) + "\n\n")
	}
	return text.String()
}

func (g greeting) whereTable() string {
	rows := newTable()
	for _, socket := range g.sockets {
		rows.row("  "+socket.Addr().Network(), g.url(socket))
	}
	if token := g.tokenFile(); token != "" {
		rows.row("  token", token)
	}
	rows.row("  config", orDash(g.config.File))
	return rows.String()
}

// tokenFile is where the token is that callers over TCP show, that of children if there is one.
func (g greeting) tokenFile() string {
	for _, key := range []string{"serve.child_token_file", "serve.operator_token_file"} {
		for _, setting := range g.config.Settings {
			if setting.Key == key && setting.Value != "" {
				return setting.Value
			}
		}
	}
	return ""
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

func (g greeting) url(socket net.Listener) string {
	return socketURL(socket.Addr(), g.config.Serve.TLS != nil)
}

// socketURL is what a client on this machine dials. A wildcard is never shown: it can be bound but not dialled.
func socketURL(addr net.Addr, tls bool) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return "unix://" + addr.String()
	}
	scheme := "http://"
	if tls {
		scheme = "https://"
	}
	host := rules.AddrHost(tcp.AddrPort().Addr())
	if host.IsWildcard() {
		host = rules.AddrHost(netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	}
	return scheme + host.Authority() + ":" + rules.Port(tcp.AddrPort().Port()).String()
}

// bufCurl is a command line that works when it is pasted, and shows no token to who looks at the processes. The unix
// socket, which comes first, needs none.
func (g greeting) bufCurl(name string) string {
	call := fmt.Sprintf(`buf curl -d '{"listener":%q,"channel":"demo"}'`, name)
	base := g.url(g.sockets[0])
	if path, isUnix := strings.CutPrefix(base, "unix://"); isUnix {
		call += " --unix-socket " + quoted(path)
		base = "http://localhost"
	} else if token := g.tokenFile(); token != "" {
		call = `printf 'Authorization: Bearer %s\n' "$(cat ` + quoted(token) + `)" | ` + call + " -H @-"
	}
	return call + " " + base + dialpointv1connect.EndpointServiceResolveEndpointsProcedure
}

// quoted is a word for a POSIX shell.
func quoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
