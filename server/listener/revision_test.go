package listener_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

func TestFirstRevision(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		now  time.Time
		want uint64
	}{
		"milliseconds":     {time.UnixMilli(1_790_000_000_123), 1_790_000_000_123},
		"parts are cut":    {time.UnixMilli(5).Add(999 * time.Microsecond), 5},
		"zone is nothing":  {time.UnixMilli(7).In(time.FixedZone("", 3600)), 7},
		"epoch":            {time.Unix(0, 0), 1},
		"before the epoch": {time.Unix(-1, 0), 1},
		"zero time":        {time.Time{}, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := listener.FirstRevision(test.now); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

// A server that changed once a millisecond all its life starts again: its revisions go on above the old ones.
func TestRevisionsGoOnAfterRestart(t *testing.T) {
	t.Parallel()
	start := time.UnixMilli(1_790_000_000_000)
	before := listener.NewRegistry(listener.FirstRevision(start))
	const changes = 50
	for port := range rules.Port(changes) {
		configure(t, before, config(t, "default", "0.0.0.0", port+1))
	}
	after := listener.NewRegistry(listener.FirstRevision(start.Add(changes * time.Millisecond)))
	configure(t, after, config(t, "default", "0.0.0.0", 1))
	if old, now := before.Snapshot().Revision, after.Snapshot().Revision; now <= old {
		t.Errorf("revision went from %d to %d", old, now)
	}
}

// The whole life of a registry, a step at a time. The revision of the snapshot stands under "".
func TestRevisions(t *testing.T) {
	t.Parallel()
	a, b, c := config(t, "a", "0.0.0.0", 1), config(t, "b", "0.0.0.0", 2), config(t, "c", "0.0.0.0", 3)
	type revs = map[string]uint64
	steps := []struct {
		name string
		do   func(*listener.Registry)
		want revs
	}{
		{"three at once take one", func(r *listener.Registry) { configure(t, r, a, b, c) }, revs{"": 101, "a": 101, "b": 101, "c": 101}},
		{"the same takes none", func(r *listener.Registry) { configure(t, r, a, b, c) }, revs{"": 101, "a": 101, "b": 101, "c": 101}},
		{"another order takes none", func(r *listener.Registry) { configure(t, r, c, a, b) }, revs{"": 101, "a": 101, "b": 101, "c": 101}},
		{"one changes, others keep theirs", func(r *listener.Registry) { configure(t, r, a, moved(b), c) }, revs{"": 102, "a": 101, "b": 102, "c": 101}},
		{"two change in one step", func(r *listener.Registry) { configure(t, r, moved(a), b, c) }, revs{"": 103, "a": 103, "b": 103, "c": 101}},
		{"one goes", func(r *listener.Registry) { configure(t, r, moved(a), b) }, revs{"": 104, "a": 103, "b": 103}},
		{"it comes back as it was", func(r *listener.Registry) { configure(t, r, moved(a), b, c) }, revs{"": 105, "a": 103, "b": 103, "c": 105}},
		{"a report", func(r *listener.Registry) { report(t, r, "b", bind(t, "127.0.0.1", 80)) }, revs{"": 106, "a": 103, "b": 106, "c": 105}},
		{"the same report takes none", func(r *listener.Registry) { report(t, r, "b", bind(t, "127.0.0.1", 80)) }, revs{"": 106, "a": 103, "b": 106, "c": 105}},
		{"what a report hides takes none", func(r *listener.Registry) { configure(t, r, moved(a), moved(b), c) }, revs{"": 106, "a": 103, "b": 106, "c": 105}},
		{"a report is withdrawn", func(r *listener.Registry) { withdraw(t, r, "b") }, revs{"": 107, "a": 103, "b": 107, "c": 105}},
		{"withdrawing again takes none", func(r *listener.Registry) { withdraw(t, r, "b") }, revs{"": 107, "a": 103, "b": 107, "c": 105}},
		{"all go", func(r *listener.Registry) { configure(t, r) }, revs{"": 108}},
		{"none stays none", func(r *listener.Registry) { configure(t, r) }, revs{"": 108}},
	}
	registry := listener.NewRegistry(first)
	for _, step := range steps {
		step.do(registry)
		if diff := cmp.Diff(step.want, revisions(registry)); diff != "" {
			t.Fatalf("%s: -want +got\n%s", step.name, diff)
		}
	}
}

// moved is the listener on another port.
func moved(config listener.Config) listener.Config {
	config.Bind.Port += 1000
	return config
}

// Everything that an answer is made of counts as a change.
func TestWhatCountsAsChange(t *testing.T) {
	t.Parallel()
	target, err := rules.ParseTarget("10.0.0.7")
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string]func(*listener.Config){
		"bind host":    func(c *listener.Config) { c.Bind = bind(t, "127.0.0.1", 9119) },
		"its spelling": func(c *listener.Config) { c.Bind.Text = "0" },
		"its source":   func(c *listener.Config) { c.Bind.Source = "env DIALPOINT_BIND_HOST" },
		"bind port":    func(c *listener.Config) { c.Bind.Port = 80 },
		"ipv6_only":    func(c *listener.Config) { c.Bind.IPv6Only = new(false) },
		"tls":          func(c *listener.Config) { c.Bind.TLS = true },
		"override":     func(c *listener.Config) { c.Override = target },
		"advertise":    func(c *listener.Config) { c.Advertise = target },
		"base path":    func(c *listener.Config) { c.BasePath = "/hermes" },
		"gateway path": func(c *listener.Config) { c.GatewayPath = "/rpc" },
		"sidecar path": func(c *listener.Config) { c.SidecarPath = "/events" },
		"auth mode":    func(c *listener.Config) { c.Auth.Mode = rules.AuthInternal },
		"credential":   func(c *listener.Config) { c.Auth.Credential = rules.NewSecret("other") },
		"warnings":     func(c *listener.Config) { c.Warnings = []string{"other"} },
	}
	full := config(t, "default", "0.0.0.0", 9119)
	full.Auth = rules.Auth{Mode: rules.AuthToken, Credential: rules.NewSecret("t")}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			registry, changed := registry(t, full), full
			change(&changed)
			configure(t, registry, changed)
			if got := get(t, registry, "default").Revision; got != first+2 {
				t.Errorf("revision is %d, want %d", got, first+2)
			}
		})
	}
}

// Equal values in other places of memory are no change: a reload reads everything anew.
func TestWhatCountsAsNoChange(t *testing.T) {
	t.Parallel()
	full := func() listener.Config {
		made := config(t, "default", "::", 9119)
		made.Bind.IPv6Only = new(true)
		made.Warnings = []string{"one"}
		made.Auth = rules.Auth{Mode: rules.AuthToken, Credential: rules.NewSecret(string([]byte("secret")))}
		return made
	}
	bare := config(t, "other", "0.0.0.0", 80)
	registry := registry(t, full(), bare)
	bare.Warnings = []string{}
	configure(t, registry, full(), bare)
	if got := registry.Snapshot().Revision; got != first+1 {
		t.Errorf("revision is %d, want %d", got, first+1)
	}
}

func TestRevisionNeverRepeats(t *testing.T) {
	t.Parallel()
	registry := listener.NewRegistry(math.MaxUint32)
	seen := map[uint64]bool{}
	for step := range 200 {
		switch step % 4 {
		case 0:
			configure(t, registry, config(t, "default", "0.0.0.0", 1))
		case 1:
			report(t, registry, "default", bind(t, "127.0.0.1", 2))
		case 2:
			withdraw(t, registry, "default")
		case 3:
			configure(t, registry)
		}
		now := registry.Snapshot().Revision
		if seen[now] {
			t.Fatalf("revision %d came again in step %d", now, step)
		}
		seen[now] = true
	}
}
