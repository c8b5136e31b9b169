package congestion

import (
	"context"
	"os"
	"reflect"
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/mc"
)

// TestEvery: every congestion control ends all flows, healthy and with a failed uplink, with and without
// trimming, by the rules of both transports; keeps its window in bounds (the run panics otherwise); and
// gives the same result again, whatever ran in between, also with 3 workers (with REPSLAB_LONG=1 also
// with 2 and 8).
func TestEvery(t *testing.T) {
	networks := everyNetwork(t)
	counts, long := []int{1, 3}, os.Getenv("REPSLAB_LONG") != ""
	if long {
		counts = []int{1, 2, 3, 8}
	}
	for _, named := range All() {
		t.Run(named.Name, func(t *testing.T) {
			control := named.New()
			b, err := balance.New("reps", balance.MaxEVS)
			if err != nil {
				t.Fatal(err)
			}
			first := map[*fattree.Network]*fattree.Result{}
			runs := map[*fattree.Network]*transport.Run{}
			for _, n := range networks {
				runs[n] = transport.NewRun(n)
			}
			for _, workers := range counts {
				for _, n := range append(slices.Clip(networks), networks[0]) {
					run := runs[n]
					run.Workers(workers)
					var result *fattree.Result
					var err error
					seeds := []uint64{2, 1} // the first run leaves state that Begin must reset
					if workers > 1 && !long {
						seeds = seeds[1:] // the run of another network has left such state
					}
					for _, seed := range seeds {
						result, err = run.Execute(context.Background(), b, control, fattree.NewStreams(seed, uint64(workers)*(seed-1)))
					}
					if err != nil || result.Finished() != n.Flows() {
						t.Fatalf("%d workers: error %v, %d of %d flows finished", workers, err, result.Finished(), n.Flows())
					}
					if first[n] == nil {
						first[n] = result
					} else if !reflect.DeepEqual(first[n], result) {
						t.Errorf("%d workers: another result after another run", workers)
					}
				}
			}
		})
	}
}

// everyNetwork returns the networks of TestEvery.
func everyNetwork(t *testing.T) []*fattree.Network {
	t.Helper()
	healthy := tornado(t)
	spec := healthy.Spec()
	spec.Faults = []fattree.Fault{{Ports: spec.Topology.(topology.FatTree).Ports(topology.Part{Switch: 1, Uplink: 2}), End: 300 * us}}
	spec.Options, spec.DisableTrimming = transport.Options{AckRatio: 4}, true
	failing, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	spec.Profile = fattree.UltraEthernet
	ultra, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	// A queue that trims some packets more than once, by the rules of UltraEthernet.
	spec.Faults, spec.DisableTrimming, spec.Queue = nil, false, 5
	spec.Workload.Flows = nil
	for i := range 16 {
		spec.Workload.Flows = append(spec.Workload.Flows, fattree.NewFlow(fattree.Host(64+i), 0, 1<<18, 0))
	}
	trimming, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	spec.Queue, spec.Workload.Flows = 0, nil
	// Messages of a connection in an incast: the second message begins while a packet of the first is in
	// flight, or long after, when the receiver has nothing to pull.
	for i := range 16 {
		for k, start := range []fattree.Picoseconds{0, 4, 12, 100, 100} {
			f := fattree.NewFlow(fattree.Host(64+i), 0, int64(1+k*40_000), start*us*fattree.Picoseconds(1+i%2*10))
			f.Connection = 1 + i
			spec.Workload.Flows = append(spec.Workload.Flows, f)
		}
	}
	messages, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	return []*fattree.Network{healthy, failing, ultra, trimming, messages}
}

// TestNoAllocation: no congestion control allocates for a packet, its ACK and its loss.
func TestNoAllocation(t *testing.T) {
	for _, named := range All() {
		control := named.New()
		n := tornado(t)
		control.Reset(n, mc.Stream{})
		_, host := n.Pair(0)
		w := transport.Window{Packets: 20, Most: 150}
		now := fattree.Picoseconds(0)
		round := func() {
			now += us
			if g, ok := control.(transport.Granter); ok {
				g.Spend(&w, transport.Transmission{Left: 10, Sharing: 1})
				g.Ask(0, int32(now/us), false, now)
				g.Grant(host, now)
				g.Pulled(&w, transport.Pull{Number: 1})
			}
			control.Acknowledge(&w, transport.Acknowledgement{Flow: 0, Packets: 1, Now: now, RTT: 10 * us, InFlight: 20})
			control.Lose(&w, transport.Loss{Flow: 0, Kind: transport.Nacked, Now: now, InFlight: 19})
			control.Lose(&w, transport.Loss{Flow: 0, Kind: transport.TimedOut, Now: now, InFlight: 18})
		}
		for range 100 {
			round()
		}
		if allocs := testing.AllocsPerRun(100, round); allocs > 0 {
			t.Errorf("%s allocates %v times a packet", named.Name, allocs)
		}
	}
}
