// Package probe finds out which listeners on an IPv6 wildcard refuse IPv4, where nobody has said.
//
// That is not to be seen in a bind of "::": a socket of Go's takes both families, one of Python's asyncio takes IPv6 alone,
// whatever the system's default is, and a child that is sent to 127.0.0.1 is refused there. So the service tries both
// loopback addresses itself, in the background, and says what it found to the registry. It does so for listeners on its
// own machine alone: all that there are.
package probe

import (
	"context"
	"log/slog"

	"dialpoint/server/listener"
)

// Prober probes the listeners of a registry.
type Prober struct {
	registry *listener.Registry
	log      *slog.Logger
	connect  connectFunc

	// changed and again are mailboxes of one.
	changed, again chan struct{}
	// probes are those that run, or have found what there is to find, by the listener's name. Run alone touches them.
	probes map[string]*running
}

// running is the probe of a listener that has been bound alike since then.
type running struct {
	bindRevision uint64
	cancel       context.CancelFunc
	ended        <-chan struct{}
}

// New is a prober that does nothing before [Prober.Run].
func New(registry *listener.Registry, log *slog.Logger) *Prober {
	prober := &Prober{
		registry: registry,
		log:      log,
		connect:  connect,
		changed:  make(chan struct{}, 1),
		again:    make(chan struct{}, 1),
		probes:   map[string]*running{},
	}
	registry.OnChange(func(_, _ listener.Listener) { notify(prober.changed) })
	return prober
}

// Run probes each listener that needs it, once now and once whenever it is bound anew, until the context ends. Nothing
// that it has started is left when it returns.
func (p *Prober) Run(ctx context.Context) {
	defer p.forgetAll()
	for {
		p.review(ctx)
		select {
		case <-p.changed:
		case <-p.again:
			p.forgetAll()
		case <-ctx.Done():
			return
		}
	}
}

// Again makes the prober look at all listeners anew. It is for a reload: an operator who asks for one may know of a
// dashboard that was started otherwise. What was found before stands until something else is found.
func (p *Prober) Again() { notify(p.again) }

// review ends the probes of what is not so bound any more, and begins those that are missing.
func (p *Prober) review(ctx context.Context) {
	needed := map[string]listener.Listener{}
	for _, found := range p.registry.Snapshot().List() {
		if needs(found) {
			needed[found.Name] = found
		}
	}
	for name, probe := range p.probes {
		if probe.bindRevision != needed[name].BindRevision {
			p.forget(name)
		}
	}
	for name, found := range needed {
		if p.probes[name] == nil {
			p.probes[name] = p.begin(ctx, found)
		}
	}
}

// needs reports whether it is for a probe to find where local children must dial. An override has said it otherwise.
func needs(found listener.Listener) bool {
	return found.IsBound() && found.Bind.MayBeIPv6Only() && found.Override.IsZero()
}

func (p *Prober) begin(ctx context.Context, found listener.Listener) *running {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer cancel()
		p.probe(ctx, found)
	}()
	return &running{found.BindRevision, cancel, ended}
}

// forget ends a probe and waits for that, so that there are never two of one listener.
func (p *Prober) forget(name string) {
	p.probes[name].cancel()
	<-p.probes[name].ended
	delete(p.probes, name)
}

func (p *Prober) forgetAll() {
	for name := range p.probes {
		p.forget(name)
	}
}

// notify leaves a notice in a mailbox, unless one waits there.
func notify(mailbox chan<- struct{}) {
	select {
	case mailbox <- struct{}{}:
	default:
	}
}
