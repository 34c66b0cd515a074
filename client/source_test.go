package client_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"

	"dialpoint/client"
	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// mustSource is a source that is closed when the test ends.
func mustSource(tb testing.TB, caller *client.Client) *client.Source {
	tb.Helper()
	source, err := caller.Source(tb.Context(), client.Request{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(source.Close)
	return source
}

// wantRevision fails the test unless a source has endpoints of this revision.
func wantRevision(tb testing.TB, source *client.Source, want uint64) {
	tb.Helper()
	if got, err := source.Endpoints(); err != nil || got.GetRevision() != want {
		tb.Errorf("got %v, %v, want revision %d", got, err, want)
	}
}

// hasNotice takes a notice of an update, if there is one.
func hasNotice(source *client.Source) bool {
	select {
	case <-source.Updated():
		return true
	default:
		return false
	}
}

func TestSource(t *testing.T) {
	t.Parallel()
	for kind, open := range listen {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			board := newBoard(bound(1))
			address, _ := serve(t, open(t), board.service().handler())
			source := mustSource(t, connectTo(t, address))
			wantRevision(t, source, 1)
			if hasNotice(source) {
				t.Error("the first value counts as an update")
			}
			board.post(bound(2))
			<-source.Updated()
			wantRevision(t, source, 2)
			board.post(unavailable(client.ReasonListenerNotBound))
			<-source.Updated()
			got, err := source.Endpoints()
			if failure := asError(t, err); got != nil || failure.Code != connect.CodeUnavailable || failure.Reason != client.ReasonListenerNotBound || failure.Message != "m" {
				t.Errorf("got %v, %v, want the reason why there are none", got, err)
			}
			board.post(bound(3))
			<-source.Updated()
			wantRevision(t, source, 3)
		})
	}
}

func TestSourceSendsTheRequest(t *testing.T) {
	t.Parallel()
	seen := make(chan *dialpointv1.WatchEndpointsRequest, 1)
	address, _ := serve(t, listenUnix(t), service{watch: func(_ context.Context, request *dialpointv1.WatchEndpointsRequest, _ *updateStream) error {
		seen <- request
		return said(t, connect.CodeInvalidArgument)
	}}.handler())
	_, err := connectTo(t, address).Source(t.Context(), client.Request{Listener: "l", Channel: "c", Wait: time.Hour})
	if asError(t, err).Code != connect.CodeInvalidArgument {
		t.Errorf("got %v, want invalid_argument", err)
	}
	wantEqual(t, <-seen, &dialpointv1.WatchEndpointsRequest{Listener: "l", Channel: "c"})
}

// TestSourceSurvivesRestarts: it has the last endpoints while the service is away, and the new ones after.
func TestSourceSurvivesRestarts(t *testing.T) {
	t.Parallel()
	for kind, open := range places {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			place := open(t)
			place.start(newBoard(bound(1)).service().handler())
			caller := connectTo(t, place.address)
			away := make(chan struct{}, 1)
			caller.Waiting = func(error) {
				select {
				case away <- struct{}{}:
				default:
				}
			}
			source := mustSource(t, caller)
			for revision := uint64(1); revision <= 3; revision++ {
				wantRevision(t, source, revision)
				place.stop()
				<-away
				wantRevision(t, source, revision)
				if hasNotice(source) {
					t.Error("that the service is away counts as an update")
				}
				place.start(newBoard(bound(revision + 1)).service().handler())
				<-source.Updated()
			}
		})
	}
}

// TestSourceOfManyReaders: each sees whole answers only, and none from before one that it has seen.
func TestSourceOfManyReaders(t *testing.T) {
	t.Parallel()
	const readers, revisions = 16, 200
	board := newBoard(bound(1))
	address, _ := serve(t, listenUnix(t), board.service().handler())
	source := mustSource(t, connectTo(t, address))
	var group sync.WaitGroup
	for range readers {
		group.Go(func() {
			for last := uint64(0); last < revisions; {
				got, err := source.Endpoints()
				if err != nil || got.GetRevision() < last || got.GetGateway().GetUrl() != endpoints(got.GetRevision()).GetGateway().GetUrl() {
					t.Errorf("got %v, %v after revision %d", got, err, last)
					return
				}
				last = got.GetRevision()
				runtime.Gosched() // The source needs its turn.
			}
		})
	}
	for revision := uint64(2); revision <= revisions; revision++ {
		board.post(bound(revision))
	}
	group.Wait()
}

// TestSourceClose: at once, from many sides, again and again, and nothing goes on.
func TestSourceClose(t *testing.T) {
	t.Parallel()
	for kind, open := range listen {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			gone := make(chan struct{}, 1)
			address, _ := serve(t, open(t), holding(gone, bound(1)).handler())
			source, err := connectTo(t, address).Source(t.Context(), client.Request{})
			if err != nil {
				t.Fatal(err)
			}
			var group sync.WaitGroup
			for range 8 {
				group.Go(func() {
					source.Close()
					got, err := source.Endpoints()
					if failure := asError(t, err); got != nil || failure.Code != connect.CodeCanceled || failure.Message != "the source is closed" {
						t.Errorf("got %v, %v, want it canceled", got, err)
					}
				})
			}
			group.Wait()
			<-gone
			if !hasNotice(source) {
				t.Error("who waits for an update does not hear that there will be none")
			}
			if source.Close(); hasNotice(source) {
				t.Error("closed a second time")
			}
		})
	}
}

// TestSourceOutlivesItsContext: the context is there for the first value.
func TestSourceOutlivesItsContext(t *testing.T) {
	t.Parallel()
	board := newBoard(bound(1))
	address, _ := serve(t, listenUnix(t), board.service().handler())
	ctx, cancel := context.WithCancel(t.Context())
	source, err := connectTo(t, address).Source(ctx, client.Request{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	cancel()
	board.post(bound(2))
	<-source.Updated()
	wantRevision(t, source, 2)
}

// TestSourceEndsForGood: with what the service says, which is an update.
func TestSourceEndsForGood(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, listenUnix(t), service{watch: func(_ context.Context, _ *dialpointv1.WatchEndpointsRequest, stream *updateStream) error {
		if err := stream.Send(bound(1)); err != nil {
			return err
		}
		return said(t, connect.CodePermissionDenied, info(client.ReasonRoleForbidden))
	}}.handler())
	source := mustSource(t, connectTo(t, address))
	<-source.Updated()
	if _, err := source.Endpoints(); client.ReasonOf(err) != client.ReasonRoleForbidden {
		t.Errorf("got %v, want %s", err, client.ReasonRoleForbidden)
	}
	source.Close()
	if _, err := source.Endpoints(); asError(t, err).Code != connect.CodeCanceled {
		t.Errorf("after Close: got %v, want it canceled", err)
	}
}

// TestSeveralSources: of one client, each with its own stream.
func TestSeveralSources(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, listenUnix(t), service{watch: func(ctx context.Context, request *dialpointv1.WatchEndpointsRequest, stream *updateStream) error {
		mine := endpoints(1)
		mine.Listener = request.GetListener()
		if err := stream.Send(updateOf(mine)); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}}.handler())
	caller := connectTo(t, address)
	for i := range 5 {
		source, err := caller.Source(t.Context(), client.Request{Listener: fmt.Sprint("l", i)})
		if err != nil {
			t.Fatal(err)
		}
		defer source.Close()
		defer func() {
			if got, err := source.Endpoints(); err != nil || got.GetListener() != fmt.Sprint("l", i) {
				t.Errorf("got %v, %v, want those of listener %d", got, err, i)
			}
		}()
	}
}
