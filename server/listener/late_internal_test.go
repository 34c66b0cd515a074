package listener

import (
	"testing"
	"testing/synctest"
	"time"

	"dialpoint/server/rules"
)

// A process that was stopped goes on before its timers do.
func TestLeaseIsOverBeforeItsTimer(t *testing.T) {
	t.Parallel()
	read := map[string]func(*Registry) Listener{
		"get": func(r *Registry) Listener {
			found, _ := r.Get("")
			return found
		},
		"list":  func(r *Registry) Listener { return r.List()[0] },
		"watch": func(r *Registry) Listener { found, _ := r.Watch("").Get(); return found },
	}
	for name, read := range read {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				registry := NewRegistry(1)
				defer registry.Close()
				if err := registry.Configure([]Config{{Name: DefaultName}}); err != nil {
					t.Fatal(err)
				}
				host, err := rules.ParseBindHost("0.0.0.0")
				if err != nil {
					t.Fatal(err)
				}
				if _, err := registry.Report(Report{InstanceID: "one", TTL: time.Second, Bind: rules.Bind{Text: "0.0.0.0", Host: host, Port: 1}}); err != nil {
					t.Fatal(err)
				}
				registry.leases[DefaultName].timer.Stop()
				time.Sleep(time.Second - 1) //nolint:forbidigo // The clock is synthetic.
				if !read(registry).IsBound() {
					t.Error("the lease has ended before its time")
				}
				time.Sleep(time.Nanosecond) //nolint:forbidigo // The clock is synthetic.
				if got := read(registry); got.IsBound() || got.InstanceID != "" {
					t.Errorf("after its end the lease still counts: %+v", got)
				}
			})
		})
	}
}
