package listener_test

import (
	"pgregory.net/rapid"
)

// BeginProbe looks at a listener, of which something will be found only later. Meanwhile much may happen to it.
func (m *machine) BeginProbe(t *rapid.T) {
	name := rapid.SampledFrom(machineNames).Draw(t, "name")
	found, exists := m.registry.Snapshot().Get(name)
	if !exists {
		t.Skip("nothing to probe")
	}
	m.probing[name] = found
}

// EndProbe says what was found of a listener as it was when the probe began.
func (m *machine) EndProbe(t *rapid.T) {
	probed, began := m.probing[rapid.SampledFrom(machineNames).Draw(t, "name")]
	if !began {
		t.Skip("no probe to end")
	}
	onlyIPv6 := rapid.Bool().Draw(t, "only IPv6 answers")
	want := m.model.probe(probed.Name, probed.BindRevision, onlyIPv6)
	if got := m.registry.SetProbed(probed, onlyIPv6); got != want {
		t.Errorf("what was found counts: %t, want %t", got, want)
	}
}
