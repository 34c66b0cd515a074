package client_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"dialpoint/client"
	"dialpoint/server"
)

const (
	childToken    = "the-token-of-a-child"
	operatorToken = "the-token-of-an-operator"
)

// startService serves on a socket as the command does, until the test ends or what it returns second is called. Over a
// unix socket this user may do everything, over TCP who shows the operator's token.
func startService(t *testing.T, socket net.Listener) (service *server.Server, stop func()) {
	t.Helper()
	service, err := server.New(server.WithListener(server.Listener{}), server.WithTokens(childToken, operatorToken))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- service.Serve(ctx, shutting{socket}) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return service, stop
}

// operator is a client of a service that [startService] has started.
func operator(t *testing.T, address string) *client.Client {
	t.Helper()
	caller := connectTo(t, address)
	caller.Token = func(context.Context) (string, error) { return operatorToken, nil }
	return caller
}

// TestLeaseAcrossRestart: a service that has started again, and forgotten, hears of the dashboard long before the next
// renewal would come.
func TestLeaseAcrossRestart(t *testing.T) {
	t.Parallel()
	authority := newAuthority(t)
	config := &tls.Config{Certificates: []tls.Certificate{authority.issue(unchanged)}}
	ca := write(t, t.TempDir(), "ca.pem", authority.pem())
	for kind, open := range map[string]func(*testing.T) *place{"unix": unixPlace, "tcp": tcpPlace, "https": tcpPlace} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			place := open(t)
			listen := func() net.Listener {
				socket := mustListen(t, place.network, place.where)
				if kind == "https" {
					return tls.NewListener(shutting{socket}, config)
				}
				return socket
			}
			caller := operator(t, place.address)
			if kind == "https" {
				caller = operator(t, strings.Replace(place.address, "http", "https", 1))
				caller.CAFile = ca
			}
			first, stop := startService(t, listen())
			// The next renewal would come after a quarter of an hour.
			lease := mustHold(t, caller, client.Report{Port: 9119, TTL: time.Hour, Credential: "k"})
			wantHeld(t, first, lease.InstanceID(), 9119)
			stop()
			second, _ := startService(t, listen())
			endpoints, err := caller.Resolve(t.Context(), client.Request{Wait: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			if endpoints.GetGateway().GetUrl() != "ws://127.0.0.1:9119/api/ws?token=k" {
				t.Errorf("children dial %s", endpoints.GetGateway().GetDisplayUrl())
			}
			wantHeld(t, second, lease.InstanceID(), 9119)
			wantLive(t, lease)
			if err := lease.Close(); err != nil {
				t.Error(err)
			}
			wantHeld(t, second, "", 0)
		})
	}
}

// TestLeaseNeedsTheRole: a child's token is not enough to hold a listener.
func TestLeaseNeedsTheRole(t *testing.T) {
	t.Parallel()
	socket := listenTCP(t)
	service, _ := startService(t, socket)
	for token, want := range map[string]client.Reason{
		childToken: client.ReasonRoleForbidden, "": client.ReasonCredentialMissing, operatorToken + "x": client.ReasonCredentialInvalid,
	} {
		caller := connectTo(t, addressOf(socket))
		caller.Token = func(context.Context) (string, error) { return token, nil }
		if _, err := caller.Hold(t.Context(), client.Report{Port: 9119}); client.ReasonOf(err) != want {
			t.Errorf("with token %q: got %v, want %s", token, err, want)
		}
	}
	wantHeld(t, service, "", 0)
}

// TestLeaseIsRefusedMeanwhile: a token that is put right brings the listener back.
func TestLeaseIsRefusedMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	socket := listenTCP(t)
	service, _ := startService(t, socket)
	caller := connectTo(t, addressOf(socket))
	caller.TokenFile = write(t, dir, "token", operatorToken)
	refused, over := make(chan error), make(chan struct{})
	caller.Waiting = func(err error) {
		select {
		case refused <- err:
		case <-over:
		}
	}
	lease := mustHold(t, caller, client.Report{Port: 9119, InstanceID: "i", TTL: time.Hour})
	for text, want := range map[string]func(error) bool{
		childToken: func(err error) bool { return client.ReasonOf(err) == client.ReasonRoleForbidden },
		"n o n e":  func(err error) bool { return errors.Is(err, client.ErrConfiguration) },
		"":         func(err error) bool { return asError(t, err).Code.String() == "unavailable" },
	} {
		write(t, dir, "token", text)
		lease.Update(client.Report{Port: 9120})
		var err error
		for range 2 { // The first may be of the token before.
			err = <-refused
		}
		if !want(err) {
			t.Errorf("with token %q: waited for %v", text, err)
		}
	}
	wantHeld(t, service, "i", 9119)
	wantLive(t, lease)
	write(t, dir, "token", operatorToken)
	close(over)
	awaitPort(t, caller, 9120)
	wantLive(t, lease)
}

// TestHoldLeavesNoConnection behind, whether there was a lease or not.
func TestHoldLeavesNoConnection(t *testing.T) {
	for name, host := range map[string]string{"lease": "127.0.0.1", "refused": "no host"} {
		t.Run(name, func(t *testing.T) {
			closed := make(chan struct{}, 8)
			web := &http.Server{Handler: newService(t).Handler(), ReadHeaderTimeout: time.Minute, ConnState: func(_ net.Conn, state http.ConnState) {
				if state == http.StateClosed {
					closed <- struct{}{}
				}
			}}
			socket, own := listenUnix(t), listenTCP(t)
			go func() { _ = web.Serve(socket) }()
			t.Cleanup(func() { _ = errors.Join(web.Close(), own.Close()) })
			t.Setenv(client.AddressEnv, addressOf(socket))
			lease, err := client.Hold(t.Context(), own, host)
			if err == nil {
				err = lease.Close()
			}
			if (err != nil) != (name == "refused") {
				t.Error(err)
			}
			select {
			case <-closed:
			case <-time.After(20 * time.Second): // An idle connection is kept for 30.
				t.Error("the connection is still open")
			}
		})
	}
}

// awaitPort returns once children are told to dial a port.
func awaitPort(t *testing.T, caller *client.Client, port uint32) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for update, err := range caller.Watch(ctx, client.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		if update.GetEndpoints().GetExplanation().GetDialPort() == port {
			return
		}
	}
}

// TestLeaseIsUsedByMany: its methods may be called all at once.
func TestLeaseIsUsedByMany(t *testing.T) {
	t.Parallel()
	socket := listenUnix(t)
	service, _ := startService(t, socket)
	lease := mustHold(t, operator(t, addressOf(socket)), client.Report{Port: 1, TTL: time.Second})
	var many sync.WaitGroup
	for i := range 8 {
		many.Go(func() {
			for port := range 50 {
				lease.Update(client.Report{Port: 1 + port})
				_, _ = lease.Err(), lease.InstanceID()
			}
			if i == 7 {
				if err := lease.Close(); err != nil {
					t.Error(err)
				}
			}
			<-lease.Done()
		})
	}
	many.Wait()
	if lease.Err() != nil {
		t.Error(lease.Err())
	}
	wantHeld(t, service, "", 0)
}

func name(i int) string { return fmt.Sprint("dashboard-", i) }

// TestManyDashboards: each holds its own listener of one service, across a restart, and no other.
func TestManyDashboards(t *testing.T) {
	t.Parallel()
	const dashboards = 100
	start := func(socket net.Listener) (service *server.Server, stop func()) {
		var options []server.Option
		for i := range dashboards {
			options = append(options, server.WithListener(server.Listener{Name: name(i)}))
		}
		service, err := server.New(append(options, server.WithTrustedCallers())...)
		if err != nil {
			t.Fatal(err)
		}
		_, stop = serve(t, socket, service.Handler())
		return service, stop
	}
	place := unixPlace(t)
	_, stop := start(mustListen(t, place.network, place.where))
	for i := range dashboards {
		mustHold(t, connectTo(t, place.address), client.Report{Listener: name(i), Port: 1 + i, InstanceID: name(i), TTL: time.Hour})
	}
	stop()
	service, _ := start(mustListen(t, place.network, place.where))
	caller := connectTo(t, place.address)
	for i := range dashboards {
		if _, err := caller.Resolve(t.Context(), client.Request{Listener: name(i), Wait: time.Minute}); err != nil {
			t.Error(err)
		}
	}
	for _, known := range service.Listeners() {
		if known.InstanceID != known.Name || name(int(known.Bind.Port)-1) != known.Name {
			t.Errorf("listener %q is held by %q on port %d", known.Name, known.InstanceID, known.Bind.Port)
		}
	}
}
