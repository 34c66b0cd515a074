package listener_test

import (
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

			want := listener.Listener{Config: full, BindSource: listener.FromReport, Revision: first + 2}
			want.Bind = reported
			if diff := cmp.Diff(want, get(t, registry, "default"), sameHosts); diff != "" {
				t.Errorf("after the report: -want +got\n%s", diff)
			}
			registry.Withdraw("default")
			before.Revision = first + 3
			if diff := cmp.Diff(before, get(t, registry, "default"), sameHosts); diff != "" {
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
	registry.Withdraw("default")
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
			if err := registry.Report(name, bind(t, "127.0.0.1", 80)); err == nil || err.Error() != want {
				t.Errorf("error is %v, want %s", err, want)
			}
			if registry.Snapshot() != before {
				t.Error("a refused report must change nothing")
			}
		})
	}
}

// A dashboard does not stop listening because a reload leaves its listener out for a moment.
func TestReportOutlivesReloads(t *testing.T) {
	t.Parallel()
	full := config(t, "default", "0.0.0.0", 9119)
	registry := registry(t, full)
	report(t, registry, "default", bind(t, "127.0.0.1", 80))
	configure(t, registry, moved(full))
	if found := get(t, registry, "default"); found.Bind.Port != 80 {
		t.Errorf("port is %d after a reload", found.Bind.Port)
	}
	configure(t, registry)
	configure(t, registry, full)
	if found := get(t, registry, "default"); found.Bind.Port != 80 || found.BindSource != listener.FromReport {
		t.Errorf("port is %d after the listener went and came", found.Bind.Port)
	}
	configure(t, registry)
	registry.Withdraw("default")
	configure(t, registry, full)
	if found := get(t, registry, "default"); found.Bind.Port != 9119 || found.BindSource != listener.FromConfig {
		t.Errorf("port is %d after it was withdrawn meanwhile", found.Bind.Port)
	}
}
