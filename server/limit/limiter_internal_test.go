package limit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

func TestStress(t *testing.T) {
	t.Parallel()
	limiter := New(Limits{Calls: 20, Streams: 30, StreamsPerPeer: 10})
	var group sync.WaitGroup
	for worker := range 32 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(worker)))
			peer := fmt.Sprint(worker % 7)
			for range 2000 {
				taken, err := limiter.take(kind(random.IntN(int(kinds))), peer)
				if err != nil {
					continue
				}
				if random.IntN(3) == 0 {
					_ = Hold(context.WithValue(t.Context(), slotKey{}, taken))
				}
				if random.IntN(50) == 0 {
					limiter.Set(Limits{Calls: 1 + random.IntN(40), Streams: 1 + random.IntN(40), StreamsPerPeer: 10})
				}
				if calls, streams := limiter.InUse(); calls > 40 || streams > 40 {
					t.Errorf("%d calls and %d streams are in use", calls, streams)
				}
				taken.release()
				if random.IntN(10) == 0 {
					taken.release()
				}
			}
		})
	}
	group.Wait()
	if calls, streams := limiter.InUse(); calls != 0 || streams != 0 || limiter.Peers() != 0 {
		t.Errorf("%d calls, %d streams and %d peers are left", calls, streams, limiter.Peers())
	}
}

// model is what a limiter should do, told by counting.
type model struct {
	limits Limits
	open   []*slot
	kinds  []kind
}

func (m *model) count(wanted kind, peer string) (all, each int) {
	for at, taken := range m.open {
		if m.kinds[at] == wanted {
			all++
			if taken.peer == peer {
				each++
			}
		}
	}
	return all, each
}

func (m *model) room(wanted kind, peer string) bool {
	all, each := m.count(wanted, peer)
	if wanted == stream {
		return all < m.limits.Streams && each < m.limits.StreamsPerPeer
	}
	return all < m.limits.Calls && each < (m.limits.Calls+1)/2
}

// FuzzLimiter makes a limiter take, hold and give back slots as two bytes for each step say.
func FuzzLimiter(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x01\x01\x00\x02\x00\x03\x00"))
	f.Add([]byte("\x00\x00\x00\x00\x02\x00\x02\x00\x02\x01\x03\x01\x03\x00\x03\x00"))
	f.Add([]byte("\x01\x00\x01\x00\x04\x01\x01\x00\x01\x01\x04\x0f\x01\x02"))
	f.Add([]byte("\x00\x00\x03\x00"))
	f.Fuzz(func(t *testing.T, steps []byte) {
		want := &model{limits: Limits{Calls: 3, Streams: 4, StreamsPerPeer: 2}}
		limiter := New(want.limits)
		for ; len(steps) > 1; steps = steps[2:] {
			want.step(t, limiter, steps[0], int(steps[1]))
			want.check(t, limiter)
		}
		for _, taken := range want.open {
			taken.release()
		}
		if calls, streams := limiter.InUse(); calls != 0 || streams != 0 || limiter.Peers() != 0 {
			t.Errorf("%d calls, %d streams and %d peers are left", calls, streams, limiter.Peers())
		}
	})
}

func (m *model) step(t *testing.T, limiter *Limiter, action byte, on int) {
	t.Helper()
	switch action % 5 {
	case 0, 1:
		wanted, peer := kind(action%5), fmt.Sprint(on%3)
		room := m.room(wanted, peer)
		taken, err := limiter.take(wanted, peer)
		if (err == nil) != room {
			t.Fatalf("take %d for %s: %v, room %t", wanted, peer, err, room)
		}
		if err == nil {
			m.open, m.kinds = append(m.open, taken), append(m.kinds, wanted)
		}
	case 2:
		if len(m.open) == 0 {
			return
		}
		on %= len(m.open)
		room := m.kinds[on] == stream || m.room(stream, m.open[on].peer)
		if err := m.open[on].hold(); (err == nil) != room {
			t.Fatalf("hold: %v, room %t", err, room)
		}
		if room {
			m.kinds[on] = stream
		}
	case 3:
		if len(m.open) == 0 {
			return
		}
		on %= len(m.open)
		m.open[on].release()
		m.open[on].release()
		_ = m.open[on].hold()
		m.open, m.kinds = slices.Delete(m.open, on, on+1), slices.Delete(m.kinds, on, on+1)
	case 4:
		m.limits = Limits{Calls: 1 + on%4, Streams: 1 + on/4%4, StreamsPerPeer: 1 + on/16%4}
		limiter.Set(m.limits)
	}
}

func (m *model) check(t *testing.T, limiter *Limiter) {
	t.Helper()
	wantCalls, _ := m.count(call, "")
	wantStreams, _ := m.count(stream, "")
	if calls, streams := limiter.InUse(); calls != wantCalls || streams != wantStreams {
		t.Fatalf("%d calls and %d streams are in use, want %d and %d", calls, streams, wantCalls, wantStreams)
	}
	type use struct {
		peer string
		kind kind
	}
	peers := map[use]bool{}
	for at, taken := range m.open {
		peers[use{taken.peer, m.kinds[at]}] = true
	}
	if limiter.Peers() != len(peers) {
		t.Fatalf("%d peers are known, want %d", limiter.Peers(), len(peers))
	}
}
