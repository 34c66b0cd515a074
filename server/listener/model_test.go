package listener_test

import (
	"time"

	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// model is what a registry must do, in the plainest words: no snapshots, no timers, no watches.
type model struct {
	now       time.Time
	revision  uint64
	listeners map[string]*modelListener
	// history is all that anybody may ever be told, by the listener's name.
	history map[string][]state
	// probes are what was found of the present binds, and since when these are so, by the listener's name.
	probes map[string]modelProbe
}

type modelProbe struct {
	since    uint64
	onlyIPv6 bool
}

type modelListener struct {
	configured rules.Bind
	held       *modelLease
}

type modelLease struct {
	listener.Report

	// ends is zero for the program itself.
	ends time.Time
}

// state is what can be seen of a listener. One that does not exist has no name.
type state struct {
	name       string
	bind       rules.Bind
	source     listener.BindSource
	instance   string
	credential rules.Secret
	revision   uint64
}

// boundAs reports whether somebody who looked at both saw one bind of one holder.
func (s state) boundAs(other state) bool {
	s.bind.OnlyIPv6Answers = other.bind.OnlyIPv6Answers
	return s.name == other.name && s.bind == other.bind && s.source == other.source && s.instance == other.instance
}

func newModel() *model {
	return &model{now: time.Now(), revision: first, listeners: map[string]*modelListener{}, history: map[string][]state{}, probes: map[string]modelProbe{}}
}

// newest is what must be seen of a listener now.
func (m *model) newest(name string) state {
	if past := m.history[name]; len(past) > 0 {
		return past[len(past)-1]
	}
	return state{}
}

// step does what takes one revision, if it changes anything.
func (m *model) step(change func()) {
	change()
	took := false
	for _, name := range machineNames {
		now, before := m.look(name), m.newest(name)
		if !now.boundAs(before) {
			m.probes[name] = modelProbe{since: m.revision + 1}
		}
		now.bind.OnlyIPv6Answers = m.probes[name].onlyIPv6
		if before.revision = 0; now != before {
			if took = true; now.name != "" {
				now.revision = m.revision + 1
			}
			m.history[name] = append(m.history[name], now)
		}
	}
	if took {
		m.revision++
	}
}

// look is the state without its revision.
func (m *model) look(name string) state {
	known, exists := m.listeners[name]
	if !exists {
		return state{}
	}
	now := state{name: name, bind: known.configured, source: listener.FromConfig}
	if held := known.held; held != nil {
		now.bind, now.source = held.Bind, listener.FromReport
		now.instance, now.credential = held.InstanceID, held.Credential
	}
	if now.bind.Port == 0 {
		now.source = listener.FromNobody
	}
	return now
}

// configure is a reload. A lease goes on if its listener does.
func (m *model) configure(configs []listener.Config) {
	m.step(func() {
		next := map[string]*modelListener{}
		for _, config := range configs {
			next[config.Name] = &modelListener{configured: config.Bind}
			if before, existed := m.listeners[config.Name]; existed {
				next[config.Name].held = before.held
			}
		}
		m.listeners = next
	})
}

// report says whether a report is taken, and by whom the listener is held if not.
func (m *model) report(report listener.Report) (taken bool, holder string) {
	known, exists := m.listeners[report.Name]
	if !exists {
		return false, ""
	}
	program := report.InstanceID == ""
	if held := known.held; held != nil && held.InstanceID != report.InstanceID && !program {
		if !report.Takeover || held.InstanceID == "" {
			return false, held.InstanceID
		}
	}
	m.step(func() {
		known.held = &modelLease{Report: report}
		if !program {
			known.held.ends = m.now.Add(report.TTL)
		}
	})
	return true, report.InstanceID
}

// withdraw says whether it is right that the lease is over.
func (m *model) withdraw(name, instance string) (done bool, holder string) {
	known, exists := m.listeners[name]
	switch {
	case !exists:
		return false, ""
	case known.held == nil:
		return true, ""
	case known.held.InstanceID != instance:
		return false, known.held.InstanceID
	}
	m.step(func() { known.held = nil })
	return true, instance
}

// probe says whether what was found of a bind that is so since then still counts.
func (m *model) probe(name string, since uint64, onlyIPv6 bool) bool {
	known, probed := m.probes[name]
	if !probed || known.since != since || m.newest(name).bind.Port == 0 {
		return false
	}
	m.step(func() { m.probes[name] = modelProbe{since, onlyIPv6} })
	return true
}

// next is the lease that ends first.
func (m *model) next() *modelListener {
	var found *modelListener
	for _, known := range m.listeners {
		if known.held == nil || known.held.ends.IsZero() {
			continue
		}
		if found == nil || known.held.ends.Before(found.held.ends) {
			found = known
		}
	}
	return found
}

// pass lets time go by. Each lease that ends takes a step of its own, at its own time.
func (m *model) pass(d time.Duration) {
	m.now = m.now.Add(d)
	for known := m.next(); known != nil && !known.held.ends.After(m.now); known = m.next() {
		m.step(func() { known.held = nil })
	}
}

// endsAt reports whether a lease ends at that time already.
func (m *model) endsAt(at time.Time) bool {
	for _, known := range m.listeners {
		if known.held != nil && known.held.ends.Equal(at) {
			return true
		}
	}
	return false
}
