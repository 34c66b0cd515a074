package listener_test

import (
	"fmt"
	"maps"
	"sync"
	"testing"

	"dialpoint/server/listener"
)

const benchListeners = 16

func benchConfigs(b *testing.B) []listener.Config {
	b.Helper()
	configs := make([]listener.Config, benchListeners)
	for i := range configs {
		configs[i] = config(b, fmt.Sprintf("listener-%d", i), "0.0.0.0", 9119)
	}
	return configs
}

// BenchmarkGet reads one listener from all processors at once. The peer is what one would write without thinking: a map
// behind a read-write lock.
func BenchmarkGet(b *testing.B) {
	registry := registry(b, benchConfigs(b)...)
	b.Run("registry", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, found := registry.Snapshot().Get("listener-7"); !found {
					b.Error("not found")
				}
			}
		})
	})
	b.Run("peer RWMutex", func(b *testing.B) {
		peer := locked{listeners: map[string]listener.Listener{}}
		for _, found := range registry.Snapshot().List() {
			peer.listeners[found.Name] = found
		}
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, found := peer.get("listener-7"); !found {
					b.Error("not found")
				}
			}
		})
	})
}

type locked struct {
	mu        sync.RWMutex
	listeners map[string]listener.Listener
}

func (l *locked) get(name string) (listener.Listener, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	found, ok := l.listeners[name]
	return found, ok
}

// BenchmarkPublish makes one change while many watch the listener and none of them reads. The peer does the least that
// any publishing must: it copies the map and fills as many mailboxes.
func BenchmarkPublish(b *testing.B) {
	for _, watches := range []int{0, 1000} {
		b.Run(fmt.Sprintf("registry, %d watches", watches), func(b *testing.B) { benchPublish(b, watches) })
		b.Run(fmt.Sprintf("peer copy, %d mailboxes", watches), func(b *testing.B) { benchPeer(b, watches) })
	}
}

func benchPublish(b *testing.B, watches int) {
	b.Helper()
	registry := registry(b, benchConfigs(b)...)
	for range watches {
		defer registry.Watch("listener-7").Close()
	}
	reports := [2]string{"127.0.0.1", "127.0.0.2"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		report(b, registry, "listener-7", bind(b, reports[i%2], 9119))
	}
}

func benchPeer(b *testing.B, watches int) {
	b.Helper()
	listeners := map[string]listener.Listener{}
	for _, config := range benchConfigs(b) {
		listeners[config.Name] = listener.Listener{Config: config}
	}
	mailboxes := make([]chan struct{}, watches)
	for i := range mailboxes {
		mailboxes[i] = make(chan struct{}, 1)
	}
	b.ReportAllocs()
	for b.Loop() {
		listeners = maps.Clone(listeners)
		for _, mailbox := range mailboxes {
			select {
			case mailbox <- struct{}{}:
			default:
			}
		}
	}
}
