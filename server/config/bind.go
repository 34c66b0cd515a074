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
	host := l.bindHost(port.isSet())
	switch {
	case port.isSet() == host.isSet():
	case port.isSet():
		host.text = defaultBindHost
	default:
		port.text = defaultBindPort
	}
	return l.readBind(host, port, said)
}

// readBind reads host and port once it is clear who says them. The settings show them even if they are not known.
func (l *listenerReading) readBind(host, port value, said bindSection) rules.Bind {
	bind := rules.Bind{}
	l.set(l.query(keyBindHost, nil).show, host.text, host.source)
	l.set(l.query(keyBindPort, nil).show, port.text, port.source)
	if host.isSet() || port.isSet() {
		bind = rules.Bind{Text: host.text, Source: host.source, Host: l.hostOf(host), Port: l.portOf(port)}
	}
	bind.IPv6Only = l.ipv6Only(l.query(keyIPv6Only, written(said.IPv6Only)))
	bind.TLS = parse(l.reading, l.query(keyBindTLS, written(said.TLS)), "false", parseTruth)
	return bind
}

// bindHost is the first host that is said. One that is exactly empty is the wildcard if there is a port, as it is for
// listening calls, and nothing otherwise. The text is left as it was said.
func (l *listenerReading) bindHost(portSaid bool) value {
	for _, said := range l.values(l.query(keyBindHost, written(l.section.Bind.Host))) {
		if strings.TrimSpace(said.text) != "" || said.text == "" && portSaid {
			return said
		}
	}
	return value{source: fromDefault}
}

// bindPort is the first port that is said. A URL in a variable is not one, and every such variable is warned of: whoever
// set it for a port would look for it in vain.
func (l *listenerReading) bindPort() value {
	found := value{source: fromDefault}
	for _, said := range l.values(l.query(keyBindPort, written(l.section.Bind.Port))) {
		said.text = strings.TrimSpace(said.text)
		switch {
		case isServicePort(keyBindPort, said):
			l.warn(said.where + " is ignored, since it holds a URL and no port, as Kubernetes sets it beside a Service of that " +
				"name: set DIALPOINT_BIND_PORT, or enableServiceLinks: false")
		case said.text != "" && !found.isSet():
			found = said
		}
	}
	return found
}

// isServicePort reports whether a port variable is one that Kubernetes sets for a Service: "tcp://10.96.0.1:80".
func isServicePort(at key, said value) bool {
	return at.path == keyBindPort.path && said.fromEnv && strings.Contains(said.text, "://")
}

// hostOf is the host that was said. That an empty one is meant is clear by now.
func (l *listenerReading) hostOf(said value) rules.Host {
	host, err := rules.ParseBindHost(said.text)
	if err != nil {
		l.refuse(said, err)
	}
	return host
}

// portOf is the port that was said. Zero is one that is not known, on purpose.
func (l *listenerReading) portOf(said value) rules.Port {
	port, err := parsePort(said.text)
	if err != nil {
		l.refuse(said, err)
	}
	return port
}

// ipv6Only is nil where nothing is said: what the system does then depends on its settings and on the dashboard.
func (l *listenerReading) ipv6Only(q query) *bool {
	if q.file == nil {
		l.set(q.show, "", fromDefault)
		return nil
	}
	said := parse(l.reading, q, "", parseTruth)
	return &said
}
