package socket_test

import (
	"io"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"dialpoint/server/socket"
)

// TestOneStarterWins: of many, with a stale socket in the way or without.
func TestOneStarterWins(t *testing.T) {
	t.Parallel()
	for round := range 40 {
		path := filepath.Join(base(t), "d", "s")
		if round%2 == 0 {
			mkdir(t, filepath.Dir(path), 0o700)
			leaveStale(t, path)
		}
		var starters sync.WaitGroup
		var winner atomic.Pointer[socket.Unix]
		for range 8 {
			starters.Go(func() {
				listener, err := socket.ListenUnix(t.Context(), path, socket.Allow{})
				if err != nil {
					wantError(t, err, "serve.unix ", "another process already answers there")
				} else if other := winner.Swap(listener); other != nil {
					t.Error("two starters have won")
				}
			})
		}
		starters.Wait()
		if winner.Load() == nil {
			t.Fatal("no starter has won")
		}
		go answer(winner.Load(), "winner")
		if got, err := ask(path); got != "winner" {
			t.Errorf("%q answers, %v", got, err)
		}
		must(t, winner.Load().Close())
		wantGone(t, path)
	}
}

// TestOneProcessWins: the same of processes.
func TestOneProcessWins(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "d", "s")
	mkdir(t, filepath.Dir(path), 0o700)
	leaveStale(t, path)
	starters := make([]*process, 12)
	for i := range starters {
		starters[i] = startAs(t, "listener", path, nil)
	}
	for _, starter := range starters {
		starter.line()
	}
	for _, starter := range starters {
		_, err := io.WriteString(starter.in, "\n")
		must(t, err)
	}
	var winners []string
	for _, starter := range starters {
		switch said := starter.line(); {
		case said == "listening":
			winners = append(winners, strconv.Itoa(starter.Process.Pid))
		case !strings.Contains(said, "another process already answers there"):
			t.Errorf("a starter said %q", said)
		}
	}
	if len(winners) != 1 {
		t.Fatalf("%q have won, want one", winners)
	}
	if got, err := ask(path); got != winners[0] {
		t.Errorf("%q answers, want %s; %v", got, winners[0], err)
	}
}

// TestServersTakeTurns: whoever listens is reached, until it stops listening, however many start and stop.
func TestServersTakeTurns(t *testing.T) {
	t.Parallel()
	path := filepath.Join(base(t), "s")
	var servers sync.WaitGroup
	var turns atomic.Int32
	for server := range 6 {
		servers.Go(func() {
			for try := range 60 {
				listener, err := socket.ListenUnix(t.Context(), path, socket.Allow{})
				if err != nil {
					continue
				}
				turns.Add(1)
				takeTurn(t, listener, path, strconv.Itoa(server*1000+try))
			}
		})
	}
	servers.Wait()
	t.Logf("%d turns", turns.Load())
	wantGone(t, path)
}

// takeTurn listens for a while, and stops as a server does that lets its calls end.
func takeTurn(t *testing.T, listener *socket.Unix, path, name string) {
	t.Helper()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		answer(listener, name)
	}()
	if got, err := ask(path); got != name {
		t.Errorf("%q answers, want %s; %v", got, name, err)
	}
	var inner net.Listener = listener.UnixListener
	_ = inner.Close()
	<-stopped
	_ = listener.Close()
}
