package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dialpoint/examples/wildcard/dashboard"
	"dialpoint/examples/wildcard/process"
)

// story tells, and checks that what it tells is so.
type story struct {
	*stage

	out   io.Writer
	child string
}

func newStory(out io.Writer, stage *stage) *story {
	return &story{stage: stage, out: out, child: filepath.Join(nodeDir, "child.mjs")}
}

func (s *story) tell(ctx context.Context) error {
	s.sayf("A dashboard binds %s, so that other machines reach it.", s.bound())
	s.sayf("Its children run behind a forward proxy, and with a NO_PROXY that lacks %s:", bindHost)
	s.quote("env", "HTTP_PROXY="+s.proxy.URL, "NO_PROXY="+noProxy)
	if err := s.withBindHost(ctx); err != nil {
		return fmt.Errorf("with the bind host in the URL: %w", err)
	}
	if err := s.throughDialpoint(ctx); err != nil {
		return fmt.Errorf("through Dialpoint: %w", err)
	}
	s.sayf("\nThe bind never changed, and neither did the child nor its proxy settings. Only what it was told to dial did.")
	return nil
}

// withBindHost is the bug: the bind host goes into the URL, and the connection to the proxy.
func (s *story) withBindHost(ctx context.Context) error {
	s.sayf("\n1. As in hermes-agent issue 58993, a child gets the bind host in its URL:")
	url := "ws://" + s.bound() + dashboard.GatewayPath + "?token=" + token
	code, err := s.run(ctx, "node", s.behindProxy(process.Command(ctx, "node", s.child), "HERMES_TUI_GATEWAY_URL="+url))
	if err != nil {
		return err
	}
	requests, err := s.proxy.Requests(ctx)
	if err != nil {
		return err
	}
	s.quote("proxy", requests...)
	switch visits := s.visits(); {
	case code == 0 || len(visits) > 0:
		return errors.New("the child connected, and should not have")
	case !slices.ContainsFunc(requests, s.isForDashboard):
		return errors.New("the connection should have gone to the proxy, and did not")
	}
	s.sayf("   It went to the proxy, which cannot reach a wildcard. The chat never connects.")
	return nil
}

// throughDialpoint is the fix: the same child, started by dialpoint exec.
func (s *story) throughDialpoint(ctx context.Context) error {
	s.sayf("\n2. Dialpoint knows the bind, and says what to dial:")
	s.quote("$", fmt.Sprintf("dialpoint serve --bind-host %s --bind-port %d &", bindHost, s.dashboard.Port()), "dialpoint resolve")
	service, err := s.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = service.Stop() }()
	if code, err := s.run(ctx, "dialpoint", s.behindProxy(process.Command(ctx, s.program, "resolve"))); code != 0 || err != nil {
		return errors.Join(err, fmt.Errorf("dialpoint resolve exited with %d", code))
	}
	s.sayf("\n3. The same child, the same proxy, started by Dialpoint:")
	s.quote("$", "dialpoint exec -- node child.mjs")
	code, err := s.run(ctx, "node", s.behindProxy(process.Command(ctx, s.program, "exec", "--", "node", s.child)))
	if err != nil {
		return err
	}
	return s.direct(ctx, code)
}

// direct checks that a child has reached the dashboard, and not through the proxy.
func (s *story) direct(ctx context.Context, code int) error {
	requests, err := s.proxy.Requests(ctx)
	if err != nil {
		return err
	}
	visits := s.visits()
	s.quote("dashboard", visits...)
	s.quote("proxy", append(requests, "(nothing)")[0])
	switch {
	case code != 0 || len(visits) != 1:
		return fmt.Errorf("the child should have connected once; it exited with %d", code)
	case len(requests) > 0:
		return errors.New("something went to the proxy, and should not have")
	}
	s.sayf("   It connected directly.")
	return nil
}

// run runs a command, and quotes what it writes. A failure of the command itself is its exit code, and no error.
func (s *story) run(ctx context.Context, who string, command *exec.Cmd) (code int, err error) {
	running, err := process.Start(command)
	if err != nil {
		return 0, err
	}
	err = running.Wait()
	s.quote(who, append(running.Out.Lines(), running.Err.Lines()...)...)
	if failure := new(exec.ExitError); errors.As(err, &failure) && ctx.Err() == nil {
		return failure.ExitCode(), nil
	}
	return 0, err
}

// isForDashboard reports whether a request to the proxy was for the dashboard.
func (s *story) isForDashboard(request string) bool {
	return strings.HasPrefix(request, "CONNECT "+s.bound()+" ")
}

// bound is the dashboard's bind host and port, which a URL should never hold.
func (s *story) bound() string { return net.JoinHostPort(bindHost, strconv.Itoa(s.dashboard.Port())) }

// visits are the children that the dashboard has let in since the last call.
func (s *story) visits() []string {
	var visits []string
	for {
		select {
		case visit := <-s.dashboard.Visits():
			visits = append(visits, fmt.Sprintf("a child connected to %s from %s", visit.Path, visit.From))
		default:
			return visits
		}
	}
}

func (s *story) sayf(format string, arguments ...any) {
	_, _ = fmt.Fprintf(s.out, format+"\n", arguments...)
}

// quote shows what somebody wrote.
func (s *story) quote(who string, lines ...string) {
	for _, line := range lines {
		_, _ = fmt.Fprintf(s.out, "   %9s | %s\n", who, line)
	}
}
