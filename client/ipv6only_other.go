//go:build !unix

package client

import "syscall"

// ipv6Only does not know: the service finds it out.
func ipv6Only(syscall.Conn) (*bool, error) { return nil, nil } //nolint:nilnil // Not known is a good answer.
