package client

import (
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// Request says what to resolve or watch. The zero Request is the gateway of the default listener.
type Request struct {
	// Listener is the listener's name. Empty means "default".
	Listener string
	// Channel is the chat that the sidecar publishes for, of the form ^[A-Za-z0-9._-]{1,128}$. Empty means that no
	// sidecar is wanted.
	Channel string
	// Audience says whether the caller shares the listener's loopback. Unspecified means that the connection decides:
	// a loopback peer does, and one over a unix socket unless it is in another network namespace.
	Audience dialpointv1.Audience
	// Wait is how long to wait until the listener is bound, at most 5 minutes. Zero takes the answer that there is. A
	// context that ends earlier ends the call. [Client.Watch] and [Client.Source] have no use for it.
	Wait time.Duration
}

// resolve is the request of one try, which may hold the call for so long.
func (r Request) resolve(hold time.Duration) *dialpointv1.ResolveEndpointsRequest {
	request := &dialpointv1.ResolveEndpointsRequest{Listener: r.Listener, Channel: r.Channel, Audience: r.Audience}
	if hold != 0 {
		request.Wait = durationpb.New(hold)
	}
	return request
}

func (r Request) watch() *dialpointv1.WatchEndpointsRequest {
	return &dialpointv1.WatchEndpointsRequest{Listener: r.Listener, Channel: r.Channel, Audience: r.Audience}
}
