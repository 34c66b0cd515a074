//go:build !linux && !darwin

package access

import (
	"errors"
	"fmt"
)

func peerOfSocket(int) (Peer, error) {
	return Peer{}, fmt.Errorf("not read on this system: %w", errors.ErrUnsupported)
}
