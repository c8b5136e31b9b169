package fattree

// Tree has the fields of topology.FatTree. Tests inside this package cannot import package topology,
// since that imports this package.
type Tree struct {
	Hosts, Tiers                                                         int
	HostsPerToR, UplinksPerToR, ToRsPerPod, UplinksPerAgg, CablesPerPair int
	CoreCablesPerPair                                                    int
	Access, Fabric, Core                                                 Link
	SwitchLatencyNs                                                      float64
}

// Part has the fields of topology.Part, and the values of its Direction.
type Part struct {
	Tier, Switch, Uplink int
	WholeSwitch          bool
	Direction            uint8
}

// both is topology.Both.
const both = 2

// RealTree returns the fat tree, and RealPorts the ports of a part, with -1 for a missing port.
var (
	RealTree  func(Tree) Topology
	RealPorts func(Tree, Part) []int
)

func (t Tree) Validate() error        { return RealTree(t).Validate() }
func (t Tree) Outline() Outline       { return RealTree(t).Outline() }
func (t Tree) Path(from, to Host) int { return RealTree(t).Path(from, to) }
func (t Tree) Wire() *Wiring          { return RealTree(t).Wire() }

// uplink returns the port of an uplink of a ToR.
func uplink(t Topology, tor, number int) []int {
	return RealPorts(t.(Tree), Part{Switch: tor, Uplink: number})
}

// cable returns both ports of an uplink of a ToR.
func cable(t Topology, tor, number int) []int {
	return RealPorts(t.(Tree), Part{Switch: tor, Uplink: number, Direction: both})
}

// planOf returns the plan of a spec. It panics if the spec is not valid.
func planOf(s Spec) *Plan {
	p, err := s.Resolve()
	if err != nil {
		panic(err)
	}
	return p
}

// refused returns the faults of a spec, nil if it is valid.
func refused(s Spec) error {
	_, err := s.Resolve()
	return err
}
