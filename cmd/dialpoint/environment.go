package main

import (
	"strings"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// The variables that carry URLs to a child: our own names, and those that Hermes children read.
var (
	gatewayVariables = []string{"DIALPOINT_GATEWAY_URL", "HERMES_TUI_GATEWAY_URL"}
	sidecarVariables = []string{"DIALPOINT_SIDECAR_URL", "HERMES_TUI_SIDECAR_URL"}
)

// environment is the URLs as lines of an environment file, as container runtimes read it: verbatim, without quotes. It is
// not for a shell to source, which would end a URL at its first "&".
func environment(endpoints *dialpointv1.Endpoints) (string, error) {
	var lines strings.Builder
	assign := func(names []string, endpoint *dialpointv1.Endpoint) {
		for _, name := range names {
			lines.WriteString(name + "=" + endpoint.GetUrl() + "\n")
		}
	}
	assign(gatewayVariables, endpoints.GetGateway())
	if endpoints.GetSidecar() != nil {
		assign(sidecarVariables, endpoints.GetSidecar())
	}
	return lines.String(), nil
}
