package crosscheck

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/flight"
	"repslab/internal/mctest"
	"repslab/recycled"
	"repslab/reps"
)

// driftPoint is a network of 32 senders with a fixed window, two to each receiver, that enter freezing mode at the same
// time. Nothing but the ports to the receivers is busy, and these mark at random.
type driftPoint struct {
	window, ring, ratio int
	pMax                float64 // probability of a mark at a queue of 200 packets
	roundTrips          int     // in freezing mode, of a window each
}

// driftPoints differ in all that the law knows.
func driftPoints() []driftPoint {
	return []driftPoint{
		{80, 8, 1, 0.3, 20}, {80, 8, 1, 1, 60}, {100, 32, 1, 0.6, 40}, {80, 8, 4, 0.3, 20}, {70, 8, 2, 1, 60}, {90, 32, 4, 0.5, 60}, {80, 8, 8, 0.2, 40},
	}
}

// frozenFlow counts a flow in freezing mode.
type frozenFlow struct {
	evs          flight.EVs
	sent, marked int // in freezing mode
	different    int // EVs in flight after the wanted number of packets
	topShare     float64
}

// note takes in an event.
func (f *frozenFlow) note(e transport.Event, c driftPoint) {
	switch {
	case e.Kind == transport.EventAck && e.Frozen && e.Marked && f.sent < c.roundTrips*c.window:
		f.marked++
	case e.Kind == transport.EventSend:
		if f.evs.Send(e.EV, int(e.InFlight)); e.Frozen {
			f.sent++
		}
		if f.sent == c.roundTrips*c.window && e.Frozen {
			var most, all int
			f.different, most, all = f.evs.Count()
			f.topShare = float64(most) / float64(all)
		}
	}
}

// run returns the flows of some runs of the network.
func (c driftPoint) run(t *testing.T, runs int) (list []*frozenFlow) {
	t.Helper()
	const tors, perToR = 16, 4
	var w fattree.Workload
	packets := (c.roundTrips + 12) * c.window
	for tor := range tors {
		for i := range 2 {
			from := (tor+i+1)%tors*perToR + i + 1
			w.Flows = append(w.Flows, fattree.Flow{Source: fattree.Host(from), Destination: fattree.Host(tor * perToR), Bytes: int64(packets) * 4096})
		}
	}
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: tors * perToR, HostsPerToR: perToR}, Workload: w, Queue: 400, KMin: 1, KMax: 200, PMax: c.pMax,
		Options: transport.Options{InitialWindow: c.window, AckRatio: c.ratio}}
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	b, err := balance.RecyclingConfig{REPS: reps.Config{BufferSize: c.ring}, FreezeAt: 60_000_000}.New()
	if err != nil {
		t.Fatal(err)
	}
	for replica := range uint64(runs) {
		first, all := len(list), make([]int32, len(w.Flows))
		for i := range all {
			all[i], list = int32(i), append(list, new(frozenFlow))
		}
		run := transport.NewRun(n)
		run.Watch(transport.WatchConfig{Flows: all, Each: func(e transport.Event) { list[first+int(e.Flow)].note(e, c) }})
		r, err := run.Execute(context.Background(), b, congestion.None{}, fattree.NewStreams(67, replica))
		if err != nil || r.Dropped+r.Trimmed > 0 {
			t.Fatal(r.Dropped, r.Trimmed, err)
		}
	}
	return list
}

// TestDriftInTheNetwork: the mean number of EVs that frozen flows of the network have in flight is between the two
// numbers that FrozenSender.Law says for the share of marks of these flows, since their ACKs come nearly in order. The
// limits include the errors that the law states for one ACK a packet, and for several packets, and four standard errors
// of the flows.
func TestDriftInTheNetwork(t *testing.T) {
	t.Parallel()
	points, runs := driftPoints()[3:4], 1
	if mctest.Long() {
		points, runs = driftPoints(), 5
	}
	var table strings.Builder
	for _, c := range points {
		marked, sent, top := 0, 0, 0.0
		var evs []float64
		for _, f := range c.run(t, runs) {
			if f.different == 0 {
				t.Fatalf("%+v: a flow ended after %d packets in freezing mode", c, f.sent)
			}
			marked, sent = marked+f.marked, sent+c.roundTrips*c.window
			evs, top = append(evs, float64(f.different)), top+f.topShare
		}
		mean, few := 0.0, 0.0
		for _, x := range evs {
			mean += x / float64(len(evs))
		}
		for _, x := range evs {
			few += (x - mean) * (x - mean)
		}
		few = 4 * math.Sqrt(few) / float64(len(evs))
		s := recycled.FrozenSender{Window: c.window, Ring: c.ring, Marked: float64(marked) / float64(sent), AckRatio: c.ratio}
		law, err := s.Law(c.roundTrips)
		if err != nil {
			t.Fatal(err)
		}
		off := max(0.12*mean, 0.5) + few
		if c.ratio > 1 {
			off = max(0.3*mean, 0.5) + few
		}
		if mean > law.InOrder+off || mean < law.Shuffled-off {
			t.Errorf("%+v: %.2f EVs in flight, the law says %.2f to %.2f (marks %.3f)", c, mean, law.Shuffled, law.InOrder, s.Marked)
		}
		fmt.Fprintf(&table, "| %d | %d | %d | %.3f | %d | %.1f to %.1f | %.1f ± %.1f | %.2f |\n", c.window, c.ring, c.ratio, s.Marked, c.roundTrips,
			law.Shuffled, law.InOrder, mean, few/2, top/float64(len(evs)))
	}
	t.Log("\n" + table.String())
}
