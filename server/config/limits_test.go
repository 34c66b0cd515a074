package config_test

import (
	"testing"

	"dialpoint/server/config"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	const capped = "serve.limits.streams_per_peer is more than serve.limits.streams, so that one peer may have all 10 streams"
	tests := map[string]struct {
		said     string
		want     config.Limits
		warnings []string
	}{
		"not said":                  {"", config.Limits{Calls: 1024, Streams: 16384, StreamsPerPeer: 4096}, nil},
		"all":                       {"calls: 1, streams: 3, streams_per_peer: 2", config.Limits{Calls: 1, Streams: 3, StreamsPerPeer: 2}, nil},
		"least":                     {"calls: 1, streams: 1, streams_per_peer: 1", config.Limits{Calls: 1, Streams: 1, StreamsPerPeer: 1}, nil},
		"most":                      {"calls: 1000000, streams: 1000000, streams_per_peer: 1000000", config.Limits{Calls: 1e6, Streams: 1e6, StreamsPerPeer: 1e6}, nil},
		"as many for one":           {"streams: 10, streams_per_peer: 10", config.Limits{Calls: 1024, Streams: 10, StreamsPerPeer: 10}, nil},
		"more for one":              {"streams: 10, streams_per_peer: 11", config.Limits{Calls: 1024, Streams: 10, StreamsPerPeer: 10}, []string{capped}},
		"few, the default for one":  {"streams: 10", config.Limits{Calls: 1024, Streams: 10, StreamsPerPeer: 10}, nil},
		"many, the default for one": {"streams: 4097", config.Limits{Calls: 1024, Streams: 4097, StreamsPerPeer: 4096}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loaded := loadYAML(t, "serve: {limits: {"+test.said+"}}\nlisteners: [{auth: {mode: none}}]")
			if got := loaded.Serve.Limits; got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			wantList(t, "warnings", loaded.Warnings, test.warnings)
		})
	}
}

// TestBadLimits checks that a limit is never off. Those that follow from a bad one are not told of.
func TestBadLimits(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"calls", "streams", "streams_per_peer"} {
		for _, said := range []string{"0", "-1", "1000001", "9007199254740992", "18446744073709551615"} {
			t.Run(key+" "+said, func(t *testing.T) {
				t.Parallel()
				wantText(t, loadErrorYAML(t, "serve: {limits: {"+key+": "+said+"}}"),
					`file FILE: serve.limits.`+key+`: "`+said+`": must be a whole number from 1 to 1000000`)
			})
		}
	}
}

// TestLimitsInEveryFormat checks the numbers of JSON, which are all floating point.
func TestLimitsInEveryFormat(t *testing.T) {
	t.Parallel()
	content := document{"serve": document{"limits": document{"calls": 7, "streams": 1_000_000}}}
	inEveryFormat(t, content, func(t *testing.T, from config.Sources) {
		t.Helper()
		if got, want := load(t, from).Serve.Limits, (config.Limits{Calls: 7, Streams: 1_000_000, StreamsPerPeer: 4096}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
}
