package live

import (
	"errors"
	"fmt"
	"net"
)

// ErrAddress is wrapped by errors about an address that is invalid or not allowed.
var ErrAddress = errors.New("must be HOST:PORT with a host of this machine's loopback, " +
	"such as 127.0.0.1:8080 or [::1]:0")

// Listen listens on an address HOST:PORT. Unless remote is set the host must
// resolve to a loopback address, so that only this machine reaches the server.
func Listen(address string, remote bool) (net.Listener, error) {
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%q %w: %w", address, ErrAddress, err)
	}
	if !remote && (at.IP == nil || !at.IP.IsLoopback()) {
		return nil, fmt.Errorf("%q %w", address, ErrAddress)
	}
	listener, err := net.ListenTCP("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("live: %w", err)
	}
	return listener, nil
}
