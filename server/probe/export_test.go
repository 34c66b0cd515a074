package probe

import (
	"context"
	"net/netip"
)

// Connect is how a prober connects.
var Connect = connect

// SetConnect has a prober that does not run yet connect in another way.
func (p *Prober) SetConnect(connect func(context.Context, netip.AddrPort) error) { p.connect = connect }
