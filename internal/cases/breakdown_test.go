package cases

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"repslab/internal/param"
)

// pointOf returns the network of flags, such as "hosts=16 lb=ops".
func pointOf(t *testing.T, flags string) *Fattree {
	t.Helper()
	given, p := param.Texts{}, new(Fattree)
	for _, assignment := range strings.Fields(flags) {
		flag, value, _ := strings.Cut(assignment, "=")
		given[param.KeyOf(flag)] = value
	}
	if _, err := FattreeSpace(p).Grid(FattreeName, param.Selection{Parameters: given}); err != nil {
		t.Fatalf("%s: %v", flags, err)
	}
	return p
}

// TestBreakdown: the law leaves 25 - 16.57 packets above d = 99.45 to a step at 25, so windows up to 107; the ramp that
// is enough ends 5/3 (22.44 - 8.43) packets higher with a Pmax of 1, and 22.44 - 8.43 with 1/2 or less.
func TestBreakdown(t *testing.T) {
	const step = "hosts=128 kmin=25 kmax=26"
	for flags, want := range map[string][3]int{
		step:                                 {151, 107, 49},
		step + " lb=mixed":                   {151, 107, 49},
		step + " lb=reps-exclude":            {151, 107, 49},
		step + " workload=tornado":           {151, 107, 49},
		step + " cc=none window=108":         {108, 107, 49},
		step + " message-bytes=441288":       {108, 107, 49}, // 108 packets
		step + " pmax=0.75":                  {151, 107, 44},
		step + " pmax=0.5":                   {151, 107, 40},
		step + " pmax=0.01":                  {151, 107, 40},
		step + " profile=uet ack-ratio=1":    {151, 107, 49},
		"hosts=128 kmin=25 kmax=48":          {151, 107, 49},
		"hosts=128 kmin=20 kmax=20":          {151, 102, 52},
		"hosts=128 tiers=3 kmin=25 kmax=26":  {227, 152, 66},
		step + " window=107":                 {},
		step + " message-bytes=437202":       {}, // 107 packets
		"hosts=128 kmin=25 kmax=49":          {},
		"hosts=128 kmin=25 kmax=40 pmax=0.5": {},
		"hosts=128 link-gbps=100":            {}, // by default; given, they are too steep: see the next line
		"hosts=128 link-gbps=100 kmin=7":     {43, 27, 26},
		"hosts=128 hosts-per-tor=32 uplinks-per-tor=32 kmin=25 kmax=26": {}, // a quarter of the flows uses no uplink
		"hosts=256 hosts-per-tor=32 uplinks-per-tor=32 kmin=25 kmax=26": {151, 107, 49},
		step + " lb=ops":                           {},
		step + " lb=bitmap":                        {},
		step + " workload=incast":                  {},
		step + " workload=facebook duration-us=10": {},
		step + " ack-ratio=2":                      {},
		step + " planes=2 link-gbps=200":           {},
		step + " oversubscription=2":               {},
		step + " oversubscription=0.5":             {},
		step + " fabric-gbps=800":                  {},
		"hosts=128 kmin=16 kmax=17":                {}, // the law leaves no room
		"hosts=128 kmin=38 kmax=39":                {151, 120, 40},
		"hosts=128 kmin=40 kmax=41":                {}, // windows do not bind
		"hosts=128 kmin=5 kmax=6 latency-ns=100":   {}, // d = 13.3 is too short for the law
	} {
		b, is := pointOf(t, flags).Breakdown()
		if got := [3]int{b.Window, b.Most, b.KMax}; is != (want[0] > 0) || is && got != want {
			t.Errorf("%s: breaks down: %v; window, law and Kmax %v, want %v", flags, is, got, want)
		}
	}
}

// TestEnoughRamp: in runs with windows of 1.5 bandwidth-delay products the share of random EVs after a flow's first
// window is below 5 % with a ramp that is enough and above with half of it, and with a window that the law allows to a
// step it is below 5 % again.
func TestEnoughRamp(t *testing.T) {
	for _, network := range []string{"latency-ns=500 kmin=13", "kmin=20", "kmin=20 pmax=0.2"} {
		network = "hosts=64 hosts-per-tor=32 uplinks-per-tor=32 workload=tornado message-bytes=8MB cc=none queue=400 " + network
		step := pointOf(t, network+" kmax=21")
		b, is := step.Breakdown()
		if !is {
			t.Fatalf("%s: a step does not break down", network)
		}
		kmax := func(k int) string { return " kmax=" + strconv.Itoa(k) }
		for _, c := range []struct {
			flags string
			lost  bool
		}{
			{kmax(b.KMax), false}, {kmax((step.Spec.KMin + b.KMax) / 2), true}, {kmax(step.Spec.KMin + 1), true},
			{kmax(step.Spec.KMin+1) + " window=" + strconv.Itoa(b.Most), false},
		} {
			if share := randomShare(t, network+c.flags); share > 0.05 != c.lost {
				t.Errorf("%s%s: a share of %.3f has random EVs; above 0.05: want %v", network, c.flags, share, c.lost)
			}
		}
	}
}

// randomShare returns the share of the packets after a flow's first window with random EVs.
func randomShare(t *testing.T, flags string) float64 {
	t.Helper()
	p := pointOf(t, flags)
	runner, err := p.Setup().NewRunner()
	if err != nil {
		t.Fatal(err)
	}
	run, err := runner.Run(context.Background(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := p.Breakdown()
	first := float64(b.Window) / float64(p.Spec.Packets(p.Message))
	random := 1 - float64(run.Result.Recycled)/float64(run.Result.Sent)
	return (random - first) / (1 - first)
}
