package listener_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// TestRegistryIsLikeItsModel drives a registry and its model through histories by chance: reports, renewals, the ends of
// leases, takeovers, withdrawals, reloads, and watches that are read at once or late. After each step all that can be
// seen of the registry must be as the model has it, and everybody who watches must have been told just what changed.
// Promises 1 and 4 of the project hold in every history.
func TestRegistryIsLikeItsModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rapid.SyncTest(t, func(t *rapid.T) {
			machine := newMachine()
			defer machine.close()
			t.Repeat(rapid.StateMachineActions(machine))
		})
	})
}

var (
	machineNames     = []string{"default", "a", "b"}
	machineInstances = []string{"x", "y", "z"}
	machineHosts     = []string{"0.0.0.0", "::", "", "127.0.0.1", "192.0.2.5"}
)

type machine struct {
	registry *listener.Registry
	model    *model
	watchers []*watcher
	// probing is the listeners of which a probe has begun, as they were then, by name.
	probing map[string]listener.Listener

	// told is what the hook for changes heard, by the listener's name. A timer may be who tells it.
	mu   sync.Mutex
	told map[string][]state
}

func newMachine() *machine {
	m := &machine{registry: listener.NewRegistry(first), model: newModel(), told: map[string][]state{}, probing: map[string]listener.Listener{}}
	m.registry.OnChange(func(before, after listener.Listener) {
		m.mu.Lock()
		defer m.mu.Unlock()
		name := before.Name + strings.TrimPrefix(after.Name, before.Name)
		m.told[name] = append(m.told[name], stateOf(after))
	})
	return m
}

func (m *machine) close() {
	for _, watcher := range m.watchers {
		watcher.close()
	}
	m.registry.Close()
	synctest.Wait()
}

func stateOf(found listener.Listener) state {
	return state{
		name: found.Name, bind: found.Bind, source: found.BindSource, instance: found.InstanceID,
		credential: found.Auth.Credential, revision: found.Revision,
	}
}

// drawBind is a bind on one of a few hosts and ports, so that the same one comes again now and then.
func drawBind(t *rapid.T, from int) rules.Bind {
	text := rapid.SampledFrom(machineHosts).Draw(t, "host")
	host, err := rules.ParseBindHost(text)
	if err != nil {
		t.Fatal(err)
	}
	return rules.Bind{Text: text, Host: host, Port: rules.Port(rapid.IntRange(from, 3).Draw(t, "port"))}
}

// drawTTL is a time to live of which no two leases end at once: which of them would get the lower revision is open.
func (m *machine) drawTTL(t *rapid.T) time.Duration {
	ttl := time.Duration(rapid.Int64Range(int64(listener.MinTTL), int64(30*time.Second)).Draw(t, "ttl"))
	for m.model.endsAt(m.model.now.Add(ttl)) {
		ttl++
	}
	return ttl
}

// Report may come from anybody, and so be refused.
func (m *machine) Report(t *rapid.T) {
	report := listener.Report{
		Name:       rapid.SampledFrom(append([]string{"nobody"}, machineNames...)).Draw(t, "name"),
		InstanceID: rapid.SampledFrom(machineInstances).Draw(t, "instance"),
		Bind:       drawBind(t, 1),
		Credential: rules.NewSecret(rapid.SampledFrom([]string{"", "", "s", "t"}).Draw(t, "credential")),
		TTL:        m.drawTTL(t),
		Takeover:   rapid.Bool().Draw(t, "takeover"),
	}
	m.report(t, report)
}

// Program is the program's own word, which need not be a whole one.
func (m *machine) Program(t *rapid.T) {
	name := rapid.SampledFrom(machineNames).Draw(t, "name")
	if rapid.Bool().Draw(t, "withdraw") {
		m.withdraw(t, name, "")
		return
	}
	m.report(t, listener.Report{Name: name, Bind: drawBind(t, 0)})
}

func (m *machine) report(t *rapid.T, report listener.Report) {
	taken, holder := m.model.report(report)
	found, err := m.registry.Report(report)
	if want := m.model.newest(report.Name); taken && stateOf(found) != want {
		t.Errorf("answered %+v, want %+v", stateOf(found), want)
	}
	wantRefusal(t, err, taken, holder)
}

// Renew says the same again.
func (m *machine) Renew(t *rapid.T) {
	known, exists := m.model.listeners[rapid.SampledFrom(machineNames).Draw(t, "name")]
	if !exists || known.held == nil {
		t.Skip("nothing to renew")
	}
	report, before := known.held.Report, m.registry.Snapshot()
	report.TTL = m.drawTTL(t)
	m.report(t, report)
	if m.registry.Snapshot() != before {
		t.Error("a renewal made a snapshot")
	}
}

// Withdraw may come from anybody, too.
func (m *machine) Withdraw(t *rapid.T) {
	m.withdraw(t, rapid.SampledFrom(append([]string{"nobody"}, machineNames...)).Draw(t, "name"),
		rapid.SampledFrom(machineInstances).Draw(t, "instance"))
}

func (m *machine) withdraw(t *rapid.T, name, instance string) {
	done, holder := m.model.withdraw(name, instance)
	wantRefusal(t, m.registry.Withdraw(name, instance), done, holder)
}

// wantRefusal checks that a call is refused just when the model refuses it, and says who holds the listener.
func wantRefusal(t *rapid.T, err error, allowed bool, holder string) {
	held, isHeld := errors.AsType[*listener.HeldError](err)
	switch {
	case allowed:
		if err != nil {
			t.Errorf("refused: %v", err)
		}
	case isHeld:
		if held.InstanceID != holder {
			t.Errorf("held by %q, want %q", held.InstanceID, holder)
		}
	case !errors.Is(err, listener.ErrNotConfigured) || holder != "":
		t.Errorf("error is %v, want that %q holds it", err, holder)
	}
}

// Pass lets time go by: to the end of a lease, to just before it, or some other time.
func (m *machine) Pass(t *rapid.T) {
	d := time.Duration(rapid.Int64Range(0, int64(20*time.Second)).Draw(t, "time"))
	if next := m.model.next(); next != nil && rapid.Bool().Draw(t, "to the end") {
		d = next.held.ends.Sub(m.model.now) - time.Duration(rapid.IntRange(0, 1).Draw(t, "before"))
	}
	m.model.pass(d)
	<-time.After(d)
}

// Reload configures some of the listeners, on some port or none.
func (m *machine) Reload(t *rapid.T) {
	var configs []listener.Config
	for _, name := range machineNames {
		if rapid.IntRange(0, 3).Draw(t, name) > 0 {
			configs = append(configs, listener.Config{Name: name, Listener: rules.Listener{Bind: drawBind(t, 0)}})
		}
	}
	m.model.configure(configs)
	if err := m.registry.Configure(configs); err != nil {
		t.Error(err)
	}
}

// Check compares all that can be seen.
func (m *machine) Check(t *rapid.T) {
	synctest.Wait()
	if got := m.registry.Snapshot().Revision; got != m.model.revision {
		t.Errorf("revision is %d, want %d", got, m.model.revision)
	}
	if got := len(m.registry.Snapshot().List()); got != len(m.model.listeners) {
		t.Errorf("there are %d listeners, want %d", got, len(m.model.listeners))
	}
	for _, name := range machineNames {
		m.checkListener(t, name)
		m.mu.Lock()
		wantHistory(t, "the hook", m.told[name], m.model.history[name])
		m.mu.Unlock()
	}
	for _, watcher := range m.watchers {
		watcher.check(t, m.model)
	}
}

func (m *machine) checkListener(t *rapid.T, name string) {
	want := m.model.newest(name)
	found, exists := m.registry.Snapshot().Get(name)
	known, expected := m.model.listeners[name]
	if got := stateOf(found); exists != expected || exists && got != want {
		t.Errorf("listener %q is %+v, want %+v", name, got, want)
	}
	if expected && known.held != nil && !found.LeaseExpires().Equal(known.held.ends) {
		t.Errorf("the lease of %q ends at %v, want %v", name, found.LeaseExpires(), known.held.ends)
	}
	if expected && known.held == nil && !found.LeaseExpires().IsZero() {
		t.Errorf("a lease of %q ends at %v, and there is none", name, found.LeaseExpires())
	}
	checkResolved(t, found, want)
}

// checkResolved checks that a listener which is bound can be dialled: where it listens, and never at a wildcard.
func checkResolved(t *rapid.T, found listener.Listener, want state) {
	endpoints, err := rules.Resolve(found.Listener, rules.Caller{Audience: rules.Local})
	if bound := want.bind.Port != 0; bound != (err == nil) {
		t.Errorf("resolving %+v: %v", want, err)
	}
	if err != nil {
		return
	}
	url := endpoints.Gateway.URL.Reveal()
	if endpoints.Explanation.DialHost.IsWildcard() || strings.Contains(url, "0.0.0.0") || strings.Contains(url, "[::]") {
		t.Errorf("%s holds a wildcard", url)
	}
	if endpoints.Credential.Value != want.credential || endpoints.Explanation.DialPort != want.bind.Port {
		t.Errorf("%s for %+v", url, want)
	}
}
