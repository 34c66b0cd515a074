// Package client asks a Dialpoint service what to dial.
//
// A child process resolves once, and dials what it is given:
//
//	service, err := client.New("") // $DIALPOINT_ADDR, else the default socket
//	if err != nil { ... }
//	defer service.Close()
//	endpoints, err := service.Resolve(ctx, client.Request{Channel: "chat-1"})
//	if err != nil { ... }
//	dial(endpoints.GetGateway().GetUrl())
//
// Never put a URL together from its parts, and never log one: Url holds a credential. DisplayUrl is the same with the
// credential masked.
//
// Calls use the Connect protocol (https://connectrpc.com/docs/protocol) over HTTP/1.1. They go straight to the service:
// no proxy is ever used, whatever the environment says, and no redirect is followed. The package needs Connect,
// protobuf and the standard library, so that it costs a child little to import.
//
// Every failed call gives an [*Error].
package client
