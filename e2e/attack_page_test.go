//go:build e2e

package e2e_test

import (
	"embed"
	"encoding/json"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

//go:embed testdata/attack
var pages embed.FS

// attempt is one thing that a page has tried, and what it could read of the answer.
type attempt struct {
	Name  string `json:"name"`
	Read  string `json:"read"`
	Error string `json:"error"`
}

// orders are what a page is told once it may begin.
type orders struct {
	Bases []string `json:"bases"`
	Token string   `json:"token"`
}

// villain is the server of whoever wrote the page.
type villain struct {
	*httptest.Server

	// loaded yields a value when a page asks for its orders.
	loaded  chan struct{}
	orders  chan orders
	reports chan []attempt
}

func newVillain(t *testing.T) *villain {
	t.Helper()
	v := &villain{loaded: make(chan struct{}, 1), orders: make(chan orders, 1), reports: make(chan []attempt, 1)}
	v.Server = httptest.NewUnstartedServer(v.handler(t))
	v.Start()
	t.Cleanup(v.Close)
	return v
}

// at is the address of a page of the villain's, under a name of its host.
func (v *villain) at(name, page string) string {
	_, port, _ := net.SplitHostPort(v.Listener.Addr().String())
	return "http://" + net.JoinHostPort(name, port) + page
}

// handler serves the pages, and what they ask of their author from whatever origin they are.
func (v *villain) handler(t *testing.T) http.Handler {
	t.Helper()
	files, err := fs.Sub(pages, "testdata/attack")
	must(t, err)
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("GET /page.html", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><title>attack</title><script src="/page.js?own=` + url.QueryEscape(v.URL) + `"></script>`))
	})
	mux.HandleFunc("GET /go", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		v.loaded <- struct{}{}
		select {
		case now := <-v.orders:
			_ = json.NewEncoder(w).Encode(now)
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("POST /report", func(w http.ResponseWriter, r *http.Request) {
		var report []attempt
		if err := json.NewDecoder(r.Body).Decode(&report); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		v.reports <- report
	})
	return mux
}

// report is what the page has come to.
func (v *villain) report(t *testing.T) []attempt {
	t.Helper()
	select {
	case report := <-v.reports:
		if len(report) == 0 {
			t.Fatal("the page has tried nothing")
		}
		return report
	case <-waiting(t).Done():
		t.Fatal("the page has reported nothing")
	}
	return nil
}

// open is a server that any page may call and read. It yields the name of each attempt that arrives.
type open chan string

// ServeHTTP implements [http.Handler].
func (o open) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	header.Set("Access-Control-Allow-Credentials", "true")
	header.Set("Access-Control-Allow-Headers", "authorization, content-type")
	header.Set("Content-Type", "application/json")
	if r.Method != http.MethodOptions {
		o <- r.URL.Query().Get("attempt")
	}
	_, _ = w.Write([]byte(`{"url": "` + marker + `"}`))
}

// awaitAll waits until every attempt has arrived.
func (o open) awaitAll(t *testing.T, report []attempt) {
	t.Helper()
	left := map[string]attempt{}
	for _, attempt := range report {
		left[attempt.Name] = attempt
	}
	late := waiting(t).Done()
	for len(left) > 0 {
		select {
		case name := <-o:
			delete(left, name)
		case <-late:
			t.Fatalf("these have not arrived: %v", slices.Collect(maps.Values(left)))
		}
	}
}

// readers counts the attempts that have read the marker.
func readers(report []attempt) int {
	count := 0
	for _, attempt := range report {
		if strings.Contains(attempt.Read, marker) {
			count++
		}
	}
	return count
}
