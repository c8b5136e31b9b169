package traffic_test

import (
	"fmt"
	"os"

	"repslab/fattree"
	"repslab/fattree/traffic"
)

// A topology as htsim reads it.
func ExampleWriteTopology() {
	if err := traffic.WriteTopology(os.Stdout, fattree.Topology{Hosts: 32}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Nodes 32
	// Tiers 2
	// Podsize 32
	//
	// Tier 0
	// Downlink_speed_Gbps 400
	// Radix_Down 4
	// Radix_Up 4
	// Downlink_Latency_ns 1000
	// Switch_Latency_ns 0
	// Oversubscribed 1
	//
	// Tier 1
	// Downlink_speed_Gbps 400
	// Radix_Down 8
	// Downlink_Latency_ns 1000
	// Switch_Latency_ns 0
	// Bundle 1
}
