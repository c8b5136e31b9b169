package fluid_test

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/fluid"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/mc"
)

// How much slower than ideal spreading is one path for each flow, if congestion control were
// perfect? Over many hash seeds, and in one replica flow by flow.
func ExampleECMP() {
	tree := topology.FatTree{Hosts: 32}
	workload, err := traffic.Tornado(tree.Hosts, traffic.Message{Bytes: 2 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := fluid.Config{Topology: tree, Workload: workload}
	ideal, err := fluid.Ideal(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	ecmp, err := fluid.ECMP(context.Background(), cfg, mc.Plan{Seed: 1, Replicas: 1000})
	if err != nil {
		fmt.Println(err)
		return
	}
	one, err := fluid.ECMPReplica(cfg, mc.NewStream(1, mc.Salts, 0).Source())
	if err != nil {
		fmt.Println(err)
		return
	}
	best, _ := ideal.MaxFCT()
	fmt.Printf("slowest flow: ideal %.1f us, ECMP %.1f us in [%.1f, %.1f]\n",
		float64(best)/1e6, ecmp.MaxFCT.Value/1e6, ecmp.MaxFCT.Lo/1e6, ecmp.MaxFCT.Hi/1e6)
	for _, flow := range []int{0, 1, 2} {
		fct, _ := one.FCT(flow)
		fmt.Printf("replica 0, flow %d: %.1f us\n", flow, float64(fct)/1e6)
	}
	// Output:
	// slowest flow: ideal 50.9 us, ECMP 134.8 us in [133.4, 136.1]
	// replica 0, flow 0: 93.3 us
	// replica 0, flow 1: 93.3 us
	// replica 0, flow 2: 93.3 us
}

// Max-min fair rates of two flows into one host and one to another.
func ExampleRates() {
	var flows []fattree.Flow
	for _, ends := range [][2]fattree.Host{{0, 9}, {1, 9}, {1, 10}} {
		flows = append(flows, fattree.Flow{Source: ends[0], Destination: ends[1], Bytes: 1})
	}
	rates, err := fluid.Rates(fluid.Config{Topology: topology.FatTree{Hosts: 16}, Workload: fattree.Workload{Flows: flows}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, r := range rates {
		fmt.Printf("%d to %d: %.0f Gb/s\n", flows[i].Source, flows[i].Destination, r*8/1e9)
	}
	// Output:
	// 0 to 9: 200 Gb/s
	// 1 to 9: 200 Gb/s
	// 1 to 10: 200 Gb/s
}
