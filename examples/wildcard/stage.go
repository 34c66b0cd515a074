package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"dialpoint/examples/wildcard/dashboard"
	"dialpoint/examples/wildcard/process"
	"dialpoint/examples/wildcard/tinyproxy"
)

const (
	// bindHost is what the dashboard binds, and what no child should dial.
	bindHost = "0.0.0.0"
	// token is what the dashboard wants of its children.
	token = "not-a-secret"
	// noProxy is what the person who set up the proxy thought of.
	noProxy = "localhost,127.0.0.1"
	// nodeDir is where the child lives.
	nodeDir = "examples/wildcard/node"
)

// stage is the parts of the story that are there from its beginning.
type stage struct {
	dashboard *dashboard.Dashboard
	proxy     *tinyproxy.Proxy
	// program is the command dialpoint, built from this repository.
	program string
	// socket is where its service will listen.
	socket string
}

// build starts the dashboard and the proxy, and makes everything else ready. The directory is for files that the story
// leaves behind.
func build(ctx context.Context, dir string) (*stage, error) {
	if err := need(); err != nil {
		return nil, err
	}
	s := &stage{program: filepath.Join(dir, "dialpoint"), socket: filepath.Join(dir, "dialpoint.sock")}
	if err := quietly(process.Command(ctx, "go", "build", "-o", s.program, "./cmd/dialpoint")); err != nil {
		return nil, err
	}
	if err := install(ctx); err != nil {
		return nil, err
	}
	var err error
	if s.proxy, err = tinyproxy.Start(ctx, dir); err != nil {
		return nil, err
	}
	if s.dashboard, err = dashboard.Listen(ctx, "tcp4", bindHost+":0", token); err != nil {
		return nil, errors.Join(err, s.proxy.Close())
	}
	return s, nil
}

func (s *stage) close() {
	_ = s.dashboard.Close()
	_ = s.proxy.Close()
}

// need says what is missing, all of it at once.
func need() error {
	if _, err := os.Stat(nodeDir); err != nil {
		return errors.New("run it from the root of the repository: go run ./examples/wildcard")
	}
	var missing, install []string
	for _, part := range []struct{ program, from string }{
		{"node", "nodejs"}, {"npm", "npm"}, {"tinyproxy", "tinyproxy-bin"},
	} {
		if _, err := exec.LookPath(part.program); err != nil {
			missing = append(missing, part.program)
			install = append(install, part.from)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("not installed: %s; on Debian or Ubuntu: apt-get install %s",
		strings.Join(missing, ", "), strings.Join(install, " "))
}

// install gets the child's package, once.
func install(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(nodeDir, "node_modules", "undici")); err == nil {
		return nil
	}
	command := process.Command(ctx, "npm", "ci")
	command.Dir = nodeDir
	return quietly(command)
}

// quietly runs a command that has nothing to tell unless it fails.
func quietly(command *exec.Cmd) error {
	running, err := process.Start(command)
	if err != nil {
		return err
	}
	if err := running.Wait(); err != nil {
		return fmt.Errorf("%s: %w\n%s%s", strings.Join(command.Args, " "), err, &running.Out, &running.Err)
	}
	return nil
}

// serve starts the service, and returns once it listens.
func (s *stage) serve(ctx context.Context) (*process.Process, error) {
	port := strconv.Itoa(s.dashboard.Port())
	command := process.Command(ctx, s.program, "serve", "--unix", s.socket, "--tcp", "none", "--bind-host", bindHost, "--bind-port", port)
	command.Dir = filepath.Dir(s.program)
	// Nothing else of the environment, since there may be settings of another service in it.
	command.Env = []string{"DIALPOINT_CREDENTIAL=" + token}
	service, err := process.Start(command)
	if err != nil {
		return nil, err
	}
	if _, err := service.Await(ctx, &service.Out, "unix://"); err != nil {
		return nil, errors.Join(err, service.Stop())
	}
	return service, nil
}

// behindProxy gives a command the environment of everything in this story that is a client.
func (s *stage) behindProxy(command *exec.Cmd, more ...string) *exec.Cmd {
	command.Env = append(command.Environ(), "DIALPOINT_ADDR=unix://"+s.socket)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		command.Env = append(command.Env, name+"="+s.proxy.URL, strings.ToLower(name)+"="+s.proxy.URL)
	}
	command.Env = append(command.Env, "NO_PROXY="+noProxy, "no_proxy="+noProxy)
	command.Env = append(command.Env, more...)
	return command
}
