package listener_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

// A report says what was bound. All else stays as it is configured.
func TestReportWinsOverConfiguredBind(t *testing.T) {
	t.Parallel()
	tests := map[string]rules.Bind{
		"bound":   bind(t, "0.0.0.0", 9119),
		"no port": bind(t, "0.0.0.0", 0),
		"nothing": {},
	}
	for name, configured := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			full := listener.Config{Name: "default", Listener: rules.Listener{
				Bind: configured, BasePath: "/hermes", Warnings: []string{"one"},
				Auth: rules.Auth{Mode: rules.AuthToken, Credential: rules.NewSecret("t")},
			}}
			registry := registry(t, full)
			before := get(t, registry, "default")
			reported := bind(t, "127.0.0.1", 40_001)
			report(t, registry, "default", reported)

			want := listener.Listener{Config: full, BindSource: listener.FromReport, Revision: first + 2, BindRevision: first + 2}
			want.Bind = reported
			if diff := cmp.Diff(want, get(t, registry, "default"), sameListeners); diff != "" {
				t.Errorf("after the report: -want +got\n%s", diff)
			}
			withdraw(t, registry, "default")
			before.Revision, before.BindRevision = first+3, first+3
			if diff := cmp.Diff(before, get(t, registry, "default"), sameListeners); diff != "" {
				t.Errorf("after withdrawing: -want +got\n%s", diff)
			}
		})
	}
}

func TestNewReportTakesThePlaceOfTheOld(t *testing.T) {
	t.Parallel()
	registry := registry(t, config(t, "default", "0.0.0.0", 9119))
	report(t, registry, "default", bind(t, "127.0.0.1", 1))
	report(t, registry, "default", bind(t, "127.0.0.1", 2))
	if found := get(t, registry, "default"); found.Bind.Port != 2 {
		t.Errorf("port is %d", found.Bind.Port)
	}
	withdraw(t, registry, "default")
	if found := get(t, registry, "default"); found.Bind.Port != 9119 {
		t.Errorf("port is %d after withdrawing", found.Bind.Port)
	}
}

func TestReportOfUnknownListener(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"other": `listener "other" is not configured`, "": `listener "default" is not configured`} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			registry := registry(t, config(t, "a", "0.0.0.0", 9119))
			before := registry.Snapshot()
			if _, err := registry.Report(listener.Report{Name: name, Bind: bind(t, "127.0.0.1", 80)}); !errors.Is(err, listener.ErrNotConfigured) || err.Error() != want {
				t.Errorf("error is %v, want %s", err, want)
			}
			if err := registry.Withdraw(name, ""); !errors.Is(err, listener.ErrNotConfigured) || err.Error() != want {
				t.Errorf("error of withdrawing is %v, want %s", err, want)
			}
			if registry.Snapshot() != before {
				t.Error("a refused report must change nothing")
			}
		})
	}
}

func TestReportOutlivesReloads(t *testing.T) {
	t.Parallel()
	full := config(t, "default", "0.0.0.0", 9119)
	registry := registry(t, full, config(t, "other", "0.0.0.0", 80))
	report(t, registry, "default", bind(t, "127.0.0.1", 81))
	configure(t, registry, moved(full))
	if found := get(t, registry, "default"); found.Bind.Port != 81 || found.BindSource != listener.FromReport {
		t.Errorf("port is %d by %d after a reload", found.Bind.Port, found.BindSource)
	}
}

// A name that comes back may be another dashboard's.
func TestReportEndsWithItsListener(t *testing.T) {
	t.Parallel()
	full, other := config(t, "default", "0.0.0.0", 9119), config(t, "other", "0.0.0.0", 80)
	registry := registry(t, full, other)
	report(t, registry, "default", bind(t, "127.0.0.1", 81))
	report(t, registry, "other", bind(t, "127.0.0.1", 82))
	configure(t, registry, other)
	configure(t, registry, full, other)
	if found := get(t, registry, "default"); found.Bind.Port != 9119 || found.BindSource != listener.FromConfig {
		t.Errorf("port is %d by %d after the listener went and came", found.Bind.Port, found.BindSource)
	}
	if found := get(t, registry, "other"); found.Bind.Port != 82 || found.BindSource != listener.FromReport {
		t.Errorf("port of the other is %d by %d", found.Bind.Port, found.BindSource)
	}
}

// A refused configuration must not end a report, either.
func TestReportOutlivesARefusedReload(t *testing.T) {
	t.Parallel()
	registry := registry(t, config(t, "default", "0.0.0.0", 9119))
	report(t, registry, "default", bind(t, "127.0.0.1", 81))
	if err := registry.Configure([]listener.Config{config(t, "a b", "0.0.0.0", 1)}); err == nil {
		t.Fatal("no error")
	}
	configure(t, registry, config(t, "default", "0.0.0.0", 9119))
	if found := get(t, registry, "default"); found.Bind.Port != 81 {
		t.Errorf("port is %d", found.Bind.Port)
	}
}

// A dashboard may say that it has a host and no port yet: then nobody has said what children can dial.
func TestReportThatIsNotBound(t *testing.T) {
	t.Parallel()
	for name, reported := range map[string]rules.Bind{"no port": bind(t, "127.0.0.1", 0), "no host": {Port: 80}, "nothing": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			registry := registry(t, config(t, "default", "0.0.0.0", 9119))
			report(t, registry, "default", reported)
			if found := get(t, registry, "default"); found.IsBound() || found.BindSource != listener.FromNobody {
				t.Errorf("bound is %v by %d", found.IsBound(), found.BindSource)
			}
			withdraw(t, registry, "default")
			if found := get(t, registry, "default"); !found.IsBound() || found.BindSource != listener.FromConfig {
				t.Errorf("bound is %v by %d after withdrawing", found.IsBound(), found.BindSource)
			}
		})
	}
}
