package fattree

import (
	"context"
	"math"
	"strings"
	"testing"

	"repslab/mc"
)

// TestParseFailures: every term and option of the grammar.
func TestParseFailures(t *testing.T) {
	for _, c := range []struct {
		text string
		want []Failure
	}{
		{" ", nil},
		{"cables=8%", []Failure{{Kind: Cables, Percent: 8}}},
		{"cables=2,dir=both,place=random,at=1.5,for=20", []Failure{{Kind: Cables, Count: 2, Both: true, Random: true, Start: 1_500_000, For: 20_000_000}}},
		{" switches=1 , place=random ; degrade=3%:0.5,dir=up", []Failure{{Kind: Switches, Count: 1, Random: true}, {Kind: Degrade, Percent: 3, Rate: 0.5}}},
		{"ber-cable=1%;ber-switch=0.5%,at=7", []Failure{{Kind: CableErrors, Percent: 1}, {Kind: SwitchErrors, Percent: 0.5, Start: 7_000_000}}},
	} {
		got, err := ParseFailures(c.text)
		if err != nil || len(got) != len(c.want) {
			t.Fatalf("%q: %v, error %v", c.text, got, err)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%q: term %d is %+v, want %+v", c.text, i, got[i], c.want[i])
			}
			if err := got[i].validate(i); err != nil {
				t.Errorf("%q: %v", c.text, err)
			}
		}
	}
}

// TestParseFailuresRefuses: nonsense is refused with what is wrong and with the
// grammar.
func TestParseFailuresRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"cables":                      "no =",
		"cables=":                     `"" must be a number`,
		"cables=0":                    `"0" must be a number in [1, `,
		"cables=-1":                   `"-1" must be a number`,
		"cables=0%":                   `"0%" must be a percentage in (0%, 100%]`,
		"cables=101%":                 `"101%" must be a percentage`,
		"cables=NaN%":                 `"NaN%" must be a percentage`,
		"wires=1":                     `"wires" must be cables, `,
		"degrade=3%":                  "a colon and a rate in (0, 1)",
		"degrade=3%:1":                "a rate in (0, 1)",
		"degrade=3%:0":                "a rate in (0, 1)",
		"ber-cable=3":                 "must be a percentage below 100%",
		"ber-switch=100%":             "must be a percentage below 100%",
		"ber-cable=1%,place=random":   "bit errors have no place",
		"switches=1,dir=up":           "a switch fails in all directions",
		"cables=1,dir=down":           `dir ("down") must be up or both`,
		"cables=1,place=here":         `place ("here") must be aligned or random`,
		"cables=1,at=-1":              `time "-1" must be microseconds in [0, 1e+09]`,
		"cables=1,for=0":              `time "0" must be microseconds in [1e-06, 1e+09]`,
		"cables=1,at=1e300":           `time "1e300" must be`,
		"cables=1,at=NaN":             `time "NaN" must be`,
		"cables=1,at=1,at=2":          `"at" is given twice`,
		"cables=1,when=2":             `option "when" must be dir, place, at or for`,
		"cables=1;":                   `failures ("") must be a failure: there is no =`,
		"cables=1," + "for=1,x":       `option "x"`,
		strings.Repeat("a", 200) + "": `failures ("` + strings.Repeat("a", 60) + `...")`,
	} {
		_, err := ParseFailures(text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), FailureGrammar) {
			t.Errorf("%q: error %v, want %q and the grammar", text, err, want)
		}
	}
}

// FuzzParseFailures: no text makes it panic, and what it accepts it prints so
// that it reads it back the same.
func FuzzParseFailures(f *testing.F) {
	for _, text := range []string{"", "cables=8%;switches=1,place=random,at=100,for=50;degrade=3%:0.5,dir=both", "ber-cable=1e-3%", "cables=2,at=0x1p-3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseFailures(text)
		if err != nil || len(list) == 0 {
			return
		}
		for i, failure := range list {
			if err := failure.validate(i); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
		printed := FailuresString(list)
		again, err := ParseFailures(printed)
		if err != nil || FailuresString(again) != printed {
			t.Fatalf("%q is read as %q, and that as %q, error %v", text, printed, FailuresString(again), err)
		}
	})
}

// place places failures that must have a place.
func place(t *testing.T, topology Topology, text string, seed uint64) ([]Fault, []Corruption) {
	t.Helper()
	failures, err := ParseFailures(text)
	if err != nil {
		t.Fatal(err)
	}
	faults, errors, err := Place(topology, failures, mc.NewStream(seed, mc.Workload, 0).Source())
	if err != nil {
		t.Fatal(err)
	}
	return faults, errors
}

// TestPlaceAligned: percentages are of a ToR's uplinks, rounded, and hit the same
// ones everywhere, as in the authors' runs.
func TestPlaceAligned(t *testing.T) {
	faults, _ := place(t, Topology{Hosts: 128}, "cables=8%,at=5", 1)
	if len(faults) != 16 {
		t.Fatalf("%d cables fail, want one at each of 16 ToRs", len(faults))
	}
	for i, f := range faults {
		if want := (Fault{Switch: i, Start: 5_000_000}); f != want {
			t.Errorf("fault %d is %+v, want %+v", i, f, want)
		}
	}
	faults, _ = place(t, Topology{Hosts: 1024}, "degrade=30%:0.5,dir=both,for=7", 1)
	if len(faults) != 32*10 || faults[9] != (Fault{Uplink: 9, Direction: Both, Rate: 0.5, End: 7_000_000}) {
		t.Errorf("%d cables are slow, the tenth is %+v", len(faults), faults[9])
	}
	faults, _ = place(t, Topology{Hosts: 128, Tiers: 3}, "switches=1", 1)
	if len(faults) != 8 || faults[1] != (Fault{Tier: 1, Switch: 4, WholeSwitch: true}) {
		t.Errorf("%d switches fail, want the first of each of 8 pods: %+v", len(faults), faults)
	}
}

// TestPlaceRandom: the number is of the whole network, places differ between
// streams and not within one, and no two ToRs are cut off although half of all
// cables are dead in both directions.
func TestPlaceRandom(t *testing.T) {
	topology := Topology{Hosts: 64}
	for seed := range uint64(50) {
		faults, _ := place(t, topology, "cables=50%,place=random,dir=both", seed)
		again, _ := place(t, topology, "cables=50%,place=random,dir=both", seed)
		other, _ := place(t, topology, "cables=50%,place=random,dir=both", seed+1)
		if len(faults) != 32 || !equalFaults(faults, again) || equalFaults(faults, other) {
			t.Fatalf("seed %d: %d faults, want 32 that depend on the stream alone", seed, len(faults))
		}
		if _, err := Build(Spec{Topology: topology, Workload: tornado(64, 1000), Faults: faults}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func equalFaults(a, b []Fault) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestPlaceRefuses: what has no place is named.
func TestPlaceRefuses(t *testing.T) {
	two := Topology{Hosts: 16}
	for _, c := range []struct {
		topology   Topology
		text, want string
	}{
		{two, "cables=10%", "failures (cables=10%) must be in [1, 4] after rounding, and is 0 of 4"},
		{two, "cables=5", "failures (cables=5) must be in [1, 4] after rounding, and is 5 of 4"},
		{two, "switches=100%,place=random", "only 3 of 4 can fail without cutting the last one"},
		{two, "cables=100%,place=random", "can fail without cutting the last one"},
		{Topology{Hosts: 8, Tiers: 1}, "cables=1", "a network of one tier has no cable"},
	} {
		failures, err := ParseFailures(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Place(c.topology, failures, mc.NewStream(1, mc.Workload, 0).Source()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.text, err, c.want)
		}
	}
	// An aligned failure that cuts is refused by name of the flow.
	faults, _ := place(t, two, "cables=4", 1)
	if _, err := Build(Spec{Topology: two, Workload: tornado(16, 1000), Faults: faults}); err == nil || !strings.Contains(err.Error(), "last path of flow 0 between hosts 0 and 8") {
		t.Errorf("error %v", err)
	}
}

// TestPlaceRefusesInvalidFailures: a failure that no text describes is refused by its
// field, its value and the range.
func TestPlaceRefusesInvalidFailures(t *testing.T) {
	const percent = "must be in (0, 100] without a Count"
	source := mc.NewStream(1, mc.Workload, 0).Source()
	for _, c := range []struct {
		failure Failure
		want    string
	}{
		{Failure{Kind: "junk", Count: 1}, `Kind ("junk") must be one of [cables switches degrade ber-cable ber-switch]`},
		{Failure{Kind: Degrade, Count: 1, Rate: 7}, "Rate (7) must be in (0, 1)"},
		{Failure{Kind: Degrade, Count: 1, Rate: math.NaN()}, "Rate (NaN) must be in (0, 1)"},
		{Failure{Kind: Degrade, Count: 1}, "Rate (0) must be in (0, 1)"},
		{Failure{Kind: Cables, Count: 1, Rate: 0.5}, "Rate (0.5) must be 0 unless cables are degraded"},
		{Failure{Kind: CableErrors, Percent: 200}, "Percent (200) must be in (0, 100)"},
		{Failure{Kind: SwitchErrors, Percent: 100}, "Percent (100) must be in (0, 100)"},
		{Failure{Kind: CableErrors, Percent: 1, Count: 1}, "Count (1) must be 0: bit errors have a Percent"},
		{Failure{Kind: Cables, Percent: math.NaN()}, "Percent (NaN) " + percent},
		{Failure{Kind: Cables, Percent: 101}, "Percent (101) " + percent},
		{Failure{Kind: Cables}, "Percent (0) " + percent},
		{Failure{Kind: Cables, Count: -1}, "Count (-1) must be in [0, 2097152]"},
		{Failure{Kind: Cables, Count: 1, Start: -5}, "Start (-5 ps) must be in [0, 1000000000000000 ps]"},
		{Failure{Kind: Cables, Count: 1, Start: 1, For: math.MaxInt64}, "For (9223372036854775807 ps) must be in [0, 1000000000000000 ps]"},
	} {
		faults, errs, err := Place(Topology{Hosts: 16}, []Failure{{Kind: Cables, Count: 1}, c.failure}, source)
		if want := "fattree: failures[1]." + c.want; err == nil || err.Error() != want || faults != nil || errs != nil {
			t.Errorf("%+v: %v, %v, error %v, want %q", c.failure, faults, errs, err, want)
		}
	}
	_, _, err := Place(Topology{Hosts: 16}, []Failure{{Kind: Cables, Count: 1, Random: true}}, nil)
	if want := "fattree: source (<nil>) must be set: the places of failures[0] are random"; err == nil || err.Error() != want {
		t.Errorf("random places without a source: error %v, want %q", err, want)
	}
}

// TestBitErrorRates: of a 1 % error on every cable, 1 - 0.99^4 of the packets
// between ToRs are corrupted; of one in every switch, 1 - 0.99^3; both for half the
// run, half as many. Each is within 4.5 standard deviations, which a right
// program misses once in 150,000.
func TestBitErrorRates(t *testing.T) {
	const payload = 4150 - 64
	for _, c := range []struct {
		text string
		want float64
	}{
		{"ber-cable=1%", 1 - math.Pow(0.99, 4)},
		{"ber-switch=1%", 1 - math.Pow(0.99, 3)},
		{"ber-switch=1%;ber-cable=1%", 1 - math.Pow(0.99, 7)},
		{"ber-cable=1%,at=100000", 0},
	} {
		_, errors := place(t, Topology{Hosts: 16}, c.text, 1)
		s := Spec{Topology: Topology{Hosts: 16}, Workload: tornado(16, 2000*payload), Errors: errors}
		n, err := Build(s)
		if err != nil {
			t.Fatal(err)
		}
		r, err := n.NewRun().Execute(context.Background(), new(uniform), steady{}, NewStreams(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		if r.Finished() != 16 || r.Retransmitted < r.Corrupted {
			t.Errorf("%s: %d flows finished, %d retransmissions for %d corrupted packets", c.text, r.Finished(), r.Retransmitted, r.Corrupted)
		}
		arrived := float64(r.Delivered + r.Corrupted)
		if got := float64(r.Corrupted) / arrived; math.Abs(got-c.want) > 4.5*math.Sqrt(c.want*(1-c.want)/arrived) {
			t.Errorf("%s: %v of the packets are corrupted, want %v", c.text, got, c.want)
		}
	}
}
