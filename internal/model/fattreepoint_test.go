package model

import (
	"strings"
	"testing"
)

// TestWarningsBegin: warnings begin where they say: a window below the product, more packets for an ACK than a flow
// alone fills its link with, a round trip that is 2 % too long.
func TestWarningsBegin(t *testing.T) {
	for flags, want := range map[string]string{
		"hosts=16 window=100":                           "--window: 100 packets are less than the bandwidth-delay product of 100.4",
		"hosts=16 window=101":                           "",
		"hosts=16 ack-ratio=25":                         "--ack-ratio: with more than 24 packets per ACK",
		"hosts=16 ack-ratio=24":                         "",
		"hosts=16 ack-ratio=50 cc=eqds":                 "",
		"hosts=16 profile=uet planes=2":                 "has windows for one of the 2 planes",
		"hosts=16 latency-ns=1 fabric-gbps=10 mtu=9000": "a round trip is 2.1 % too long, because links take whole slots of",
		"hosts=16 latency-ns=0.001 mtu=9000":            "",
	} {
		if got := strings.Join(pointOf(t, flags).warnings(), "; "); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: warnings %q, want %q", flags, got, want)
		}
	}
}
