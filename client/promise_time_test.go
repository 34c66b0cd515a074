package client_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// trouble is what happens to the services of a store, at moments that a seed decides. All services answer from one
// store, so that revisions never go back, whichever of them a watch is at.
type trouble struct {
	*rand.Rand

	t       *testing.T
	network *network
	hosts   []string
	board   *board
	stops   map[string]func()
	// revision is the newest, 0 before the first.
	revision uint64
}

// strike lets one thing happen.
func (m *trouble) strike() {
	host := m.hosts[m.IntN(len(m.hosts))]
	switch m.IntN(8) {
	case 0:
		m.replace(host, nil)
	case 1:
		m.replace(host, black)
	case 2:
		m.replace(host, answer(http.StatusBadGateway, "text/html", "<html>"))
	case 3, 4:
		m.replace(host, m.board.service().handler())
	case 5:
		m.board.post(unavailable(client.ReasonListenerNotBound))
	case 6:
		m.revision++
		m.board.post(bound(m.revision))
	case 7:
		// What changed does not concern this caller.
		m.revision++
		if same := m.now(); same.GetEndpoints() != nil {
			same.GetEndpoints().Revision = m.revision
			m.board.post(same)
		}
	}
}

func (m *trouble) now() *dialpointv1.WatchEndpointsResponse {
	now, _ := m.board.read()
	return proto.CloneOf(now)
}

// replace puts something else in the place of the service at a host, nil for nothing.
func (m *trouble) replace(host string, handler http.Handler) {
	if stop := m.stops[host]; stop != nil {
		stop()
	}
	delete(m.stops, host)
	if handler != nil {
		m.stops[host] = m.network.serve(m.t, host, handler)
	}
}

// TestPromiseWatchAcrossRestarts: state first, revisions in order, none twice, the newest always arrives (promise 4),
// whatever happens to the services in between.
func TestPromiseWatchAcrossRestarts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork()
				chance := rand.New(rand.NewPCG(seed, 0))
				trouble := &trouble{
					Rand: chance, t: t, network: network, hosts: []string{"a:1", "b:1"}[:1+seed%2],
					board: newBoard(unavailable(client.ReasonListenerNotBound)), stops: map[string]func(){},
				}
				caller := network.client(t, "http://a:1", chance.Float64())
				if seed%2 == 1 {
					caller = network.client(t, "http://a:1,http://b:1", chance.Float64())
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				history := make(chan []*dialpointv1.WatchEndpointsResponse)
				go func() { history <- record(ctx, caller) }()
				for range 100 {
					pass(time.Duration(chance.ExpFloat64() * float64(time.Second)))
					trouble.strike()
				}
				for _, host := range trouble.hosts {
					trouble.replace(host, trouble.board.service().handler())
				}
				newest := trouble.now()
				pass(client.SilenceTimeout)
				cancel()
				keepsPromise(t, <-history, newest)
			})
		})
	}
}

// record is all that a watch brings.
func record(ctx context.Context, caller *client.Client) (history []*dialpointv1.WatchEndpointsResponse) {
	for update, err := range caller.Watch(ctx, client.Request{}) {
		if err == nil {
			history = append(history, update)
		}
	}
	return history
}

// keepsPromise fails the test unless a history could be that of a watch.
func keepsPromise(t *testing.T, history []*dialpointv1.WatchEndpointsResponse, newest *dialpointv1.WatchEndpointsResponse) {
	t.Helper()
	var last uint64
	for i, update := range history {
		revision := update.GetEndpoints().GetRevision()
		switch {
		case update.GetEndpoints() == nil && update.GetUnavailable() == nil:
			t.Errorf("update %d says nothing: %v", i, update)
		case update.GetEndpoints() != nil && revision < last:
			t.Errorf("update %d: revision %d after %d", i, revision, last)
		case i > 0 && sameBut(update, history[i-1]):
			t.Errorf("update %d says what the one before it says: %v", i, update)
		}
		last = max(last, revision)
	}
	if len(history) == 0 || !sameBut(history[len(history)-1], newest) {
		t.Errorf("the newest is %v, and has not arrived in %v", newest, history)
	}
}

// sameBut reports whether two updates say the same to a child, which has no use for revisions.
func sameBut(one, two *dialpointv1.WatchEndpointsResponse) bool {
	return one.GetEndpoints().GetGateway().GetUrl() == two.GetEndpoints().GetGateway().GetUrl() &&
		one.GetUnavailable().GetReason() == two.GetUnavailable().GetReason()
}
