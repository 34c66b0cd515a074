package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	dialpointv1 "dialpoint/gen/dialpoint/v1"
)

// childEnv is the environment of a child: the parent's, with URLs in it.
type childEnv struct {
	// gateway and sidecar are further names for the URLs, beside those that every child gets.
	gateway, sidecar []string
	pristine         bool

	assignments []string
}

func (c *childEnv) register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&c.assignments, "env", nil, "NAME=gateway or NAME=sidecar: another variable for that URL; may be repeated")
	cmd.Flags().BoolVar(&c.pristine, "pristine", false, "give the child no variables but these")
}

// check reads the names of further variables.
func (c *childEnv) check(channel string) error {
	c.gateway = slices.Clone(gatewayVariables)
	c.sidecar = slices.Clone(sidecarVariables)
	for _, assignment := range c.assignments {
		name, which, _ := strings.Cut(assignment, "=")
		switch {
		case name == "":
			return fmt.Errorf("--env %q: the name is missing, write NAME=gateway or NAME=sidecar", assignment)
		case which == "gateway":
			c.gateway = append(c.gateway, name)
		case which == "sidecar" && channel == "":
			return errors.New("--env " + assignment + ": a sidecar needs --channel, since it publishes for one chat")
		case which == "sidecar":
			c.sidecar = append(c.sidecar, name)
		default:
			return fmt.Errorf("--env %q: it must be NAME=gateway or NAME=sidecar", assignment)
		}
	}
	return nil
}

// environ is the environment of a child that dials these endpoints. Without endpoints it has no URLs, not even those
// that the parent had: they would be another listener's, or out of date.
func (c *childEnv) environ(parent []string, endpoints *dialpointv1.Endpoints) []string {
	if c.pristine {
		parent = nil
	}
	environ := without(parent, slices.Concat(c.gateway, c.sidecar))
	if endpoints == nil {
		return environ
	}
	environ = assign(environ, c.gateway, endpoints.GetGateway().GetUrl())
	if endpoints.GetSidecar() != nil {
		environ = assign(environ, c.sidecar, endpoints.GetSidecar().GetUrl())
	}
	return extendNoProxy(environ, endpoints.GetExplanation().GetNoProxy())
}

func assign(environ, names []string, value string) []string {
	for _, name := range names {
		environ = append(environ, name+"="+value)
	}
	return environ
}

// without is an environment without some variables.
func without(environ, names []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(names, name)
	})
}

// valueOf is a variable's value, the last where there are several, as most programs read it.
func valueOf(environ []string, name string) string {
	for _, variable := range slices.Backward(environ) {
		if value, found := strings.CutPrefix(variable, name+"="); found {
			return value
		}
	}
	return ""
}
