package cases

import (
	"testing"

	"repslab/fattree"
)

// TestSprayingOf256Packets: a permutation of 256 packets in 128 hosts, 3 tiers and links of 800 Gb/s. A flow alone
// takes a round trip and 255 slots. The slowest flow of a run takes longer by at most the longest queue at each of five
// ports and the ACKs that its host sends. Queues of rules that know destinations are short, queues of switches that do
// not are long: the means of 40 runs are 8.3, 8.9, 43.6, 87 and 149 packets. By their spread the bounds fail once in
// some 1,000 seeds.
func TestSprayingOf256Packets(t *testing.T) {
	const slot, header = 41_600, 640 // ps
	for lb, queues := range map[string][2]int32{
		"mrc evs=16 ev-routing=exact": {5, 13}, "destination-round-robin": {6, 13}, "ops": {29, 65}, "adaptive-roce": {40, 170}, "round-robin": {70, 260},
	} {
		p := pointOf(t, "hosts=128 tiers=3 link-gbps=800 mtu=4160 message-bytes=1MiB lb="+lb)
		alone := p.Plan.LongestRTT() + 255*slot
		if alone != 12_000_000+6*(slot+header)+255*slot {
			t.Errorf("a flow alone takes %d ps, want 12 links of 1 us, 6 packets, 6 ACKs and 255 packets", alone)
		}
		sum := int32(0)
		for replica := range uint64(2) {
			r := replicaOf(t, p, replica)
			slowest := fattree.Picoseconds(0)
			for _, f := range r.Flows {
				slowest = max(slowest, f.FCT())
			}
			if most := alone + 5*slot*fattree.Picoseconds(r.MaxQueue) + 256*header; slowest < alone || slowest > most || r.Sent != 128*256 {
				t.Errorf("%s: the slowest flow takes %d ps, want %d to %d; %d packets", lb, slowest, alone, most, r.Sent)
			}
			sum += r.MaxQueue
		}
		if sum < 2*queues[0] || sum > 2*queues[1] {
			t.Errorf("%s: queues of %d packets in 2 runs, want %d to %d in each", lb, sum, queues[0], queues[1])
		}
	}
}
