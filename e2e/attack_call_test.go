//go:build e2e

package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
)

const (
	resolveProcedure = "/dialpoint.v1.EndpointService/ResolveEndpoints"
	watchProcedure   = "/dialpoint.v1.EndpointService/WatchEndpoints"
	listProcedure    = "/dialpoint.v1.ListenerService/ListListeners"
	getProcedure     = "/dialpoint.v1.ListenerService/GetListener"
	reportProcedure  = "/dialpoint.v1.ListenerService/ReportListener"
	healthProcedure  = "/grpc.health.v1.Health/Check"
)

// answer is what came of a call in the Connect protocol.
type answer struct {
	// exit is curl's exit code: 7 where it could not connect.
	exit int
	// status is that of HTTP. Code and reason are empty where the call succeeded.
	status       int
	code, reason string
	// text is everything that curl wrote.
	text string
}

// curlTCP and curlUnix are how curl is told where a service is.
func (s *target) curlTCP() []string { return []string{s.tcp} }

func (s *target) curlUnix() []string { return []string{"--unix-socket", s.socket, "http://localhost"} }

// curl calls a procedure with an empty message as the user, without a token if that is empty. The token is no argument:
// every user can list those.
func (a *account) curl(t *testing.T, where []string, procedure, token string) answer {
	t.Helper()
	header := ""
	if token != "" {
		header = "Authorization: Bearer " + token + "\n"
	}
	last := len(where) - 1
	args := append([]string{
		"--silent", "--show-error", "--max-time", "10", "--noproxy", "*", "--header", "@-",
		"--header", "Content-Type: application/json", "--data", "{}", "--write-out", "\n%{http_code}",
	}, where[:last]...)
	came := a.run(t, nil, header, "curl", append(args, where[last]+procedure)...)
	return readAnswer(came)
}

// ask calls a procedure with an empty message over TCP, on a connection of its own.
func (s *target) ask(t *testing.T, procedure, token string, header http.Header) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(waiting(t), http.MethodPost, s.tcp+procedure, strings.NewReader("{}"))
	must(t, err)
	maps.Copy(request.Header, header)
	request.Host = header.Get("Host")
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	must(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	must(t, err)
	got := answer{status: response.StatusCode, text: string(body)}
	got.code, got.reason = readError(got.text)
	return got
}

func readAnswer(came outcome) answer {
	read := answer{exit: came.code, text: came.text()}
	body, status, _ := cutLast(came.out, "\n")
	read.status, _ = strconv.Atoi(status)
	read.code, read.reason = readError(body)
	return read
}

func cutLast(text, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[:i], text[i+len(separator):], true
	}
	return text, "", false
}

// readError is the code of an error in the Connect protocol, and its reason. Both are empty in what is none.
func readError(body string) (code, reason string) {
	var failure struct {
		Code    string `json:"code"`
		Details []struct {
			Type  string `json:"type"`
			Value string `json:"value"`
		} `json:"details"`
	}
	if json.Unmarshal([]byte(body), &failure) != nil {
		return "", ""
	}
	info := new(errdetails.ErrorInfo)
	for _, detail := range failure.Details {
		value, err := base64.RawStdEncoding.DecodeString(detail.Value)
		if err == nil && detail.Type == "google.rpc.ErrorInfo" && proto.Unmarshal(value, info) == nil {
			return failure.Code, info.GetReason()
		}
	}
	return failure.Code, ""
}

// wantAnswer checks the status, the code and the reason. An answer that is refused shows no secret.
func (s *target) wantAnswer(t *testing.T, got answer, status int, code, reason string) {
	t.Helper()
	if got.exit != 0 || got.status != status || got.code != code || got.reason != reason {
		t.Errorf("exit %d, status %d, %s %s, want status %d, %s %s\n%s", got.exit, got.status, got.code, got.reason, status, code, reason, got.text)
	}
	if status != 200 {
		s.keeps(t, "the answer", got.text)
	}
}
