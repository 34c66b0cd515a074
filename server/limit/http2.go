package limit

import "net/http"

const (
	// maxFrame is the size in bytes of the largest HTTP/2 frame that is read, which is the smallest that a server must
	// allow (RFC 9113, section 4.2). A connection keeps a buffer for the largest frame that was announced to it as long as
	// it is open. By default that is up to 1 MiB, which ten thousand connections make 10 GiB.
	maxFrame = 16 << 10
	// maxUnread is how many bytes of requests one HTTP/2 connection may send ahead of what is read, the least that
	// net/http knows. By default it is 1 MiB.
	maxUnread = 64 << 10
)

// HTTP2 sets, in the configuration of a server, what a single HTTP/2 connection can make it keep or wait for. Connections
// that take none of what is written to them are closed after [WriteTimeout]: the deadlines of [Patience] end streams,
// and telling the caller so needs a connection that can be written to.
func HTTP2(config *http.HTTP2Config) {
	config.MaxReadFrameSize = maxFrame
	config.MaxReceiveBufferPerConnection = maxUnread
	config.MaxReceiveBufferPerStream = maxUnread
	config.WriteByteTimeout = WriteTimeout
}
