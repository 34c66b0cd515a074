package server_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/durationpb"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
	"dialpoint/gen/dialpoint/v1/dialpointv1connect"
	"dialpoint/server"
	"dialpoint/server/access"
	"dialpoint/server/socket"
)

// showing is a client that shows a token.
type showing struct {
	http.RoundTripper

	token string
}

func (s showing) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+s.token)
	return s.RoundTripper.RoundTrip(request)
}

// as is the endpoint service for who shows a token.
func (r *running) as(t *testing.T, token string, http2 bool) dialpointv1connect.EndpointServiceClient {
	t.Helper()
	web := withoutToken(webClient(t, http2, ""))
	web.Transport = showing{web.Transport, token}
	return dialpointv1connect.NewEndpointServiceClient(web, r.tcp)
}

// A token that is replaced ends what is open with it: nothing that comes later is for who has the old one.
func TestReplacedTokenEndsWhatIsOpen(t *testing.T) {
	t.Parallel()
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			built, directory := withoutTokens(t, onTCP)
			sockets, err := built.Listen(t.Context(), socket.Sockets{})
			must(t, err)
			service := run(t, built, sockets...)
			child := service.as(t, tokenIn(t, directory, access.ChildTokenFile), http2)
			operator := service.as(t, tokenIn(t, directory, access.OperatorTokenFile), http2)

			ended := make(chan error, 2)
			stream := watching(t, child)
			go func() {
				for stream.Receive() {
					continue
				}
				ended <- stream.Err()
			}()
			must(t, built.SetBind("", server.Bind{Host: "0.0.0.0"}))
			go func() {
				_, err := child.ResolveEndpoints(context.WithoutCancel(t.Context()),
					&dialpointv1.ResolveEndpointsRequest{Wait: durationpb.New(4 * time.Minute)})
				ended <- err
			}()
			kept := watching(t, operator)
			service.AwaitWatches(t, 3)

			other := filepath.Join(t.TempDir(), "token")
			write(t, other, strings.Repeat("n", 40))
			must(t, os.Rename(other, filepath.Join(directory, access.ChildTokenFile)))
			for range 2 {
				if err := <-ended; connect.CodeOf(err) != connect.CodeUnauthenticated || !strings.Contains(err.Error(), "token") {
					t.Errorf("what was open ended with %v, want UNAUTHENTICATED", err)
				}
			}
			must(t, built.SetBind("", server.Bind{Host: "0.0.0.0", Port: 9443}))
			if !kept.Receive() || kept.Msg().GetEndpoints().GetExplanation().GetDialPort() != 9443 {
				t.Errorf("the operator's watch was cut or is not told: %v, %v", kept.Msg(), kept.Err())
			}
		})
	}
}

// watching is a watch that has had its first message.
func watching(t *testing.T, client dialpointv1connect.EndpointServiceClient) *connect.ServerStreamForClient[dialpointv1.WatchEndpointsResponse] {
	t.Helper()
	stream, err := client.WatchEndpoints(context.WithoutCancel(t.Context()), &dialpointv1.WatchEndpointsRequest{})
	must(t, err)
	t.Cleanup(func() { _ = stream.Close() })
	if !stream.Receive() {
		t.Fatal(stream.Err())
	}
	return stream
}

// The old token is refused before the new credential is known to anybody.
func TestTokensChangeBeforeCredentials(t *testing.T) {
	t.Parallel()
	directory := ownDirectory(t)
	write(t, filepath.Join(directory, "one"), "")
	files := func(name, token, credential string) {
		must(t, os.MkdirAll(filepath.Join(directory, name), 0o700))
		write(t, filepath.Join(directory, name, "token"), token)
		write(t, filepath.Join(directory, name, "credential"), credential)
		must(t, os.Symlink(name, filepath.Join(directory, "next")))
		must(t, os.Rename(filepath.Join(directory, "next"), filepath.Join(directory, "now")))
	}
	const old, fresh = "the-old-token-of-children", "the-new-token-of-children"
	must(t, os.Remove(filepath.Join(directory, "one")))
	files("one", old, "credential-one")
	built, _ := fromConfigIn(t, directory, "serve: {tcp: \"127.0.0.1:0\", child_token_file: now/token}\n"+
		"listeners: [{name: default, bind: {host: 0.0.0.0, port: 9119}, auth: {credential_file: now/credential}}]\n")
	sockets, err := built.Listen(t.Context(), socket.Sockets{})
	must(t, err)
	service := run(t, built, sockets...)
	child := service.as(t, old, false)
	for range 3 {
		files("two", fresh, "credential-two")
		for {
			response, err := child.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{})
			if err != nil {
				break
			}
			if response.GetEndpoints().GetCredential().GetValue() == "credential-two" {
				t.Fatal("the old token was given the new credential")
			}
		}
		files("one", old, "credential-one")
		for {
			// The token is taken a moment before its credential is there.
			response, err := child.ResolveEndpoints(t.Context(), &dialpointv1.ResolveEndpointsRequest{})
			if err == nil && response.GetEndpoints().GetCredential().GetValue() == "credential-one" {
				break
			}
			must(t, t.Context().Err())
		}
	}
}
