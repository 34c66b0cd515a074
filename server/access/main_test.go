package access_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"connectrpc.com/connect"
	"go.uber.org/goleak"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server/access"
)

// The test binary is also the other process that a test needs.
var (
	become = flag.String("access.become", "", "UID:GID:GROUP,GROUP that the process becomes first")
	call   = flag.String("access.call", "", "call the service at this unix socket, print what it says, and end")
	host   = flag.String("access.serve", "", "serve at this unix socket until the standard input ends")
	tokens = flag.String("access.tokens", "", "print the tokens of this directory, and end")
)

func TestMain(m *testing.M) {
	flag.Parse()
	play := map[*string]func(string) error{call: callOnce, host: serveUntilEOF, tokens: printTokens}
	for part, run := range play {
		if *part == "" {
			continue
		}
		if err := run(*part); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// callOnce prints the role that the service sees in this process, or the reason why it refuses.
func callOnce(socket string) error {
	if err := changeUser(*become); err != nil {
		return err
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}
	client := dialpointv1connect.NewEndpointServiceClient(&http.Client{Transport: transport}, "http://unix")
	response, err := client.ResolveEndpoints(context.Background(), &dialpointv1.ResolveEndpointsRequest{})
	answer := response.GetEndpoints().GetListener()
	if err != nil {
		answer = reasonOf(err)
	}
	if answer == "" {
		return err
	}
	_, err = fmt.Fprintln(os.Stdout, answer)
	return err
}

// changeUser changes this process itself. One that began as another user could not read the test binary.
func changeUser(who string) error {
	if who == "" {
		return nil
	}
	ids := strings.Split(who, ":")
	var groups []int
	for text := range strings.SplitSeq(ids[2], ",") {
		if group, err := strconv.Atoi(text); err == nil {
			groups = append(groups, group)
		}
	}
	uid, err := strconv.Atoi(ids[0])
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(ids[1])
	if err != nil {
		return err
	}
	if err := syscall.Setgroups(groups); err != nil {
		return err
	}
	if err := syscall.Setgid(gid); err != nil {
		return err
	}
	return syscall.Setuid(uid)
}

// serveUntilEOF lets in, beside its own user, whoever reads as an overflow id.
func serveUntilEOF(path string) error {
	socket, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	web := webServer(access.NewGate(discard, access.Policy{AllowUsers: []uint32{65534}, AllowGroups: []uint32{65534}}))
	go func() { _ = web.Serve(socket) }()
	if _, err := fmt.Fprintln(os.Stdout, "ready"); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func printTokens(dir string) error {
	child, operator, err := access.EnsureTokens(dir)
	if err == nil {
		_, err = fmt.Fprintln(os.Stdout, child.Reveal(), operator.Reveal())
	}
	return err
}

// role is a service that answers with the role of who asks.
type role struct {
	dialpointv1connect.UnimplementedEndpointServiceHandler
	dialpointv1connect.UnimplementedListenerServiceHandler
}

func (role) ResolveEndpoints(ctx context.Context, _ *dialpointv1.ResolveEndpointsRequest) (*dialpointv1.ResolveEndpointsResponse, error) {
	return &dialpointv1.ResolveEndpointsResponse{Endpoints: &dialpointv1.Endpoints{Listener: access.RoleOf(ctx).String()}}, nil
}

func (role) WatchEndpoints(ctx context.Context, _ *dialpointv1.WatchEndpointsRequest, stream *connect.ServerStream[dialpointv1.WatchEndpointsResponse]) error {
	return stream.Send(&dialpointv1.WatchEndpointsResponse{
		Update: &dialpointv1.WatchEndpointsResponse_Endpoints{Endpoints: &dialpointv1.Endpoints{Listener: access.RoleOf(ctx).String()}},
	})
}

func (role) ListListeners(ctx context.Context, _ *dialpointv1.ListListenersRequest) (*dialpointv1.ListListenersResponse, error) {
	return &dialpointv1.ListListenersResponse{Listeners: []*dialpointv1.Listener{{Name: access.RoleOf(ctx).String()}}}, nil
}
