package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// maxHeader is the size in bytes of the largest answer whose header is read.
const maxHeader = 64 << 10

// handshake is what came of an upgrade.
type handshake struct {
	// status is the HTTP status, zero where there was no HTTP answer.
	status int
	// closed is the code with which the other side ended the WebSocket.
	closed websocket.StatusCode
	err    error
}

// upgrade makes the WebSocket handshake that a child makes, with its credential.
func (d *Doctor) upgrade(ctx context.Context, s subject, endpoint named, connected Status) Check {
	check := Check{Name: CheckUpgrade, Endpoint: endpoint.name, Status: StatusSkipped, Finding: "there was no connection"}
	if connected == StatusFailed {
		return check
	}
	var found verdict
	switch shaken := d.shake(ctx, endpoint.GetUrl()); {
	case d.isSpokenToInPlain(ctx, s, shaken):
		found = speaksTLS
	case shaken.err == nil:
		found = closedWith(shaken.closed, s)
	case shaken.status == http.StatusSwitchingProtocols:
		found = forged
	case shaken.status != 0:
		found = answeredWith(shaken.status, endpoint.name, s)
	default:
		found = unanswered(shaken.err)
	}
	check.Status, check.Finding, check.Advice = found.status, found.finding, found.advice
	return check
}

// shake dials a URL without a proxy, an Origin or a redirect, and takes its leave.
func (d *Doctor) shake(ctx context.Context, target string) handshake {
	ctx, cancel := context.WithTimeout(ctx, orElse(d.UpgradeTimeout, upgradeTimeout))
	defer cancel()
	var conn net.Conn
	transport := &http.Transport{
		MaxResponseHeaderBytes: maxHeader,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			dialled, err := d.dialer().DialContext(ctx, network, address)
			conn = dialled
			return dialled, err
		},
	}
	defer transport.CloseIdleConnections()
	socket, response, err := websocket.Dial(ctx, target, &websocket.DialOptions{HTTPClient: &http.Client{ //nolint:bodyclose // Dial has read and closed it
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}})
	if err != nil {
		return handshake{status: statusOf(response), err: err}
	}
	_ = conn.SetDeadline(time.Now().Add(orElse(d.FarewellTimeout, farewellTimeout)))
	return handshake{
		status: statusOf(response),
		closed: websocket.CloseStatus(socket.Close(websocket.StatusNormalClosure, "")),
	}
}

func statusOf(response *http.Response) int {
	if response == nil {
		return 0
	}
	return response.StatusCode
}

// isSpokenToInPlain says whether a handshake without TLS went wrong since the other side speaks TLS. Such a side answers
// 400, an alert, or nothing, as it likes, so it is asked.
func (d *Doctor) isSpokenToInPlain(ctx context.Context, s subject, shaken handshake) bool {
	if s.isTLS() || shaken.err == nil || isTimeout(shaken.err) || shaken.status != 0 && shaken.status != http.StatusBadRequest {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, orElse(d.UpgradeTimeout, upgradeTimeout))
	defer cancel()
	dialer := tls.Dialer{NetDialer: d.dialer()}
	conn, err := dialer.DialContext(ctx, "tcp", s.address())
	if err == nil {
		_ = conn.Close()
		return true
	}
	_, hasCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	return hasCertificate
}
