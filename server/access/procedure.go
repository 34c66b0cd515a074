package access

import "dialpoint/gen/dialpoint/v1/dialpointv1connect"

// leastRoles is the least role that each procedure needs. What is not in it is refused.
var leastRoles = map[string]Role{
	dialpointv1connect.EndpointServiceResolveEndpointsProcedure: Child,
	dialpointv1connect.EndpointServiceWatchEndpointsProcedure:   Child,

	// Who reports a listener sends children wherever they like. Reading tells how dashboards are set up, which no child
	// needs to know.
	dialpointv1connect.ListenerServiceReportListenerProcedure:   Operator,
	dialpointv1connect.ListenerServiceWithdrawListenerProcedure: Operator,
	dialpointv1connect.ListenerServiceGetListenerProcedure:      Operator,
	dialpointv1connect.ListenerServiceListListenersProcedure:    Operator,

	// Probes and tools ask before they have a token, and learn nothing that is not public.
	"/grpc.health.v1.Health/Check":                                   Nobody,
	"/grpc.health.v1.Health/Watch":                                   Nobody,
	"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo":      Nobody,
	"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": Nobody,
}

// IsOpen reports whether a path is that of a procedure which everybody may call: health or reflection.
func IsOpen(path string) bool {
	least, isKnown := leastRoles[path]
	return isKnown && least == Nobody
}

// authorize refuses a procedure to a role that is too low for it.
func authorize(role Role, procedure string) *refusal {
	least, isKnown := leastRoles[procedure]
	switch {
	case !isKnown:
		return unknownProcedure(procedure)
	case role >= least:
		return nil
	case role == Nobody:
		return credentialMissing()
	default:
		return roleForbidden(role, procedure)
	}
}
