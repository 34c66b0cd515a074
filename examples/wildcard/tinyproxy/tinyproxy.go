// Package tinyproxy runs a real forward proxy, https://tinyproxy.github.io, on loopback.
package tinyproxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"dialpoint/examples/wildcard/process"
)

// ErrMissing means that tinyproxy is not installed.
var ErrMissing = errors.New("tinyproxy is not installed; on Debian or Ubuntu: apt-get install tinyproxy-bin")

// startTimeout is how long the proxy may take to listen.
const startTimeout = 10 * time.Second

// Proxy is a running proxy. It is for one goroutine.
type Proxy struct {
	// URL is what goes into HTTP_PROXY.
	URL string

	process *process.Process
	client  *http.Client
	marks   int
	seen    int
}

// Start runs tinyproxy until Close or the end of the context, with its configuration in a directory of the caller's. It
// returns once the proxy listens, and [ErrMissing] when there is no tinyproxy.
func Start(ctx context.Context, dir string) (*Proxy, error) {
	program, err := exec.LookPath("tinyproxy")
	if err != nil {
		return nil, ErrMissing
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	config, err := configure(dir, port)
	if err != nil {
		return nil, err
	}
	running, err := process.Start(process.Command(ctx, program, "-d", "-c", config))
	if err != nil {
		return nil, err
	}
	starting, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if _, err := running.Await(starting, &running.Out, "Accepting connections"); err != nil {
		return nil, errors.Join(err, running.Stop())
	}
	address := &url.URL{Scheme: "http", Host: net.JoinHostPort(host, strconv.Itoa(port))}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(address), DisableKeepAlives: true}}
	return &Proxy{URL: address.String(), process: running, client: client}, nil
}

// Close ends the proxy.
func (p *Proxy) Close() error { return p.process.Stop() }

// freePort is a port that nobody listens on. tinyproxy cannot be asked to take any.
func freePort(ctx context.Context) (int, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, err
	}
	_, text, err := net.SplitHostPort(listener.Addr().String())
	if err = errors.Join(err, listener.Close()); err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

// Requests is what the proxy was asked, and what it refused, since the last call: "CONNECT 0.0.0.0:9119 HTTP/1.1". All
// that was asked before this call is in it.
func (p *Proxy) Requests(ctx context.Context) ([]string, error) {
	if err := p.mark(ctx); err != nil {
		return nil, err
	}
	lines := p.process.Out.Lines()
	var requests []string
	for _, line := range lines[p.seen:] {
		if request, found := entry(line); found {
			requests = append(requests, request)
		}
	}
	p.seen = len(lines)
	return requests, nil
}

// mark asks the proxy for its own page, and waits until that is in the log: what was logged earlier is there, too.
func (p *Proxy) mark(ctx context.Context) error {
	p.marks++
	mark := fmt.Sprintf("http://%s/%d", ownPage, p.marks)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, mark, http.NoBody)
	if err != nil {
		return err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	_, err = p.process.Await(ctx, &p.process.Out, mark+" ")
	return errors.Join(err, response.Body.Close())
}

// entry is what a line of the log says of somebody's request, without level, time, process and descriptor.
func entry(line string) (string, bool) {
	if strings.Contains(line, ownPage) {
		return "", false
	}
	if _, request, found := strings.Cut(line, "]: Request (file descriptor "); found {
		_, request, _ = strings.Cut(request, "): ")
		return request, true
	}
	_, refusal, found := strings.Cut(line, "]: Proxying refused ")
	return "Proxying refused " + refusal, found
}
