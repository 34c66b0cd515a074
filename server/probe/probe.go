package probe

import (
	"context"
	"time"

	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

const (
	// firstWait and longestWait are between two looks at a port on which nothing listens yet. The wait doubles from one to
	// the other, and stays: a dashboard that is started by hand may come late, and looking costs a refusal a minute.
	firstWait   = 250 * time.Millisecond
	longestWait = time.Minute
	// settleTime is how long 127.0.0.1 must go on to refuse while ::1 accepts. Some dashboards open one socket for each
	// family, the one a moment after the other.
	settleTime = 250 * time.Millisecond
)

// probe looks until there is something to see, and says what to the registry.
func (p *Prober) probe(ctx context.Context, found listener.Listener) {
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		if seen := p.look(ctx, found.Bind.Port); seen != nothingKnown {
			p.settle(found, seen)
			return
		}
		if !pause(ctx, wait) {
			return
		}
	}
}

// settle says what was found to the registry, unless the listener is bound otherwise by now.
func (p *Prober) settle(found listener.Listener, seen outcome) {
	if !p.registry.SetProbed(found, seen == onlyIPv6Answers) {
		return
	}
	log := p.log.With("listener", found.Name, "port", found.Bind.Port)
	if seen == onlyIPv6Answers {
		log.Info("a probe found that only IPv6 answers, so that local children dial [::1]")
	} else {
		log.Debug("a probe found that IPv4 answers")
	}
}

// outcome is what a look at a port shows.
type outcome uint8

const (
	nothingKnown outcome = iota
	ipv4Answers
	onlyIPv6Answers
)

// look connects to the port on 127.0.0.1 and, if that is refused, on ::1. It goes by a clear refusal alone, twice: whoever
// does not answer at all, or cannot be asked, may well accept IPv4.
func (p *Prober) look(ctx context.Context, port rules.Port) outcome {
	if first := p.ask(ctx, ipv4, port); first != refused {
		return first.outcome()
	}
	if p.ask(ctx, ipv6, port) != accepted || !pause(ctx, settleTime) {
		return nothingKnown
	}
	if second := p.ask(ctx, ipv4, port); second != refused {
		return second.outcome()
	}
	return onlyIPv6Answers
}

// pause waits, unless the context ends before.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
