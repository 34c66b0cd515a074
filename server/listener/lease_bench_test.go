package listener_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

const manyLeases = 10_000

// leased is a registry of listeners that are all held, and what holds them.
func leased(b *testing.B, count int) (*listener.Registry, []listener.Report) {
	b.Helper()
	configs := make([]listener.Config, count)
	reports := make([]listener.Report, count)
	for i := range configs {
		configs[i] = config(b, fmt.Sprintf("listener-%d", i), "0.0.0.0", 0)
		reports[i] = listener.Report{Name: configs[i].Name, InstanceID: "a", Bind: bind(b, "0.0.0.0", 9119), TTL: listener.MaxTTL}
	}
	registry := registry(b, configs...)
	b.Cleanup(registry.Close)
	for _, report := range reports {
		claim(b, registry, report)
	}
	return registry, reports
}

// BenchmarkRenew renews one lease after another. The peer is what one would write without thinking, and tells nobody
// when a lease is over: a map behind a lock.
func BenchmarkRenew(b *testing.B) {
	for _, count := range []int{1, manyLeases} {
		b.Run(fmt.Sprintf("registry, %d leases", count), func(b *testing.B) {
			registry, reports := leased(b, count)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := registry.Report(reports[i%count]); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("peer Mutex, %d leases", count), func(b *testing.B) {
			_, reports := leased(b, count)
			peer := lockedLeases{leases: map[string]lockedLease{}}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				peer.report(reports[i%count])
			}
		})
	}
}

// BenchmarkResetTimer is the least that a lease which ends by itself must cost: its timer, and nothing else.
func BenchmarkResetTimer(b *testing.B) {
	timers := make([]*time.Timer, manyLeases)
	for i := range timers {
		timers[i] = time.AfterFunc(time.Hour, func() {})
		defer timers[i].Stop()
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		timers[i%manyLeases].Reset(time.Hour)
	}
}

// BenchmarkReportChange reports another port each time, which makes a snapshot each time.
func BenchmarkReportChange(b *testing.B) {
	for _, count := range []int{1, manyLeases} {
		b.Run(fmt.Sprintf("registry, %d leases", count), func(b *testing.B) {
			registry, reports := leased(b, count)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				report := reports[i%count]
				report.Bind.Port = rules.Port(i%1000 + 1)
				if _, err := registry.Report(report); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type lockedLease struct {
	listener.Report

	ends time.Time
}

type lockedLeases struct {
	mu     sync.Mutex
	leases map[string]lockedLease
}

func (l *lockedLeases) report(report listener.Report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leases[report.Name] = lockedLease{report, time.Now().Add(report.TTL)}
}
