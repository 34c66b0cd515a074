package limit_test

import (
	"net/http"
	"testing"

	"golang.org/x/net/http2"

	"dialpoint/server/limit"
)

// What the server announces is what it keeps to: see RFC 9113, section 6.5.2.
func TestHTTP2(t *testing.T) {
	t.Parallel()
	address := serve(t, answering(), bounded)
	client := dialHTTP2(t, address)
	frame, err := client.ReadFrame()
	must(t, err)
	settings, ok := frame.(*http2.SettingsFrame)
	if !ok {
		t.Fatalf("the server begins with %v", frame)
	}
	for id, want := range map[http2.SettingID]uint32{
		http2.SettingMaxFrameSize:      16 << 10,
		http2.SettingInitialWindowSize: 64 << 10,
	} {
		if got, ok := settings.Value(id); !ok || got != want {
			t.Errorf("%v is %d, want %d", id, got, want)
		}
	}
	client.request(http.MethodPost, "/", false)
	must(t, client.WriteRawFrame(http2.FrameData, 0, client.last, make([]byte, 16<<10+1)))
	for {
		frame, err := client.ReadFrame()
		must(t, err)
		if goAway, ok := frame.(*http2.GoAwayFrame); ok {
			if goAway.ErrCode != http2.ErrCodeFrameSize {
				t.Errorf("got %v", goAway)
			}
			return
		}
	}
}

// Configurations that were made before are kept.
func TestHTTP2KeepsTheRest(t *testing.T) {
	t.Parallel()
	config := &http.HTTP2Config{MaxConcurrentStreams: 7}
	limit.HTTP2(config)
	if config.MaxConcurrentStreams != 7 || config.WriteByteTimeout != limit.WriteTimeout {
		t.Errorf("got %+v", config)
	}
}
