package listener_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dialpoint/server/listener"
	"dialpoint/server/rules"
)

const (
	stressListeners = 4
	stressWatches   = 16
	stressChanges   = 500
)

// Promise 4 of the project, as far as a registry can keep it: the state now comes first, revisions come in order, and
// the newest always arrives. Time is synthetic: a watch that misses the newest state fails at once, and not by chance.
func TestPromise4WatchSeesRevisionsInOrderAndAlwaysTheNewest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := registry(t, stressConfigs(t, 0)...)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var all sync.WaitGroup
		for i := range stressWatches {
			watch := registry.Watch(stressName(i % stressListeners))
			all.Go(func() { follow(ctx, t, watch) })
		}
		for i := range stressListeners {
			all.Go(func() { churn(t, registry, stressName(i)) })
		}
		all.Go(func() { reload(t, registry) })
		all.Go(func() { openAndClose(registry) })
		all.Wait()
		if watches := registry.Watches(); watches != 0 {
			t.Errorf("%d watches are left", watches)
		}
	})
}

func stressName(i int) string { return fmt.Sprintf("listener-%d", i) }

// stressConfigs is the configuration of one reload, which the warnings name. Only reports change the ports.
func stressConfigs(t testing.TB, reload int) []listener.Config {
	t.Helper()
	configs := make([]listener.Config, stressListeners)
	for i := range configs {
		configs[i] = config(t, stressName(i), "0.0.0.0", 0)
		configs[i].Warnings = []string{fmt.Sprintf("reload %05d", reload)}
	}
	return configs
}

// seen is how far a watch has come. Nothing of it may go back.
type seen struct {
	revision, snapshot uint64
	port               rules.Port
	reload             string
}

func (s seen) isAfter(before seen) bool {
	return s.revision >= before.revision && s.snapshot >= before.snapshot && s.port >= before.port && s.reload >= before.reload
}

// follow reads at the beginning and after each notice, until it has seen the last change of each kind.
func follow(ctx context.Context, t *testing.T, watch *listener.Watch) {
	t.Helper()
	defer watch.Close()
	var before seen
	for {
		found, ok := watch.Get()
		if !ok {
			t.Errorf("%s is gone", watch.Name())
			return
		}
		now := seen{revision: found.Revision, port: found.Bind.Port, reload: found.Warnings[0]}
		if !now.isAfter(before) {
			t.Errorf("%s went back from %+v to %+v", watch.Name(), before, now)
		}
		if before = now; now.port == stressChanges && now.reload == fmt.Sprintf("reload %05d", stressChanges) {
			return
		}
		select {
		case <-watch.Changed():
		case <-ctx.Done():
			t.Errorf("%s never saw more than %+v", watch.Name(), before)
			return
		}
	}
}

// churn reports one port after another.
func churn(t *testing.T, registry *listener.Registry, name string) {
	t.Helper()
	for port := range rules.Port(stressChanges) {
		if _, err := registry.Report(listener.Report{Name: name, Bind: bind(t, "127.0.0.1", port+1)}); err != nil {
			t.Error(err)
		}
	}
}

// reload configures all listeners anew, and checks that every snapshot is whole: one reload's listeners, never two's.
func reload(t *testing.T, registry *listener.Registry) {
	t.Helper()
	for i := range stressChanges {
		if err := registry.Configure(stressConfigs(t, i+1)); err != nil {
			t.Error(err)
		}
		list := registry.Snapshot().List()
		for _, found := range list {
			if found.Warnings[0] != list[0].Warnings[0] {
				t.Errorf("one snapshot holds %q and %q", found.Warnings, list[0].Warnings)
			}
		}
	}
}

// openAndClose is callers that come and go meanwhile.
func openAndClose(registry *listener.Registry) {
	for i := range stressChanges {
		watch := registry.Watch(stressName(i % stressListeners))
		_, _ = watch.Get()
		watch.Close()
	}
}

// Once all is quiet after a change, nobody has seen less than the newest state: it is there before its notice.
func TestNewestStateIsThereBeforeItsNotice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := registry(t, config(t, "default", "0.0.0.0", 0))
		var latest [64]atomic.Uint64
		var followers sync.WaitGroup
		stop := make(chan struct{})
		for i := range latest {
			watch := registry.Watch("default")
			followers.Go(func() { keepLatest(watch, &latest[i], stop) })
		}
		for change := range rules.Port(600) {
			configure(t, registry, config(t, "default", "0.0.0.0", change+1))
			synctest.Wait()
			for i := range latest {
				if got, want := latest[i].Load(), registry.Snapshot().Revision; got != want {
					t.Fatalf("a watch saw revision %d last, want %d", got, want)
				}
			}
		}
		close(stop)
		followers.Wait()
	})
}

func keepLatest(watch *listener.Watch, latest *atomic.Uint64, stop <-chan struct{}) {
	defer watch.Close()
	for {
		select {
		case <-watch.Changed():
			found, _ := watch.Get()
			latest.Store(found.Revision)
		case <-stop:
			return
		}
	}
}

// A reader that takes no lock sees the revision of the whole and of each part grow, or stay.
func TestSnapshotsComeInOrder(t *testing.T) {
	t.Parallel()
	registry := registry(t, stressConfigs(t, 0)...)
	var writing, reading sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		reading.Go(func() { readUntil(t, registry, stop) })
	}
	for i := range stressListeners {
		writing.Go(func() { churn(t, registry, stressName(i)) })
	}
	writing.Wait()
	close(stop)
	reading.Wait()
	if got, want := registry.Snapshot().Revision, first+1+stressListeners*stressChanges; got != want {
		t.Errorf("revision is %d, want one step for each change: %d", got, want)
	}
}

func readUntil(t *testing.T, registry *listener.Registry, stop <-chan struct{}) {
	t.Helper()
	var before seen
	for {
		snapshot := registry.Snapshot()
		found, _ := snapshot.Get(stressName(0))
		now := seen{revision: found.Revision, snapshot: snapshot.Revision, port: found.Bind.Port, reload: found.Warnings[0]}
		if !now.isAfter(before) || now.revision > now.snapshot {
			t.Errorf("went back from %+v to %+v", before, now)
			return
		}
		before = now
		select {
		case <-stop:
			return
		default:
		}
	}
}
