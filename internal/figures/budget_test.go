package figures

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/claims"
	"repslab/mc"
)

// leftOutBy returns the claims that a budget leaves out.
func leftOutBy(budget time.Duration) (list []string) {
	p := NewPlan(budget)
	for _, c := range claims.Claims() {
		if !p.chosen[c.ID] {
			list = append(list, c.ID)
		}
	}
	return list
}

// TestPlan: the abstract's claims are in every plan, a minute leaves few claims out, a larger budget has all claims
// of a smaller one.
func TestPlan(t *testing.T) {
	second, minute, five := leftOutBy(time.Second), leftOutBy(time.Minute), leftOutBy(5*time.Minute)
	for _, id := range claims.Find("N079").CountedWith {
		if slices.Contains(second, id) {
			t.Errorf("%s of the abstract is left out", id)
		}
	}
	if len(second) < 20 || len(minute) > 13 || len(five) > 3 {
		t.Errorf("a second leaves out %v, a minute %v, five minutes %v", second, minute, five)
	}
	for i, list := range [][]string{minute, five} {
		for _, id := range list {
			if before := [][]string{second, minute}[i]; !slices.Contains(before, id) {
				t.Errorf("a larger budget leaves out %s, a smaller one only %v", id, before)
			}
		}
	}
}

// chosenFrom returns the comparisons of each figure from which a plan chooses, not yet run.
func chosenFrom() map[string][]*comparison {
	fig03, fig05, fig08, fig16, fig22, fig23, hole, conclusion := newFig03(), newFig05(), newFig08(), newFig16(), newFig22(),
		newFig23(), newBlackhole(), newConclusion()
	fig06, controls := newFig06()
	flat, tall := newFig21()
	fig09, fig11, seen := newFig09(), newFig11(), newFig22Uplinks()
	return map[string][]*comparison{"fig03": {&fig03}, "fig05": {&fig05}, "fig06": {&fig06, &controls}, "fig08": {&fig08},
		"fig09": {&fig09.paper.comparison, &fig09.thawing.comparison, &fig09.all.comparison}, "fig11": {&fig11.comparison},
		"fig12": {&newFig12().comparison}, "fig13": {&newFig13().comparison}, "fig16": {&fig16}, "fig21": {&flat, &tall},
		"fig22": {&fig22, &seen.comparison}, "fig23": {&fig23, &hole}, "conclusion": {&conclusion}}
}

// waiting returns about the milliseconds that the runs of a point take on average over OPS and REPS where most time
// passes in waiting for time-outs, of which one takes as long as 5,000 packet-hops.
func waiting(figure string, p *comparedPoint) int64 {
	if figure == "fig22" {
		return 280
	}
	if figure == "fig08" {
		return map[string]int64{fig08Link: 5, fig08Links: 12, fig08Switch: 6, fig08Most: 80}[p.label]
	}
	return 0
}

// packetHops returns about the packet-hops of a fat tree's flows if all cross it and no packet is lost, up to the
// horizon.
func packetHops(n *fattree.Network) (packets int64) {
	spec := n.Spec()
	for _, flow := range spec.Workload.Flows {
		most := int64(n.HostGbps() * float64(spec.Horizon-flow.Start) / 8000) // bytes of a whole link
		packets += min(flow.Bytes, most)/int64(spec.PayloadBytes()) + 1
	}
	return packets * int64(2*treeOf(spec).Tiers-1)
}

// TestNeededRuns: every balancer and every place that a claim names is in its figure, the work that it lists is that of
// their runs, and claims that name nothing in a figure that has a choice are those without a run, or about runs that
// are always made.
func TestNeededRuns(t *testing.T) {
	figures := chosenFrom()
	hops := map[*comparedPoint]int64{} // of fewest runs
	for figure, list := range figures {
		for _, c := range list {
			for _, p := range c.points {
				n, err := p.network(1, 0)
				if err != nil {
					t.Fatal(err)
				}
				hops[p] = int64(min(fewest, p.replicas)) * (packetHops(n) + 5_000*waiting(figure, p))
			}
		}
	}
	// runs returns the number of balancers at places that a claim names, and the packet-hops of fewest runs of each.
	runs := func(of claims.Claim) (number int, work int64) {
		for _, c := range figures[of.Figure] {
			for _, p := range c.points {
				for _, s := range c.schemesAt(p) {
					if of.Needs(p.place, s.key) {
						number, work = number+1, work+hops[p]
					}
				}
			}
		}
		return number, work
	}
	for _, c := range claims.Claims() {
		if c.Needed == "" {
			if figures[c.Figure] != nil && len(c.CountedWith) == 0 && !slices.Contains([]string{"N001", "N012", "N013", "N062"}, c.ID) {
				t.Errorf("%s names no runs of %s", c.ID, c.Figure)
			}
			continue
		}
		if _, work := runs(c); math.Abs(float64(work)/million-c.Work) > max(0.1*c.Work, 0.1) {
			t.Errorf("%s lists %v million packet-hops, want %.3g", c.ID, c.Work, float64(work)/million)
		}
		for part := range strings.SplitSeq(c.Needed, "; ") {
			balancers, places, named := strings.Cut(part, ": ")
			for _, balancer := range strings.Fields(balancers) {
				if !named {
					continue // "first", "last"
				}
				for place := range strings.SplitSeq(places, " | ") {
					if number, _ := runs(claims.Claim{Figure: c.Figure, Needed: balancer + ": " + place}); number == 0 {
						t.Errorf("%s: %s has no run of %q at %q", c.ID, c.Figure, balancer, place)
					}
				}
			}
		}
	}
}

// TestNoFigureIsEmpty: the smallest plan has runs of every figure.
func TestNoFigureIsEmpty(t *testing.T) {
	p := NewPlan(time.Second)
	for figure, list := range chosenFrom() {
		points := 0
		for _, c := range list {
			p.selects(figure, c)
			points += len(c.points)
		}
		if points == 0 {
			t.Errorf("%s has no run", figure)
		}
	}
}

// TestPacketHops: the work of a workload without losses is that of its run, or up to 8 % more, for flows within a ToR
// or a pod, and a horizon cuts it.
func TestPacketHops(t *testing.T) {
	for _, tiers := range []int{2, 3} {
		spec := fattree.Spec{Topology: topology.FatTree{Hosts: 128, Tiers: tiers}}
		c := comparison{schemes: lbs("reps"), points: []*comparedPoint{{network: permuted(spec, 100_000), replicas: 1}}}
		if err := c.run(t.Context(), Settings{Seed: 1}); err != nil {
			t.Fatal(err)
		}
		run := c.points[0].of("reps")[0]
		n, err := c.points[0].network(1, 0)
		if err != nil || run.Dropped+run.Trimmed > 0 {
			t.Fatalf("%d packets are lost: %v", run.Dropped+run.Trimmed, err)
		}
		if work := packetHops(n); work < run.PacketHops || float64(work) > 1.08*float64(run.PacketHops) {
			t.Errorf("%d tiers: %d packet-hops, want %d to 8 %% more", tiers, work, run.PacketHops)
		}
		spec.Horizon = 1 * microseconds // of 400 Gb/s: 50,000 bytes, 13 packets
		n, err = permuted(spec, 100_000)(1, 0)
		if work := packetHops(n); err != nil || work > run.PacketHops/2+128*8 || work < run.PacketHops/2 {
			t.Errorf("%d tiers: %d packet-hops in half the time of %d: %v", tiers, work, run.PacketHops, err)
		}
	}
}

// TestPlanSelectsRuns: a comparison makes the first runs of those that a plan selects, and for a claim at the
// edge the others, and all are those of --full, for one worker and for three.
func TestPlanSelectsRuns(t *testing.T) {
	fresh := func() *comparison {
		spec := fattree.Spec{Topology: topology.FatTree{Hosts: 16}}
		return &comparison{schemes: lbs("ops", "reps", "plb"), points: []*comparedPoint{
			{place: "permutation, 1 link", network: permuted(spec, 100_000), replicas: 7},
			{place: "permutation, 1 switch", network: permuted(spec, 200_000), replicas: 7},
			{place: "always", always: true, network: permuted(spec, 50_000), replicas: 7}}}
	}
	full := fresh()
	if err := full.run(t.Context(), Settings{Seed: 1}); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 3} {
		s := Settings{Seed: 1, Workers: workers, figure: "fig08", Plan: &Plan{time.Minute, map[string]bool{"N009": true}}}
		c, looks := fresh(), 0
		found, err := s.judged(t.Context(), []judgement{{"N009", func() claims.Finding {
			if len(c.points) != 2 || !c.partial || c.points[0].of("plb") != nil || len(c.points[1].of("plb")) != firstRuns {
				t.Fatalf("%d points, partial: %v", len(c.points), c.partial)
			}
			if got := c.points[0].of("reps"); looks == 0 && !reflect.DeepEqual(got, full.points[0].of("reps")[:firstRuns]) {
				t.Errorf("%d runs, want the first %d of --full", len(got), firstRuns)
			}
			looks++
			return claims.LeftOut("N009", "", "")
		}}}, c)
		if err != nil || looks != 2 || len(found) != 1 {
			t.Fatalf("%d looks, %v, %v", looks, found, err)
		}
		if got := c.points[0].of("reps"); !reflect.DeepEqual(got, full.points[0].of("reps")) {
			t.Errorf("%d runs, want all of --full", len(got))
		}
	}
}

// TestEdgeAlone: of the runs that a claim names a second look makes those behind what is at the edge.
func TestEdgeAlone(t *testing.T) {
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: 16}}
	point := func(place string) *comparedPoint {
		return &comparedPoint{place: place, network: permuted(spec, 100_000), replicas: 7}
	}
	c := comparison{schemes: lbs("ops", "reps", "plb"), points: []*comparedPoint{point("permutation, 1 link"), point("permutation, 1 switch")}}
	s := Settings{Seed: 1, figure: "fig08", Plan: &Plan{time.Minute, map[string]bool{"N009": true, "N053": true}}}
	_, err := s.judged(t.Context(), []judgement{{"N053", func() claims.Finding {
		e := c.points[0].of("ops").over(c.points[0].of("reps"))
		return claims.Judged("N053", claims.All(claims.AtLeast(e, e.Value), claims.AtLeast(c.points[1].of("reps").maxFCT(), 0)), "", "")
	}}}, &c)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{7, firstRuns} {
		for _, key := range []string{"ops", "reps"} {
			if got := len(c.points[i].of(key)); got != want {
				t.Errorf("%s, %s: %d runs, want %d", key, c.points[i].place, got, want)
			}
		}
	}
}

// TestFirstLook: a scheme has three first runs at a point that a claim names, two where all such claims need no more.
func TestFirstLook(t *testing.T) {
	c := newFig03()
	NewPlan(time.Minute).selects("fig03", &c)
	at := map[string]*comparedPoint{}
	for _, p := range c.points {
		at[p.place] = p
	}
	for _, want := range []struct {
		place, scheme string
		runs          uint64
	}{{"permutation of 16 MiB", "ecmp", 3}, {"permutation of 16 MiB", "reps", 3}, {"permutation of 16 MiB", "adaptive-roce", 2},
		{"tornado of 8 MiB", "reps", 2}, {"tornado of 4 MiB", "ops", 3}} {
		if got := at[want.place].first[want.scheme]; got != want.runs {
			t.Errorf("%s, %s: %d runs, want %d", want.scheme, want.place, got, want.runs)
		}
	}
}

// TestRatioOfPairs: a run without a pair that did not end makes no bound of a ratio.
func TestRatioOfPairs(t *testing.T) {
	run := func(complete bool, fct fattree.Picoseconds) netRun {
		return netRun{complete: complete, fcts: []fattree.Picoseconds{fct}}
	}
	a, b := netRuns{run(true, 200), run(true, 220)}, netRuns{run(true, 100), run(true, 110), run(false, 900)}
	if e := a.ratio(b, netRun.maxFCT); e.Value != 2 {
		t.Errorf("ratio %v, want 2", e)
	}
	if e := append(a, run(true, 210)).ratio(b, netRun.maxFCT); !math.IsNaN(e.Value) {
		t.Errorf("ratio %v with a pair that did not end, want none", e)
	}
}

// TestTwoLooks simulates the procedure of a claim at the edge where nothing is to be decided: the means of 2 or 3 runs,
// and of 20 of what is undecided then. Either wrong grade has a probability of at most 5 %, twice that of a
// look, for each kind of rule; 4,000 trials see 7.1 %. z = 6.11: false-alarm rate 1e-9 each. These trials give at
// most 5.2 %.
func TestTwoLooks(t *testing.T) {
	const trials, all = 4000, 20
	for name, judge := range map[string]func(a, b mc.Estimate) claims.Finding{
		"bound": func(a, _ mc.Estimate) claims.Finding { return claims.Judged("N071", claims.AtMost(a, 1), "", "") },
		"range": func(a, _ mc.Estimate) claims.Finding {
			return claims.Judged("N066", claims.Between(a, -9, 1), "", "")
		},
		"order": func(a, b mc.Estimate) claims.Finding {
			return claims.Judged("N073", claims.Below(a, b), "", "")
		},
		"times": func(a, b mc.Estimate) claims.Finding {
			return claims.Judged("N076", claims.AtMostTimes(a, 1, b), "", "")
		},
		"in every": func(a, b mc.Estimate) claims.Finding {
			return claims.Judged("N088", claims.All(claims.AtMost(a, 1), claims.AtMost(b, 1)), "", "")
		},
		"in one": func(a, b mc.Estimate) claims.Finding {
			return claims.Judged("N046", claims.Any(claims.AtLeast(a, 1), claims.AtLeast(b, 1)), "", "")
		},
		"parts": func(a, _ mc.Estimate) claims.Finding {
			return claims.InParts("N059", []claims.Part{{Name: "one", Condition: claims.Certain(false)},
				{Name: "other", Condition: claims.AtLeast(a, 1)}}, "", "")
		},
		"size": func(a, _ mc.Estimate) claims.Finding {
			a.Value, a.Lo, a.Hi = a.Value-1, a.Lo-1, a.Hi-1 // no gain
			return claims.Sized("N031", a, "", "")
		},
	} {
		rng := rand.New(mc.NewStream(1, mc.Algorithm, 0).Source())
		for _, first := range []int{2, firstRuns} {
			grades := map[claims.Grade]float64{}
			for range trials {
				var a, b [all]float64
				for i := range a {
					a[i], b[i] = 1+0.1*rng.NormFloat64(), 1+0.1*rng.NormFloat64()
				}
				mean := func(of [all]float64, name string, runs int) mc.Estimate {
					return listedAs(meanOf(of[:runs], func(x float64) float64 { return x }), "", name)
				}
				f := judge(mean(a, "a", first), mean(b, "b", first))
				if f.Grade == claims.Undecided {
					runs := func(name string) int {
						if f.Edge == nil || slices.ContainsFunc(f.Edge, func(b mc.Basis) bool { return b.Quantity == name }) {
							return all
						}
						return first
					}
					f = judge(mean(a, "a", runs("a")), mean(b, "b", runs("b")))
				}
				grades[f.Grade] += 1.0 / trials
			}
			t.Logf("%s, %d runs first: %v", name, first, grades)
			for _, grade := range []claims.Grade{claims.Reproduced, claims.Contradicted, claims.InPart, claims.FarSmaller, claims.Direction} {
				if share := grades[grade]; share > 0.05+6.11*math.Sqrt(0.05*0.95/trials) {
					t.Errorf("%s, %d runs first: %s in %.3f of the trials, want at most 0.05", name, first, grade, share)
				}
			}
		}
	}
}

// TestSecondLook: a quarter of a minute's 1,500 million packet-hops are 11 runs of each point of N054, of which five
// take 163 million, and any number for a claim without work.
func TestSecondLook(t *testing.T) {
	for id, want := range map[string]uint64{"N054": 11, "N001": math.MaxInt32} {
		if got := NewPlan(time.Minute).secondLook(claims.Find(id)); got != want {
			t.Errorf("%s: %d runs, want %d", id, got, want)
		}
	}
}

// TestUnaffordable: a claim whose runs are left out is undecided and says what they take.
func TestUnaffordable(t *testing.T) {
	s := Settings{Plan: NewPlan(time.Minute), figure: "fig16"}
	found, err := s.judged(t.Context(), []judgement{{"N071", nil}})
	if err != nil || len(found) != 1 || found[0].Grade != claims.Undecided || found[0].Why != "32 s more would decide it" {
		t.Fatalf("%+v, %v", found, err)
	}
	if note := s.leftOut(found); len(note) != 1 || !strings.HasSuffix(note[0], "Left out: N071 (32 s more would decide it).") {
		t.Errorf("note %q", note)
	}
	if pending := claims.NewScorecard(found).Pending(); pending != "Undecided in this budget: N071: 32 s more. --for gives more, --full decides." {
		t.Errorf("pending %q", pending)
	}
}
