package main

import (
	"cmp"
	"fmt"
	"log/slog"
	"sync"

	"dialpoint/server"
	"dialpoint/server/config"
	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// dashboardBind says to the service in this process what the dashboard in it has bound: the host that is configured, and
// the port that the dashboard announces.
type dashboardBind struct {
	// name is the listener's.
	name string
	log  *slog.Logger
	// set is [server.Server.SetBind].
	set func(name string, bind server.Bind) error

	mu sync.Mutex
	// configured is what the configuration said when the dashboard was started, and port what was announced last. Zero is
	// nothing yet.
	configured rules.Bind
	port       int
	// started is set once there is a configured, and over once the dashboard has ended.
	started, over bool
}

// configure takes what a configuration says. The error is that it does not have the listener.
func (d *dashboardBind) configure(now *config.Config) error {
	for _, found := range now.Listeners {
		if found.Name != cmp.Or(d.name, listener.DefaultName) {
			continue
		}
		d.take(found.Bind)
		return nil
	}
	return fmt.Errorf("--listener %q: the configuration has no such listener", cmp.Or(d.name, listener.DefaultName))
}

// take takes the bind that the dashboard is started with. A later one is for its next start: what it has bound does not
// change with a file.
func (d *dashboardBind) take(configured rules.Bind) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.started && !startsSame(d.configured, configured) {
		d.log.Warn("bind has changed: that takes effect when the dashboard is started again", "listener", d.name)
		return
	}
	d.configured, d.started = configured, true
}

// startsSame reports whether a dashboard would be started the same way: with the same text, whoever says it. The port is
// what it announces.
func startsSame(a, b rules.Bind) bool {
	a.Host, a.Source, a.Port = b.Host, b.Source, b.Port
	return a.SaysSame(b)
}

// reconfigure says again what is bound: a listener that was removed meanwhile has forgotten it.
func (d *dashboardBind) reconfigure(now *config.Config) {
	if err := d.configure(now); err != nil {
		d.log.Warn("the dashboard cannot be dialled", "error", err)
		return
	}
	d.say()
}

// announced takes a port.
func (d *dashboardBind) announced(port uint16) {
	d.mu.Lock()
	d.port = int(port)
	d.mu.Unlock()
	d.say()
}

// say says what is known, once there is a port.
func (d *dashboardBind) say() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.port == 0 || d.over {
		return
	}
	bind := server.Bind{Host: d.host(), Port: d.port, IPv6Only: d.configured.IPv6Only, TLS: d.configured.TLS}
	if err := d.set(d.name, bind); err != nil {
		d.log.Error("the dashboard's bind is not known to the service", "error", err)
	}
}

// ended says that nothing is bound any more, not even what is configured, and keeps quiet from then on.
func (d *dashboardBind) ended() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	if err := d.set(d.name, server.Bind{Host: d.host()}); err != nil {
		d.log.Warn("the dashboard's bind could not be taken back", "error", err)
	}
}

func (d *dashboardBind) host() string {
	if d.configured.Host.IsZero() {
		return defaultDashboardHost
	}
	return d.configured.Text
}
