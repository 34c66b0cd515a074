package client_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"sync"
	"testing"

	"connectrpc.com/connect"

	"dialpoint/client"
)

// TestTokenFileComesLate: a patient call waits for it, whether it is not there or empty.
func TestTokenFileComesLate(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, listenTCP(t), newGate(t, "Bearer abc"))
	for early, prepare := range map[string]func(t *testing.T, dir string){
		"not there": func(*testing.T, string) {},
		"empty":     func(t *testing.T, dir string) { t.Helper(); write(t, dir, "token", "") },
		"blank":     func(t *testing.T, dir string) { t.Helper(); write(t, dir, "token", " \n") },
	} {
		for name, call := range patientCalls {
			t.Run(early+"/"+name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				prepare(t, dir)
				caller := connectTo(t, address)
				caller.TokenFile = dir + "/token"
				var waited error
				caller.Waiting = func(err error) {
					waited = err
					write(t, dir, "token", "abc\n")
				}
				if err := call(t.Context(), caller); err != nil {
					t.Error(err)
				}
				if failure := asError(t, waited); failure.Code != connect.CodeUnavailable || errors.Is(waited, client.ErrConfiguration) || !errors.Is(waited, fs.ErrNotExist) {
					t.Errorf("waited for %v, want it unavailable and not there", waited)
				}
				wantMessage(t, waited.Error(), fmt.Sprintf("the given token file %q ", caller.TokenFile))
			})
		}
	}
}

// TestMissingTokenFileAmongAddresses: where no token is needed it is not missed.
func TestMissingTokenFileAmongAddresses(t *testing.T) {
	t.Parallel()
	tcp, _ := serve(t, listenTCP(t), newGate(t, "Bearer abc"))
	unix, _ := serve(t, listenUnix(t), newGate(t, ""))
	caller := connectOnce(t, tcp+","+unix)
	caller.TokenFile = t.TempDir() + "/token"
	if _, err := caller.Resolve(t.Context(), client.Request{}); err != nil {
		t.Error(err)
	}
	caller = connectOnce(t, tcp+","+unixPlace(t).address)
	caller.TokenFile = t.TempDir() + "/token"
	_, err := caller.Resolve(t.Context(), client.Request{})
	if asError(t, err).Code != connect.CodeUnavailable {
		t.Errorf("got %v, want unavailable", err)
	}
	wantMessage(t, err.Error(), fmt.Sprintf("at %s: the given token file %q cannot be read: no such file or directory, nor at unix://", tcp, caller.TokenFile))
}

// TestTokenIsReadAnew: a client goes on when the token is another, with neither end started again.
func TestTokenIsReadAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gate := newGate(t, "")
	address, _ := serve(t, listenTCP(t), gate)
	for name, call := range patientCalls {
		caller := connectTo(t, address)
		for _, token := range []string{"first", "second", "other0"} {
			caller.TokenFile = write(t, dir, "token", token)
			gate.admit("Bearer " + token)
			if err := call(t.Context(), caller); err != nil {
				t.Errorf("%s with the %s token: %v", name, token, err)
			}
		}
	}
}

// TestTokenChangesAmidACall: the service knows the new token, and the file had the old one when it was read.
func TestTokenChangesAmidACall(t *testing.T) {
	t.Parallel()
	for name, call := range patientCalls {
		for _, code := range []connect.Code{connect.CodeUnauthenticated, connect.CodePermissionDenied} {
			t.Run(name+"/"+code.String(), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				gate := newGate(t, "Bearer new")
				gate.code = code
				gate.refusing = func() { write(t, dir, "token", "new") }
				address, _ := serve(t, listenTCP(t), gate)
				caller := connectOnce(t, address)
				caller.TokenFile = write(t, dir, "token", "old")
				if err := call(t.Context(), caller); err != nil {
					t.Error(err)
				}
				// Who holds a listener calls once more, to withdraw.
				wantEqual(t, slices.Compact(gate.headers()), []string{"Bearer old", "Bearer new"})
			})
		}
	}
}

// TestRefusalIsFinal: it is not asked again with the same token, nor more than once with another.
func TestRefusalIsFinal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(dir string, count int) (text string, changed bool)
		want   []string
	}{
		"same token":        {func(string, int) (string, bool) { return "", false }, []string{"Bearer old"}},
		"same, written new": {func(string, int) (string, bool) { return "old\n", true }, []string{"Bearer old"}},
		"broken":            {func(string, int) (string, bool) { return "o l d", true }, []string{"Bearer old"}},
		"ever new":          {func(_ string, count int) (string, bool) { return fmt.Sprint("new", count), true }, []string{"Bearer old", "Bearer new1"}},
	} {
		for method, call := range patientCalls {
			t.Run(name+"/"+method, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				gate := newGate(t, "Bearer right")
				gate.refusing = func() {
					if text, changed := test.change(dir, len(gate.headers())); changed {
						write(t, dir, "token", text)
					}
				}
				address, _ := serve(t, listenTCP(t), gate)
				caller := connectTo(t, address)
				caller.TokenFile = write(t, dir, "token", "old")
				err := call(t.Context(), caller)
				if failure := asError(t, err); failure.Code != connect.CodeUnauthenticated || failure.Reason != client.ReasonCredentialInvalid {
					t.Errorf("got %v, want unauthenticated", err)
				}
				wantMessage(t, err.Error(), fmt.Sprintf("no; the token was that of the given token file %q", caller.TokenFile))
				wantEqual(t, gate.headers(), test.want)
			})
		}
	}
}

// TestRefusalWithoutAToken: what the service says about it is enough.
func TestRefusalWithoutAToken(t *testing.T) {
	t.Parallel()
	for kind, open := range listen {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			gate := newGate(t, "Bearer abc")
			address, _ := serve(t, open(t), gate)
			err := calls["Resolve"](t.Context(), connectTo(t, address))
			if got := asError(t, err).Message; got != "no" {
				t.Errorf("got %q, want what the service said", got)
			}
			wantEqual(t, gate.headers(), []string{""})
		})
	}
}

// TestWatchOutlivesItsToken: a service that ends a watch since its token is no good any more is asked again with the new.
func TestWatchOutlivesItsToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gate := newGate(t, "Bearer old")
	gate.next = breaking(said(t, connect.CodeUnauthenticated, info(client.ReasonCredentialInvalid)), bound(1)).handler()
	address, _ := serve(t, listenTCP(t), gate)
	caller := connectTo(t, address)
	caller.TokenFile = write(t, dir, "token", "old")
	var seen []uint64
	for update, err := range caller.Watch(t.Context(), client.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		if seen = append(seen, update.GetEndpoints().GetRevision()); len(seen) == 2 {
			break
		}
		gate.mu.Lock()
		gate.right, gate.next = "Bearer new", newBoard(bound(2)).service().handler()
		gate.mu.Unlock()
		write(t, dir, "token", "new")
	}
	wantEqual(t, seen, []uint64{1, 2})
	wantEqual(t, gate.headers(), []string{"Bearer old", "Bearer new"})
}

// TestWatchOutlivesABrokenTokenFile: it is put right by whoever broke it.
func TestWatchOutlivesABrokenTokenFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	running := tcpPlace(t)
	running.start(newBoard(bound(1)).service().handler())
	caller := connectTo(t, running.address)
	caller.TokenFile = write(t, dir, "token", "abc")
	var wrong error
	caller.Waiting = func(err error) {
		if errors.Is(err, client.ErrConfiguration) {
			wrong = err
			write(t, dir, "token", "abc")
		}
	}
	for update, err := range caller.Watch(t.Context(), client.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		if update.GetEndpoints().GetRevision() == 2 {
			break
		}
		write(t, dir, "token", "a b c")
		running.start(newBoard(bound(2)).service().handler())
	}
	wantMisconfigured(t, wrong, "must hold one token")
}

// TestTokenOfManyGoroutines: each call has a token that was right at some time.
func TestTokenOfManyGoroutines(t *testing.T) {
	t.Parallel()
	const callers, each = 8, 25
	dir := t.TempDir()
	address, _ := serve(t, listenTCP(t), http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if header := request.Header.Get("Authorization"); header != "Bearer one" && header != "Bearer two" {
			t.Errorf("got %q", header)
		}
		complete().handler().ServeHTTP(w, request)
	}))
	caller := connectTo(t, address)
	caller.TokenFile = write(t, dir, "token", "one")
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for range each {
				if _, err := caller.Resolve(t.Context(), client.Request{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range each {
		write(t, dir, "token", []string{"two", "one"}[i%2])
	}
	group.Wait()
}
