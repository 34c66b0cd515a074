package rules_test

import (
	"testing"

	"dialpoint/server/rules"
)

func TestBindSaysSame(t *testing.T) {
	t.Parallel()
	bind := func(change func(*rules.Bind)) rules.Bind {
		host, err := rules.ParseBindHost("::")
		if err != nil {
			t.Fatal(err)
		}
		said := rules.Bind{Text: "::", Host: host, Source: "report", Port: 9119, IPv6Only: new(true)}
		change(&said)
		return said
	}
	tests := map[string]struct {
		change func(*rules.Bind)
		same   bool
	}{
		"nothing":           {func(*rules.Bind) {}, true},
		"what a probe saw":  {func(b *rules.Bind) { b.OnlyIPv6Answers = true }, true},
		"spelling":          {func(b *rules.Bind) { b.Text = "[::]" }, false},
		"host":              {func(b *rules.Bind) { b.Host = rules.Host{} }, false},
		"source":            {func(b *rules.Bind) { b.Source = "default" }, false},
		"port":              {func(b *rules.Bind) { b.Port = 9120 }, false},
		"TLS":               {func(b *rules.Bind) { b.TLS = true }, false},
		"IPv6 alone or not": {func(b *rules.Bind) { b.IPv6Only = new(false) }, false},
		"IPv6 alone unsaid": {func(b *rules.Bind) { b.IPv6Only = nil }, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, other := bind(func(*rules.Bind) {}), bind(test.change)
			if one.SaysSame(other) != test.same || other.SaysSame(one) != test.same {
				t.Errorf("want the same: %t", test.same)
			}
		})
	}
	unsaid := bind(func(b *rules.Bind) { b.IPv6Only = nil })
	if !unsaid.SaysSame(unsaid) {
		t.Error("what is unsaid twice is not the same")
	}
}
