// Package api answers the RPCs: it turns requests into questions to the registry and the rules, and what they say into
// messages and errors. It decides nothing itself.
package api
