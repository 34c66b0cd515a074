package probe_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	toIPv4 = "ws://127.0.0.1:9119/api/ws by flag --bind-host"
	toIPv6 = "ws://[::1]:9119/api/ws by probe"
)

// What is concluded of what the two families answer, in turn.
func TestLook(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		ipv4, ipv6 []error
		want       string
		// found is what is logged, and calls what was connected to until then.
		found string
		calls []string
	}{
		"both": {
			[]error{nil},
			[]error{nil},
			toIPv4, foundIPv4,
			[]string{"0s 127.0.0.1:9119"},
		},
		"IPv4 alone": {
			[]error{nil},
			[]error{errRefused},
			toIPv4, foundIPv4,
			[]string{"0s 127.0.0.1:9119"},
		},
		"IPv6 alone": {
			[]error{errRefused},
			[]error{nil},
			toIPv6, foundIPv6,
			[]string{"0s 127.0.0.1:9119", "0s [::1]:9119", "250ms 127.0.0.1:9119"},
		},
		"both, between two looks": {
			[]error{errRefused, nil},
			[]error{nil},
			toIPv4, foundIPv4,
			[]string{"0s 127.0.0.1:9119", "0s [::1]:9119", "250ms 127.0.0.1:9119"},
		},
		"IPv6 alone, after a while": {
			[]error{errRefused},
			[]error{errRefused, nil},
			toIPv6, foundIPv6,
			[]string{"0s 127.0.0.1:9119", "0s [::1]:9119", "250ms 127.0.0.1:9119", "250ms [::1]:9119", "500ms 127.0.0.1:9119"},
		},
		"IPv4 is silent at first": {
			[]error{errSilent, nil},
			[]error{nil},
			toIPv4, foundIPv4,
			[]string{"0s 127.0.0.1:9119", "1.25s 127.0.0.1:9119"},
		},
		"IPv4 is silent the second time": {
			[]error{errRefused, errSilent, nil},
			[]error{nil},
			toIPv4, foundIPv4,
			[]string{"0s 127.0.0.1:9119", "0s [::1]:9119", "250ms 127.0.0.1:9119", "1.5s 127.0.0.1:9119"},
		},
		"IPv6 is silent at first": {
			[]error{errRefused, nil},
			[]error{errSilent},
			toIPv4, foundIPv4,
			[]string{"0s 127.0.0.1:9119", "0s [::1]:9119", "1.25s 127.0.0.1:9119"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t, bind(t, "::", 9119), func(n *network) { n.answers(9119, test.ipv4, test.ipv6) }, func(t *scene) {
				wantAnswer(t, t.registry, toIPv4)
				if got := <-t.found; got != test.found {
					t.Errorf("%s, want that %s", got, test.found)
				}
				wantAnswer(t, t.registry, test.want)
				pass(time.Hour)
				if diff := cmp.Diff(test.calls, t.called()); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
			})
		})
	}
}

// Only a clear refusal says that IPv4 is refused, and only a connection that IPv6 is taken.
func TestNothingIsConcluded(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ ipv4, ipv6 error }{
		"neither":                  {errRefused, errRefused},
		"IPv4 is silent":           {errSilent, nil},
		"IPv4 is forbidden to us":  {errForbidden, nil},
		"there is no IPv4":         {errNoFamily, nil},
		"there is no IPv6":         {errRefused, errNoFamily},
		"IPv6 is silent":           {errRefused, errSilent},
		"IPv6 is forbidden to us":  {errRefused, errForbidden},
		"nothing can be connected": {errForbidden, errForbidden},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := func(n *network) { n.answers(9119, []error{test.ipv4}, []error{test.ipv6}) }
			play(t, bind(t, "::", 9119), set, func(t *scene) {
				pass(time.Hour)
				wantAnswer(t, t.registry, toIPv4)
				if revision := t.registry.Snapshot().Revision; revision != 101 || len(t.found) > 0 {
					t.Errorf("revision is %d, and %d things were found", revision, len(t.found))
				}
			})
		})
	}
}

// A dashboard that does not listen yet is looked for again and again, ever more rarely, and never given up.
func TestWaits(t *testing.T) {
	t.Parallel()
	play(t, bind(t, "::", 9119), nothing, func(t *scene) {
		pass(4 * time.Minute)
		var want []string
		for _, at := range []string{"0s", "250ms", "750ms", "1.75s", "3.75s", "7.75s", "15.75s", "31.75s", "1m3.75s", "2m3.75s", "3m3.75s"} {
			want = append(want, at+" 127.0.0.1:9119", at+" [::1]:9119")
		}
		if diff := cmp.Diff(want, t.called()); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		pass(24 * time.Hour)
		if calls := t.called(); len(calls) != 2*24*60 {
			t.Errorf("connected %d times in a day", len(calls))
		}
		ipv6Alone(9119)(t.network)
		begin := time.Now()
		<-t.found
		if took := time.Since(begin); took > 61*time.Second {
			t.Errorf("it took %v to find a dashboard that came late", took)
		}
		wantAnswer(t, t.registry, toIPv6)
	})
}

// A socket that never answers costs a second a look.
func TestConnectTimeout(t *testing.T) {
	t.Parallel()
	play(t, bind(t, "::", 9119), func(n *network) { n.answers(9119, []error{errSilent}, nil) }, func(t *scene) {
		pass(5 * time.Second)
		want := []string{"0s 127.0.0.1:9119", "1.25s 127.0.0.1:9119", "2.75s 127.0.0.1:9119", "4.75s 127.0.0.1:9119"}
		if diff := cmp.Diff(want, t.called()); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
}

// What is no IPv6 wildcard, or is said to take one family or both, is never connected to.
func TestNotProbed(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"0.0.0.0", "0", "*", "", "::ffff:0.0.0.0", "127.0.0.1", "::1", "::2", "fe80::1%lo", "localhost", "edge.example"} {
		t.Run(fmt.Sprintf("host %q", host), func(t *testing.T) {
			t.Parallel()
			play(t, bind(t, host, 9119), ipv6Alone(9119), wantNoCall)
		})
	}
	for name, only := range map[string]bool{"IPv6 only": true, "both": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := bind(t, "::", 9119)
			said.IPv6Only = &only
			play(t, said, ipv6Alone(9119), wantNoCall)
		})
	}
	t.Run("no port", func(t *testing.T) {
		t.Parallel()
		play(t, bind(t, "::", 0), ipv6Alone(0), wantNoCall)
	})
}

// The wildcard is one in every spelling, with TLS or without.
func TestProbed(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"::", "[::]", "::0", "0:0:0:0:0:0:0:0", " [::] ", "::%lo"} {
		for scheme, tls := range map[string]bool{"ws": false, "wss": true} {
			t.Run(scheme+host, func(t *testing.T) {
				t.Parallel()
				said := bind(t, host, 9119)
				said.TLS = tls
				play(t, said, ipv6Alone(9119), func(t *scene) {
					<-t.found
					wantAnswer(t, t.registry, scheme+"://[::1]:9119/api/ws by probe")
				})
			})
		}
	}
}

func wantNoCall(t *scene) {
	t.Helper()
	pass(time.Hour)
	if calls := t.called(); calls != nil {
		t.Errorf("connected: %q", calls)
	}
}
