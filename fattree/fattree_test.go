package fattree_test

import (
	"repslab/fattree"
	"repslab/fattree/topology"
)

func init() {
	fattree.RealTree = func(t fattree.Tree) fattree.Topology { return topology.FatTree(t) }
	fattree.RealPorts = func(t fattree.Tree, p fattree.Part) (ports []int) {
		defer func() {
			if recover() != nil {
				ports = []int{-1}
			}
		}()
		return topology.FatTree(t).Ports(topology.Part{
			Tier: p.Tier, Switch: p.Switch, Uplink: p.Uplink, WholeSwitch: p.WholeSwitch, Direction: topology.Direction(p.Direction),
		})
	}
}
