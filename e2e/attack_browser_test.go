//go:build e2e

package e2e_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// origins are pages of the villain's, each of another origin than the service's.
var origins = map[string]struct{ host, page string }{
	"another port":  {"localhost", "/page.html"},
	"another name":  {"evil.test", "/page.html"},
	"opaque origin": {"evil.test", "/sandbox.html"},
}

// TestE2EPageOfAnotherOrigin cannot read or trigger an answer, not even with a token that is valid.
func TestE2EPageOfAnotherOrigin(t *testing.T) {
	t.Parallel()
	attacker(t, "chromium")
	for name, origin := range origins {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTarget(t, nil, "")
			v := newVillain(t)
			_, port, _ := strings.Cut(strings.TrimPrefix(s.tcp, "http://"), ":")
			v.orders <- orders{[]string{s.tcp, "http://localhost:" + port}, s.child}
			browse(t, v.at(origin.host, origin.page))
			for _, attempt := range v.report(t) {
				if attempt.Read != "" {
					t.Errorf("%s: the page has read %s", attempt.Name, attempt.Read)
				}
			}
			s.wantNoneAnswered(t)
		})
	}
}

// TestE2EPageOfAnotherOriginCan read and trigger everything where a server lets it, so that the other test can fail.
func TestE2EPageOfAnotherOriginCan(t *testing.T) {
	t.Parallel()
	attacker(t, "chromium")
	for name, origin := range origins {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := make(open, 1000)
			server := httptest.NewServer(open)
			t.Cleanup(server.Close)
			v := newVillain(t)
			v.orders <- orders{[]string{server.URL}, "token"}
			browse(t, v.at(origin.host, origin.page))
			report := v.report(t)
			open.awaitAll(t, report)
			read := readers(report)
			if read == 0 {
				t.Errorf("the page has read nothing: %v", report)
			}
			t.Logf("%d attempts have arrived, %d have read the answer", len(report), read)
		})
	}
}

// wantNoneAnswered checks that the service has answered no call but a last one, which no page makes, and which shows that
// the log tells of those that are answered.
func (s *target) wantNoneAnswered(t *testing.T) {
	t.Helper()
	s.wantAnswer(t, s.ask(t, getProcedure, s.operator, nil), http.StatusOK, "", "")
	_, err := s.Await(waiting(t), &s.Err, "procedure="+getProcedure)
	must(t, err)
	var answered []string
	for _, line := range s.Err.Lines() {
		if strings.Contains(line, "procedure=/dialpoint.v1.") && strings.Contains(line, "code=ok") {
			answered = append(answered, line)
		}
	}
	if len(answered) != 1 {
		t.Errorf("%d calls were answered, want the good one alone:\n%s", len(answered), strings.Join(answered, "\n"))
	}
}

// TestE2ERebinding: a page whose own name now leads to the service is of the same origin for the browser. It reads no
// more than that it is refused.
func TestE2ERebinding(t *testing.T) {
	t.Parallel()
	attacker(t, "chromium")
	v, address := rebind(t)
	s := startTarget(t, nil, "", "--tcp", address)
	v.orders <- orders{[]string{""}, s.child}
	refused := 0
	for _, attempt := range v.report(t) {
		s.keeps(t, attempt.Name, attempt.Read)
		if strings.Contains(attempt.Read, "HOST_FORBIDDEN") || strings.Contains(attempt.Read, "ORIGIN_FORBIDDEN") {
			refused++
		} else if attempt.Read != "" {
			t.Errorf("%s: the page has read %s", attempt.Name, attempt.Read)
		}
	}
	if refused == 0 {
		t.Error("the page was not told that it is refused: did it call at all?")
	}
	s.wantNoneAnswered(t)
}

// TestE2ERebindingCan read everything of a server without a guard, so that the other test can fail.
func TestE2ERebindingCan(t *testing.T) {
	t.Parallel()
	attacker(t, "chromium")
	v, address := rebind(t)
	listener, err := net.Listen("tcp", address)
	must(t, err)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: make(open, 1000)}}
	server.Start()
	t.Cleanup(server.Close)
	v.orders <- orders{[]string{""}, "token"}
	report := v.report(t)
	if readers(report) == 0 {
		t.Errorf("the page has read nothing: %v", report)
	}
	t.Logf("%d of %d attempts have read the answer", readers(report), len(report))
}

// rebind opens a page that was served at an address where nobody listens any more.
func rebind(t *testing.T) (v *villain, address string) {
	t.Helper()
	v = newVillain(t)
	first := httptest.NewServer(v.Config.Handler)
	t.Cleanup(first.Close)
	address = first.Listener.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	browse(t, "http://rebind.test:"+port+"/page.html")
	select {
	case <-v.loaded:
	case <-waiting(t).Done():
		t.Fatal("the page was not loaded")
	}
	first.CloseClientConnections()
	first.Close()
	return v, address
}
