//go:build !linux

package access

// unmappedHere finds none: user namespaces are Linux's.
func unmappedHere() unmapped { return unmapped{user: noID, group: noID} }
