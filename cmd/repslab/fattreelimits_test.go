package main

import "testing"

// TestFattreeLimits: networks with more packets, or more places in queues, than there
// may be are refused, by the flag that makes them so large.
func TestFattreeLimits(t *testing.T) {
	checkRefused(t, "huge.cm", "Nodes 3\nConnections 1\n1->2 start 0 size 1\n", []refusal{
		{"fattree --hosts 1024 --message-bytes 9000000000", []string{"--message-bytes (2255552512 packets", "at most 2147483648"}},
		{"fattree --hosts 1048576", []string{"--message-bytes (2214592512 packets", "at most 2147483648"}},
		{"fattree --hosts 128000 --tiers 3 --queue 8192 --message-bytes 1B", []string{"--queue (8192) must be in [1, 2048]"}},
	})
}
