package main_test

import (
	"context"
	"os"
	"sync"
	"testing"

	"dialpoint/client"
)

// TestReloadUnderLoad: a file that is broken, emptied, removed and written anew, while 32 callers ask all the time. None
// gets an error or anything but one of the two good answers, and the new one is one revision later (promise 5).
func TestReloadUnderLoad(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	path := h.write(t, "dialpoint.yaml", fileWith(9119))
	s := h.serve(t, []string{"DIALPOINT_AUTH_MODE=none"}, "--config", path)
	caller := s.connect(t, s.unix)
	first, err := caller.Resolve(t.Context(), client.Request{})
	mustDo(t, err)

	ctx, stop := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	for range 32 {
		callers.Go(func() { askUntil(ctx, t, caller, first.GetRevision()) })
	}
	// A file that is written in place is empty for a moment, which may be seen as well.
	notLoaded := func(why string) { awaitLog(t, s, why, 1) }
	h.write(t, "dialpoint.yaml", "listeners: [{name: default, bind: ")
	notLoaded("did not find expected node content")
	h.write(t, "dialpoint.yaml", "")
	notLoaded("it is empty")
	mustDo(t, os.Remove(path))
	notLoaded("no such file")
	if got := h.must(t, nil, "resolve", "-o", "url"); got != oneURL {
		t.Errorf("without a file resolve printed %q", got)
	}
	h.write(t, "dialpoint.yaml", fileWith(9200))
	awaitLog(t, s, `msg="configuration loaded"`, 1)
	stop()
	callers.Wait()

	last, err := caller.Resolve(t.Context(), client.Request{})
	mustDo(t, err)
	if got := last.GetGateway().GetUrl(); got != "ws://127.0.0.1:9200/api/ws" {
		t.Errorf("at last the gateway is %s", got)
	}
	if last.GetRevision() != first.GetRevision()+1 {
		t.Errorf("revision %d after %d, want one step", last.GetRevision(), first.GetRevision())
	}
}

// askUntil resolves until the context ends. It may end amid a call.
func askUntil(ctx context.Context, t *testing.T, caller *client.Client, first uint64) {
	t.Helper()
	want := map[uint64]string{first: "ws://127.0.0.1:9119/api/ws", first + 1: "ws://127.0.0.1:9200/api/ws"}
	for ctx.Err() == nil {
		got, err := caller.Resolve(ctx, client.Request{})
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			t.Error(err)
			return
		case got.GetGateway().GetUrl() != want[got.GetRevision()]:
			t.Errorf("revision %d has %s", got.GetRevision(), got.GetGateway().GetUrl())
			return
		}
	}
}

// TestConfigMapSwap: Kubernetes changes a mounted file by moving a symlink to a directory.
func TestConfigMapSwap(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	swap := func(name string, port int) {
		mustDo(t, os.Mkdir(h.path(name), 0o700))
		h.write(t, name+"/dialpoint.yaml", fileWith(port))
		mustDo(t, os.Symlink(name, h.path("..data.new")))
		mustDo(t, os.Rename(h.path("..data.new"), h.path("..data")))
	}
	swap("..1", 9119)
	mustDo(t, os.Symlink("..data/dialpoint.yaml", h.path("dialpoint.yaml")))
	s := h.serve(t, []string{"DIALPOINT_AUTH_MODE=none"}, "--config", "dialpoint.yaml")
	for i, name := range []string{"..2", "..3"} {
		swap(name, 9200+i)
		awaitLog(t, s, `msg="configuration loaded"`, i+1)
	}
	if got := h.must(t, nil, "resolve", "-o", "url"); got != "ws://127.0.0.1:9201/api/ws\n" {
		t.Errorf("resolve printed %q", got)
	}
}

// TestCredentialIsReadAgain when its file changes, without a change of the configuration.
func TestCredentialIsReadAgain(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(t, "token", "old")
	s := h.serve(t, []string{"DIALPOINT_CREDENTIAL_FILE=" + h.path("token")}, "--bind-host", "0.0.0.0")
	h.replace(t, "token", "new")
	awaitLog(t, s, `msg="configuration loaded"`, 1)
	if got := h.must(t, nil, "resolve", "-o", "url"); got != "ws://127.0.0.1:9119/api/ws?token=new\n" {
		t.Errorf("resolve printed %q", got)
	}
}
