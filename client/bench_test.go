package client_test

import (
	"net"
	"sync"
	"testing"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

func BenchmarkResolve(b *testing.B) {
	for _, kind := range []struct {
		name string
		open func(testing.TB) net.Listener
	}{{"unix", listenUnix}, {"tcp", listenTCP}} {
		b.Run(kind.name, func(b *testing.B) {
			address, _ := serve(b, kind.open(b), resolving(endpoints(1)).handler())
			caller := connectTo(b, address)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := caller.Resolve(b.Context(), client.Request{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEndpoints compares what a source does with the same behind a mutex, as many goroutines read it.
func BenchmarkEndpoints(b *testing.B) {
	address, _ := serve(b, listenUnix(b), newBoard(bound(1)).service().handler())
	source := mustSource(b, connectTo(b, address))
	guarded := &guarded{endpoints: endpoints(1)}
	for _, kind := range []struct {
		name string
		read func() (*dialpointv1.Endpoints, error)
	}{{"source", source.Endpoints}, {"mutex", guarded.Endpoints}} {
		b.Run(kind.name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(reader *testing.PB) {
				for reader.Next() {
					if got, err := kind.read(); err != nil || got.GetRevision() != 1 {
						b.Errorf("got %v, %v", got, err)
					}
				}
			})
		})
	}
}

// guarded is endpoints behind a mutex.
type guarded struct {
	mu        sync.Mutex
	endpoints *dialpointv1.Endpoints
}

func (g *guarded) Endpoints() (*dialpointv1.Endpoints, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.endpoints, nil
}
