package rules_test

import (
	"net"
	"net/url"
	"testing"

	"dialpoint/server/rules"
)

// BenchmarkResolve answers for both URLs in three spellings, with the explanation. The peer builds the two URLs alone
// with net/url, as a child would that knew host and port already.
func BenchmarkResolve(b *testing.B) {
	b.Run("rules", func(b *testing.B) {
		listener := dashboard(b, "0.0.0.0")
		b.ReportAllocs()
		for b.Loop() {
			if _, err := rules.Resolve(listener, local()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("override", func(b *testing.B) {
		listener := with(dashboard(b, "0.0.0.0"), overridden(b, "https://edge.example/hermes"))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := rules.Resolve(listener, local()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("peer net-url", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if peerURL("/api/ws", "") == peerURL("/api/pub", "chat-1") {
				b.Fatal("the URLs must differ")
			}
		}
	})
}

func peerURL(path, channel string) string {
	query := url.Values{"token": {"t"}}
	if channel != "" {
		query.Set("channel", channel)
	}
	built := url.URL{Scheme: "ws", Host: net.JoinHostPort("127.0.0.1", "9119"), Path: path, RawQuery: query.Encode()}
	return built.String()
}

func BenchmarkParseHost(b *testing.B) {
	for name, text := range map[string]string{"IPv4": "192.168.1.5", "IPv6": "[2001:db8::5]", "name": "edge.example", "international": "bücher.example"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := rules.ParseHost(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
