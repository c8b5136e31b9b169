package mrc_test

import (
	"fmt"
	"math/rand/v2"

	"repslab/mrc"
)

// A sender with two ports and four paths behind each. One path loses a packet: a backup of the same plane
// takes its place until a probe comes back.
func Example() {
	connection, err := mrc.New(mrc.Config{Planes: 2, Values: 4, Active: 2, Backup: 1, MinActive: 2, ProbeReplies: 1}, rand.NewPCG(1, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	const bothPorts = 1<<0 | 1<<1
	send := func(packets int) {
		for range packets {
			ev, _ := connection.NextEV(bothPorts)
			fmt.Print(" ", ev.Port, "/", ev.Value)
		}
		fmt.Println()
	}
	send(4)
	lost, _ := connection.NextEV(bothPorts)
	connection.OnLoss(lost)
	fmt.Println("lost", lost, connection.State(lost), connection.Active(), "active")
	send(5)
	probe, _ := connection.Probe()
	connection.OnProbeReply(probe, false)
	fmt.Println("probed", probe, connection.State(probe))
	// Output:
	// 0/3 1/3 0/2 1/0
	// lost {0 3} ASSUMED_BAD 4 active
	//  1/3 0/2 1/0 0/1 1/3
	// probed {0 3} GOOD
}

// A port of the peer goes down, and an operator takes a path out of use. The state of the connection fits into
// StateBytes and goes on elsewhere.
func ExampleMRC_OnPorts() {
	cfg := mrc.Config{Planes: 2, Values: 4, Active: 2, Backup: 2}
	connection, err := mrc.New(cfg, rand.NewPCG(3, 4))
	if err != nil {
		fmt.Println(err)
		return
	}
	set := connection.AppendSet(nil, 0)
	connection.Deny(set[0], true)
	connection.OnAlwaysSkip(set[1])
	connection.OnPorts(0b11, 0b01)
	state := connection.AppendState(nil)
	fmt.Println(len(state) == cfg.StateBytes(), len(state), "bytes")

	var moved mrc.MRC
	if err := moved.SetState(cfg, state); err != nil {
		fmt.Println(err)
		return
	}
	for _, ev := range set {
		fmt.Println(ev, moved.State(ev))
	}
	for range 3 {
		ev, _ := moved.NextEV(0b11)
		fmt.Print(ev, " ")
	}
	// Output:
	// true 18 bytes
	// {0 3} DENIED
	// {0 2} ASSUMED_BAD
	// {0 1} GOOD
	// {0 0} GOOD
	// {0 1} {0 0} {0 1}
}
