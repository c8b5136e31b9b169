package live

import (
	"errors"
	"fmt"
	"math"
	"net"
	"syscall"
)

// ErrAddress is wrapped by errors about an address that is invalid or not allowed.
var ErrAddress = errors.New("must be HOST:PORT with a host of this machine's loopback, " +
	"such as 127.0.0.1:8080 or [::1]:0")

// Listen listens on an address HOST:PORT. Unless remote is set the host must resolve to a loopback
// address, so that only this machine reaches the server. If another program listens there, the error
// names a free port.
func Listen(address string, remote bool) (net.Listener, error) {
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%q %w: %w", address, ErrAddress, err)
	}
	if !remote && (at.IP == nil || !at.IP.IsLoopback()) {
		return nil, fmt.Errorf("%q %w", address, ErrAddress)
	}
	listener, err := net.ListenTCP("tcp", at)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%v is in use by another program, but %v is free: %w", at, nextFree(*at), err)
	}
	if err != nil {
		return nil, fmt.Errorf("live: %w", err)
	}
	return listener, nil
}

// nextFree returns the address of the first free port among the hundred ports after at, or port 0, with
// which the system chooses a free port, if there is none.
func nextFree(at net.TCPAddr) *net.TCPAddr {
	for last := min(at.Port+100, math.MaxUint16); at.Port < last; {
		at.Port++
		if listener, err := net.ListenTCP("tcp", &at); err == nil {
			listener.Close()
			return &at
		}
	}
	at.Port = 0
	return &at
}
