package client

import (
	"context"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// Client calls a Dialpoint service. The zero Client works: it finds the service by the environment. It may be used by
// several goroutines at once, and must not be copied or changed after the first call.
//
// A service that is not there yet is waited for, since children start before, beside and after it.
type Client struct {
	// Addr is where the service is: one address or several, in the form of [ParseAddresses]. With several, calls move
	// on to the next when one does not answer, and stay with the one that did. Blank is [DefaultAddress], with the
	// environment of the process.
	Addr string
	// Patience is how long a call goes on looking for a service that answers. The deadline of its context, where it has
	// one, counts instead. Zero is 30 seconds; a call that asks for more time with Request.Wait looks so long. Negative
	// tries each address once.
	Patience time.Duration
	// TokenFile is the path of a file that holds the token to show the service, and nothing else but white space around
	// it. It is read for each try, so that a new token needs no restart, and waited for like a service while it is not
	// there or empty. Blank is the file that [TokenFileEnv] names, else the token in [TokenEnv], else none.
	//
	// Tokens go to http and https addresses alone: at a unix socket the kernel says who calls.
	TokenFile string
	// Token, where it is set, gives the token, in place of TokenFile and of the environment. It is called for each try,
	// by several goroutines at once. An empty token is none. An error that is [io/fs.ErrNotExist] is waited for like a
	// service, and any other ends the call; its text is in the error of the call, and must not hold the token.
	Token func(ctx context.Context) (string, error)
	// CAFile is the path of a file with the certificates, in PEM, of those who may vouch for a service at an https
	// address. Blank is the file that [CAFileEnv] names, else those whom the system trusts. This file and the next two
	// are read for each connection, so that new ones need no restart. To give any of them where no address is https is
	// an error; what the environment names is left alone there.
	CAFile string
	// CertFile and KeyFile are the paths of files with the certificate, those of its issuers behind it, and the private
	// key, in PEM, by which the client says who it is at an https address. It needs both or none. Blank are the files
	// that [CertFileEnv] and [KeyFileEnv] name.
	CertFile, KeyFile string
	// Waiting, where it is set, is called with what is wrong each time that no address answered, that a watch broke off,
	// or that a [Lease] could not be had or renewed, before the pause until the next try. It gets an [*Error], on the
	// goroutine that looks for the service, which of a [Source] and of a [Lease] is one of its own.
	Waiting func(err error)

	once     sync.Once
	services []*service
	err      error
	// preferred is the index of the service to try first.
	preferred atomic.Int64
	// ending tells leases that a service may have started again.
	ending ending

	// random and transport stand in for chance and the network in tests.
	random    func() float64
	transport func(Address) http.RoundTripper
}

// New makes a client of the service at an address, as in Client.Addr. It does not connect. The error says what is wrong
// with the address, and names [AddressEnv] when it came from there.
func New(address string) (*Client, error) {
	client := &Client{Addr: address}
	if err := client.locate(); err != nil {
		return nil, err
	}
	return client, nil
}

// locate reads the addresses, once.
func (c *Client) locate() error {
	c.once.Do(func() {
		var addresses []Address
		addresses, c.err = locate(c.Addr, os.LookupEnv)
		for i, address := range addresses {
			c.services = append(c.services, c.newService(i, address))
		}
	})
	return c.err
}

// ready is what is wrong with what the client was told, apart from what stands in files.
func (c *Client) ready() *Error {
	err := c.locate()
	if err == nil {
		err = c.checkTLS()
	}
	if err != nil {
		return badUse(err)
	}
	return nil
}

// isAtDefaultSocket reports whether nobody said where the service is.
func (c *Client) isAtDefaultSocket() bool {
	return isBlank(c.Addr) && said(os.LookupEnv, AddressEnv) == ""
}

// file is the one that the client was told of, by a field or by the environment.
func (c *Client) file(setting setting, given string) file { return setting.at(given, os.LookupEnv) }

// envToken is the token that stands in the environment.
func (c *Client) envToken() (token, error) {
	return tokenFrom("env "+TokenEnv, said(os.LookupEnv, TokenEnv))
}

// Addresses are where the client looks for the service. There are none when Addr cannot be read.
func (c *Client) Addresses() []Address {
	_ = c.locate()
	addresses := make([]Address, len(c.services))
	for i, service := range c.services {
		addresses[i] = service.address
	}
	return addresses
}

// inTurn is the services in the order in which to try them.
func (c *Client) inTurn() []*service {
	first := c.preferred.Load()
	return slices.Concat(c.services[first:], c.services[:first])
}

// prefer has the calls that follow try a service first. An index past the last is the first again.
func (c *Client) prefer(index int) { c.preferred.Store(int64(index % len(c.services))) }

// waiting tells who wants to know that no service answers.
func (c *Client) waiting(err *Error) {
	if c.Waiting != nil {
		c.Waiting(err)
	}
}

// Close drops the connections that are not in use. It may be called more than once, and the client still works after
// it.
func (c *Client) Close() {
	_ = c.locate()
	for _, service := range c.services {
		service.http.CloseIdleConnections()
	}
}

// Resolve asks what to dial now, or once the listener is bound with Request.Wait. The error is an [*Error].
//
// The URLs of the answer hold a credential: log DisplayUrl, never Url.
func (c *Client) Resolve(ctx context.Context, request Request) (*dialpointv1.Endpoints, error) {
	return ask(ctx, c, request.Wait, func(ctx context.Context, service *service, hold time.Duration) (*dialpointv1.Endpoints, error) {
		response, err := service.endpoints.ResolveEndpoints(ctx, request.resolve(hold))
		if err == nil && response.GetEndpoints().GetGateway() == nil {
			err = errHollow
		}
		return response.GetEndpoints(), err
	})
}

// GetListener is what the service knows of one listener. An empty name means "default". The error is an [*Error].
func (c *Client) GetListener(ctx context.Context, name string) (*dialpointv1.Listener, error) {
	return ask(ctx, c, 0, func(ctx context.Context, service *service, _ time.Duration) (*dialpointv1.Listener, error) {
		response, err := service.listeners.GetListener(ctx, &dialpointv1.GetListenerRequest{Listener: name})
		if err == nil && response.GetListener() == nil {
			err = errHollow
		}
		return response.GetListener(), err
	})
}

// ListListeners is what the service knows of all listeners, by name. The error is an [*Error].
func (c *Client) ListListeners(ctx context.Context) ([]*dialpointv1.Listener, error) {
	return ask(ctx, c, 0, func(ctx context.Context, service *service, _ time.Duration) ([]*dialpointv1.Listener, error) {
		response, err := service.listeners.ListListeners(ctx, new(dialpointv1.ListListenersRequest))
		return response.GetListeners(), err
	})
}
