//go:build e2e

package main_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// curl calls with JSON, as anything can that speaks HTTP, and reads the whole answer.
func (h home) curl(t *testing.T, args ...string) (answer *http.Response, body string) {
	t.Helper()
	args = append([]string{"--silent", "--show-error", "--include", "--http1.1", "--header", "Content-Type: application/json", "--header", "Expect:"}, args...)
	text := h.tool(t, "curl", args...)
	answer, err := http.ReadResponse(bufio.NewReader(strings.NewReader(text)), nil)
	if err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	t.Cleanup(func() { mustDo(t, answer.Body.Close()) })
	content, err := io.ReadAll(answer.Body)
	mustDo(t, err)
	return answer, string(content)
}

func curlTo(t *testing.T, s *service) map[string][]string {
	t.Helper()
	return map[string][]string{
		"TCP":  {"--header", s.bearer(t), s.tcp},
		"unix": {"--unix-socket", strings.TrimPrefix(s.unix, "unix://"), "http://localhost"},
	}
}

// to is the target with a procedure behind its URL.
func to(target []string, procedure string) []string {
	last := len(target) - 1
	return append(append([]string{}, target[:last]...), target[last]+procedure)
}

// TestE2ECurl: a POST with JSON is all it takes. The answer holds a credential and is kept out of every cache.
func TestE2ECurl(t *testing.T) {
	t.Parallel()
	needTools(t, "curl")
	h := newHome(t)
	s := h.serveDemo(t)
	for where, target := range curlTo(t, s) {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			answer, body := h.curl(t, append([]string{"--data", question}, to(target, resolveProcedure)...)...)
			if answer.StatusCode != http.StatusOK || answer.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("status %s, header %v", answer.Status, answer.Header)
			}
			wantDemo(t, body)

			answer, body = h.curl(t, append([]string{"--data", `{"channel":"a/b"}`}, to(target, resolveProcedure)...)...)
			if answer.StatusCode != http.StatusBadRequest || !strings.Contains(body, "FIELD_INVALID") || answer.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("bad channel: status %s, header %v, body %s", answer.Status, answer.Header, body)
			}
		})
	}
}

// TestE2ECurlGet: what holds a credential is no answer to GET, in whichever way that asks. What holds none is.
func TestE2ECurlGet(t *testing.T) {
	t.Parallel()
	needTools(t, "curl")
	h := newHome(t)
	target := curlTo(t, h.serveDemo(t))["TCP"]
	const query = "?connect=v1&encoding=json&message=%7B%7D"
	for _, query := range []string{"", query} {
		if answer, body := h.curl(t, append([]string{"--request", "GET"}, to(target, resolveProcedure+query)...)...); answer.StatusCode != http.StatusMethodNotAllowed || strings.Contains(body, "token") {
			t.Errorf("GET %s: status %s, body %s", query, answer.Status, body)
		}
	}
	answer, body := h.curl(t, append([]string{"--request", "GET"}, to(target, listProcedure+query)...)...)
	if answer.StatusCode != http.StatusOK || !strings.Contains(body, `"0.0.0.0"`) || strings.Contains(body, "token=") {
		t.Errorf("GET of the listeners: status %s, body %s", answer.Status, body)
	}
}

// TestE2ECurlSizes: a request over 64 KiB is refused, one below is read.
func TestE2ECurlSizes(t *testing.T) {
	t.Parallel()
	needTools(t, "curl")
	h := newHome(t)
	target := curlTo(t, h.serveDemo(t))["TCP"]
	request := func(size int) string {
		const around = len(`{"channel":"demo"}`)
		return "@" + h.write(t, "request", question+strings.Repeat(" ", size-around))
	}
	for size, want := range map[int]int{64 << 10: http.StatusOK, 64<<10 + 1: http.StatusTooManyRequests} {
		answer, body := h.curl(t, append([]string{"--data-binary", request(size)}, to(target, resolveProcedure)...)...)
		if answer.StatusCode != want {
			t.Errorf("%d bytes: status %s, want %d\n%s", size, answer.Status, want, body)
		}
	}
}

// TestE2ECurlCompression: only what is larger than 1 KiB is worth it.
func TestE2ECurlCompression(t *testing.T) {
	t.Parallel()
	needTools(t, "curl")
	h := newHome(t)
	var file bytes.Buffer
	file.WriteString("listeners:\n")
	for name := range strings.FieldsSeq("a b c d e f g h i j k l m n o p") {
		file.WriteString("  - {name: " + name + ", bind: {host: 0.0.0.0, port: 9119}, auth: {mode: none}}\n")
	}
	target := curlTo(t, h.serve(t, nil, "--config", h.write(t, "dialpoint.yaml", file.String())))["TCP"]
	for procedure, want := range map[string]struct{ data, encoding string }{
		resolveProcedure: {`{"listener":"a"}`, ""},
		listProcedure:    {`{}`, "gzip"},
	} {
		answer, body := h.curl(t, append([]string{"--data", want.data, "--header", "Accept-Encoding: gzip"}, to(target, procedure)...)...)
		if got := answer.Header.Get("Content-Encoding"); answer.StatusCode != http.StatusOK || got != want.encoding {
			t.Errorf("%s: status %s, %d bytes in the encoding %q, want %q", procedure, answer.Status, len(body), got, want.encoding)
		}
	}
}
