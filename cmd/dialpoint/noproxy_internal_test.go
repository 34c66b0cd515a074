package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

func TestExtendNoProxy(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		environ, entries []string
		upper, lower     string
	}{
		"neither is set":                     {nil, []string{"127.0.0.1"}, "127.0.0.1", "127.0.0.1"},
		"both are extended":                  {[]string{"NO_PROXY=a", "no_proxy=b"}, []string{"127.0.0.1"}, "a,127.0.0.1", "b,127.0.0.1"},
		"the lower begins as the upper":      {[]string{"NO_PROXY=a"}, []string{"127.0.0.1"}, "a,127.0.0.1", "a,127.0.0.1"},
		"the upper begins as the lower":      {[]string{"no_proxy=b"}, []string{"127.0.0.1"}, "b,127.0.0.1", "b,127.0.0.1"},
		"a blank one is not set":             {[]string{"NO_PROXY= ", "no_proxy=b"}, []string{"h"}, "b,h", "b,h"},
		"what is there is not added":         {[]string{"NO_PROXY=a, 127.0.0.1"}, []string{"127.0.0.1"}, "a, 127.0.0.1", "a, 127.0.0.1"},
		"in whatever case":                   {[]string{"NO_PROXY=Host.Example"}, []string{"host.example"}, "Host.Example", "Host.Example"},
		"part of another is not there":       {[]string{"NO_PROXY=127.0.0.10"}, []string{"127.0.0.1"}, "127.0.0.10,127.0.0.1", "127.0.0.10,127.0.0.1"},
		"everything is there already":        {[]string{"NO_PROXY=*"}, []string{"127.0.0.1"}, "*", "*"},
		"a comma at the end is not doubled":  {[]string{"NO_PROXY=a,"}, []string{"h"}, "a,h", "a,h"},
		"the last of two counts":             {[]string{"NO_PROXY=x", "NO_PROXY=a"}, []string{"h"}, "a,h", "a,h"},
		"IPv6 is there in brackets, too":     {nil, []string{"::1"}, "::1,[::1]", "::1,[::1]"},
		"several, of which one is there":     {[]string{"NO_PROXY=h"}, []string{"h.", "h"}, "h,h.", "h,h."},
		"white space separates as commas do": {[]string{"NO_PROXY=a h"}, []string{"h"}, "a h", "a h"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := extendNoProxy(append([]string{"OTHER=1"}, test.environ...), test.entries)
			want := []string{"OTHER=1", "NO_PROXY=" + test.upper, "no_proxy=" + test.lower}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("environment (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseReaction(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		want reaction
		fine bool
	}{
		"":               {nil, true},
		"restart":        {restart{}, true},
		"ignore":         {ignore{}, true},
		"signal=HUP":     {notify{1}, true},
		"signal=SIGHUP":  {notify{1}, true},
		"signal=sigusr1": {notify{10}, true},
		"signal=10":      {notify{10}, true},
		"signal=":        {nil, false},
		"signal=0":       {nil, false},
		"signal=65":      {nil, false},
		"signal=NOPE":    {nil, false},
		"Restart":        {nil, false},
		"reload":         {nil, false},
	}
	for text, test := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, err := parseReaction(text)
			if (err == nil) != test.fine || got != test.want {
				t.Errorf("got %v, %v, want %v", got, err, test.want)
			}
		})
	}
}

func TestSameURLs(t *testing.T) {
	t.Parallel()
	at := func(gateway, sidecar string) *dialpointv1.Endpoints {
		return &dialpointv1.Endpoints{
			Gateway: &dialpointv1.Endpoint{Url: gateway}, Sidecar: &dialpointv1.Endpoint{Url: sidecar}, Revision: uint64(len(gateway)),
		}
	}
	for name, test := range map[string]struct {
		a, b *dialpointv1.Endpoints
		want bool
	}{
		"the same":        {at("g", "s"), at("g", "s"), true},
		"another gateway": {at("g", "s"), at("h", "s"), false},
		"another sidecar": {at("g", "s"), at("g", "t"), false},
		"none before":     {nil, at("g", "s"), false},
		"none at all":     {nil, nil, true},
	} {
		if got := sameURLs(test.a, test.b); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}
