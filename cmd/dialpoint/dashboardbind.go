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
	// configured is what the configuration says now, and port what was announced last. Zero is nothing yet.
	configured rules.Bind
	port       int
}

// configure takes what a configuration says. The error is that it does not have the listener.
func (d *dashboardBind) configure(now *config.Config) error {
	for _, found := range now.Listeners {
		if found.Name != cmp.Or(d.name, listener.DefaultName) {
			continue
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.configured = found.Bind
		return nil
	}
	return fmt.Errorf("--listener %q: the configuration has no such listener", cmp.Or(d.name, listener.DefaultName))
}

// reconfigure takes a new configuration over. A listener that was removed meanwhile has forgotten what was said of it.
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
	if d.port == 0 {
		return
	}
	host := d.configured.Text
	if d.configured.Host.IsZero() {
		host = defaultDashboardHost
	}
	bind := server.Bind{Host: host, Port: d.port, IPv6Only: d.configured.IPv6Only, TLS: d.configured.TLS}
	if err := d.set(d.name, bind); err != nil {
		d.log.Error("the dashboard's bind is not known to the service", "error", err)
	}
}

// ended takes everything back.
func (d *dashboardBind) ended() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.port = 0
	if err := d.set(d.name, server.Bind{}); err != nil {
		d.log.Warn("the dashboard's bind could not be taken back", "error", err)
	}
}
