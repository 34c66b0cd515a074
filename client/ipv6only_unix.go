//go:build unix

package client

import "syscall"

// ipv6Only asks a socket that is bound to the IPv6 wildcard whether it refuses IPv4: IPV6_V6ONLY of RFC 3493, section
// 5.3, and of ipv6(7).
func ipv6Only(socket syscall.Conn) (*bool, error) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	var value int
	var failed error
	err = raw.Control(func(fd uintptr) {
		value, failed = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_IPV6, syscall.IPV6_V6ONLY)
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	return new(value != 0), nil
}
