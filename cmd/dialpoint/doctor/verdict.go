package doctor

import (
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"syscall"

	"github.com/coder/websocket"
)

// verdict is what a handshake shows.
type verdict struct {
	status          Status
	finding, advice string
}

const (
	seeLog    = "see the dashboard's log"
	otherPort = "see which program has the port; if it is not the dashboard, start that on another, and let it report it or set bind.port"
)

var (
	speaksTLS = verdict{
		StatusFailed, "it speaks TLS, and the URL is ws", "set bind.tls to true, or write the override as an https URL",
	}
	speaksPlain = verdict{
		StatusFailed, "it does not speak TLS, and the URL is wss", "set bind.tls to false, or write the override as an http URL",
	}
	forged = verdict{
		StatusFailed, "it answered 101, but not as a WebSocket server must (RFC 6455, section 4.2.2)", otherPort,
	}
)

// The private close codes of servers that let a caller in to tell it that it may not be.
const (
	closedUnauthorized websocket.StatusCode = 4401
	closedForbidden    websocket.StatusCode = 4403
)

// closedWith is about a dashboard that accepted, by the code with which it then closed. It answers our 1000 with 1000,
// unless it has closed before.
func closedWith(code websocket.StatusCode, s subject) verdict {
	finding := "the dashboard accepted the upgrade (101)"
	said := finding + ", and then closed with " + strconv.Itoa(int(code))
	switch code {
	case -1, websocket.StatusNormalClosure, websocket.StatusGoingAway, websocket.StatusNoStatusRcvd:
		return verdict{status: StatusOK, finding: finding}
	case websocket.StatusPolicyViolation, closedUnauthorized, closedForbidden:
		return verdict{StatusFailed, said + ": " + refusal(s), credentialAdvice(s)}
	default:
		return verdict{StatusFailed, said, seeLog}
	}
}

// answeredWith is about an HTTP status other than 101.
func answeredWith(status int, endpoint string, s subject) verdict {
	finding := "it answered " + strconv.Itoa(status)
	if text := http.StatusText(status); text != "" {
		finding += " (" + text + ")"
	}
	switch {
	case status == http.StatusUnauthorized:
		return verdict{StatusFailed, finding + ": " + refusal(s), credentialAdvice(s)}
	case status == http.StatusForbidden:
		return verdict{StatusFailed, finding + ": " + refusal(s), credentialAdvice(s) +
			"; if it is right, the dashboard refuses the host or the caller, and its log says which"}
	case status == http.StatusUpgradeRequired:
		return verdict{StatusFailed, finding, "have the reverse proxy before the dashboard pass the headers Upgrade and Connection on"}
	case isRedirect(status):
		return verdict{StatusFailed, finding + ": children do not follow it", "write where it leads: " + pathAdvice(endpoint)}
	case isElsewhere(status):
		return verdict{StatusFailed, finding + ": no WebSocket is there", pathAdvice(endpoint)}
	}
	return verdict{StatusFailed, finding, seeLog + ", and that of a reverse proxy before it"}
}

// isElsewhere says whether a status is that of a path that has no WebSocket, such as that of a page.
func isElsewhere(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone:
		return true
	}
	return status < http.StatusMultipleChoices
}

func isRedirect(status int) bool {
	return status >= http.StatusMultipleChoices && status < http.StatusBadRequest
}

// refusal is what a dashboard has against a caller.
func refusal(s subject) string {
	if s.answer.GetCredential() == nil {
		return "it wants a credential, and the URL has none"
	}
	return "the credential is not the dashboard's"
}

func credentialAdvice(s subject) string {
	const file = "set auth.credential_file (for the default listener DIALPOINT_CREDENTIAL_FILE) to a file with the dashboard's credential"
	if s.answer.GetCredential() == nil {
		return file + ", and auth.mode to token or internal, as the dashboard wants it"
	}
	return file + ", or auth.mode if it does not want the parameter " + strconv.Quote(s.answer.GetCredential().GetParameter())
}

func pathAdvice(endpoint string) string {
	return "set base_path to where the dashboard serves, or " + endpoint + "_path to where in it the endpoint is"
}

// unanswered is about a handshake without an HTTP answer. What was answered instead is not shown: it may be an echo of
// the request, which holds the credential.
func unanswered(err error) verdict {
	certificate, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	broken := brokenTLS(err)
	switch {
	case untrusted:
		return verdict{
			StatusFailed, "its certificate is not trusted here: " + certificate.Error(),
			"give it a certificate for this host by an authority that children trust, or have them trust its own",
		}
	case noTLS || errors.Is(err, http.ErrSchemeMismatch):
		return speaksPlain
	case broken != "":
		return verdict{StatusFailed, "TLS failed: " + broken, seeLog + "; it may want a certificate of the client"}
	case isTimeout(err):
		return verdict{StatusFailed, "it took the connection, and did not answer in time", "see whether the dashboard hangs; else " + otherPort}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return verdict{StatusFailed, "it closed the connection without an answer", seeLog + "; else " + otherPort}
	}
	return verdict{StatusFailed, "what listens there does not speak HTTP", otherPort}
}

// brokenTLS is what crypto/tls says when it is at odds with the other side, or is told by it that it is. It has no types
// for that, so its words have to do: no text of the other side is in them.
func brokenTLS(err error) string {
	for ; err != nil; err = errors.Unwrap(err) {
		text := err.Error()
		for _, beginning := range []string{"tls: ", "local error: tls: ", "remote error: tls: "} {
			if strings.HasPrefix(text, beginning) {
				return text
			}
		}
	}
	return ""
}
