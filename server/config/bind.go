package config

import (
	"strings"

	"dialpoint/server/rules"
)

// What a host or a port is where only the other one is said: the defaults of a dashboard.
const (
	defaultBindHost = "127.0.0.1"
	defaultBindPort = "9119"
)

// bind reads what the listener listens on. With neither host nor port said it is unbound: nothing is guessed.
func (l *listenerReading) bind() rules.Bind {
	said := l.section.Bind
	port := l.bindPort()
	host := l.bindHost(port.isSaid())
	switch {
	case port.isSaid() == host.isSaid():
	case port.isSaid():
		host.text = defaultBindHost
	default:
		port.text = defaultBindPort
	}
	return l.readBind(host, port, said)
}

// readBind reads host and port once it is clear who says them. The settings show them even if they are not known.
func (l *listenerReading) readBind(host, port answer, said bindSection) rules.Bind {
	bind := rules.Bind{}
	l.set(l.question(atBindHost, nil).show, host.text, host.source)
	l.set(l.question(atBindPort, nil).show, port.text, port.source)
	if host.isSaid() || port.isSaid() {
		bind = rules.Bind{Text: host.text, Source: host.source, Host: l.hostOf(host), Port: l.portOf(port)}
	}
	bind.IPv6Only = l.ipv6Only(l.question(atIPv6Only, written(said.IPv6Only)))
	bind.TLS = parse(l.reading, l.question(atBindTLS, written(said.TLS)), "false", parseTruth)
	return bind
}

// bindHost is the first host that is said. One that is exactly empty is the wildcard if there is a port, as it is for
// listening calls, and nothing otherwise. The text is left as it was said.
func (l *listenerReading) bindHost(portSaid bool) answer {
	for _, said := range l.answers(l.question(atBindHost, written(l.section.Bind.Host))) {
		if strings.TrimSpace(said.text) != "" || said.text == "" && portSaid {
			return said
		}
	}
	return answer{source: fromDefault}
}

// bindPort is the first port that is said. A URL in a variable is not one, and every such variable is warned of: whoever
// set it for a port would look for it in vain.
func (l *listenerReading) bindPort() answer {
	found := answer{source: fromDefault}
	for _, said := range l.answers(l.question(atBindPort, written(l.section.Bind.Port))) {
		said.text = strings.TrimSpace(said.text)
		switch {
		case isServicePort(atBindPort, said):
			l.warn(said.where + " is ignored, since it holds a URL and no port, as Kubernetes sets it beside a Service of that " +
				"name: set DIALPOINT_BIND_PORT, or enableServiceLinks: false")
		case said.text != "" && !found.isSaid():
			found = said
		}
	}
	return found
}

// isServicePort reports whether a port variable is one that Kubernetes sets for a Service: "tcp://10.96.0.1:80".
func isServicePort(at place, said answer) bool {
	return at.key == atBindPort.key && said.fromEnv && strings.Contains(said.text, "://")
}

// hostOf is the host that was said. That an empty one is meant is clear by now.
func (l *listenerReading) hostOf(said answer) rules.Host {
	host, err := rules.ParseBindHost(said.text)
	if err != nil {
		l.refuse(said, err)
	}
	return host
}

// portOf is the port that was said. Zero is one that is not known, on purpose.
func (l *listenerReading) portOf(said answer) rules.Port {
	port, err := parsePort(said.text)
	if err != nil {
		l.refuse(said, err)
	}
	return port
}

// ipv6Only is nil where nothing is said: what the system does then depends on its settings and on the dashboard.
func (l *listenerReading) ipv6Only(q question) *bool {
	if q.file == nil {
		l.set(q.show, "", fromDefault)
		return nil
	}
	said := parse(l.reading, q, "", parseTruth)
	return &said
}
