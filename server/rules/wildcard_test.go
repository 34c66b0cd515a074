package rules_test

import (
	"testing"

	"dialpoint/server/rules"
)

func TestMayBeIPv6Only(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		listener rules.Listener
		want     bool
	}{
		"IPv6 wildcard":       {dashboard(t, "::"), true},
		"in brackets":         {dashboard(t, "[::]"), true},
		"in full":             {dashboard(t, "0:0:0:0:0:0:0:0"), true},
		"with a zone":         {dashboard(t, "::%eth0"), true},
		"with TLS":            {with(dashboard(t, "::"), overTLS), true},
		"found already":       {with(dashboard(t, "::"), onlyIPv6Answers), true},
		"said to be IPv6":     {with(dashboard(t, "::"), ipv6Only(true)), false},
		"said to be both":     {with(dashboard(t, "::"), ipv6Only(false)), false},
		"IPv4 wildcard":       {dashboard(t, "0.0.0.0"), false},
		"IPv4-mapped":         {dashboard(t, "::ffff:0.0.0.0"), false},
		"star":                {dashboard(t, "*"), false},
		"empty":               {dashboard(t, ""), false},
		"IPv6 loopback":       {dashboard(t, "::1"), false},
		"IPv6, no wildcard":   {dashboard(t, "::2"), false},
		"name":                {dashboard(t, "edge.example"), false},
		"nothing is known":    {unbound(), false},
		"IPv4, said to be so": {with(dashboard(t, "0.0.0.0"), ipv6Only(true)), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.listener.Bind.MayBeIPv6Only(); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
