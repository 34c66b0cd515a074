// Package client asks a Dialpoint service what to dial, and for a dashboard tells it what to dial.
//
// For children it has three layers, and each is enough for some.
//
// A child that reads its URLs once resolves them. A service that is not there yet is waited for, and so is a listener
// that is not bound yet, for as long as Request.Wait:
//
//	var service client.Client // found by $DIALPOINT_ADDR, else at the default socket
//	defer service.Close()
//	endpoints, err := service.Resolve(ctx, client.Request{Channel: "chat-1", Wait: 30 * time.Second})
//	if err != nil {
//		return err // says where nothing answered, or what is missing, and what to do
//	}
//	dial(endpoints.GetGateway().GetUrl())
//
// A child that acts on each change watches. The loop goes on across restarts of the service:
//
//	for update, err := range service.Watch(ctx, client.Request{}) {
//		switch {
//		case err != nil:
//			return err // ctx is over, or no new try can help
//		case update.GetEndpoints() != nil:
//			redial(update.GetEndpoints().GetGateway().GetUrl())
//		default:
//			pause(update.GetUnavailable().GetMessage())
//		}
//	}
//
// A child that dials again and again keeps a source, which knows the URLs of now without asking:
//
//	source, err := service.Source(ctx, client.Request{}) // returns with the first endpoints
//	if err != nil {
//		return err
//	}
//	defer source.Close()
//	endpoints, err := source.Endpoints() // before each dial; <-source.Updated() tells of changes
//
// A dashboard holds its listener for as long as it lives. Children are told where it is, whatever port it got, and not
// to wait for one that has died:
//
//	socket, err := net.Listen("tcp", "0.0.0.0:0")
//	…
//	lease, err := client.Hold(ctx, socket, "0.0.0.0") // returns once children can find it
//	…
//	defer lease.Close() // and they are told at once that it has gone
//
// Over TCP a service wants a token, a dashboard's that of an operator. The client takes it from the file that
// Client.TokenFile or $DIALPOINT_TOKEN_FILE names, which it reads for each try, and shows it at http and https addresses
// alone. At https addresses Client.CAFile says whom to trust, and Client.CertFile and Client.KeyFile what to show in
// return.
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
