package figures

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"repslab/ballsbins/leafspine"
	"repslab/fattree/transport"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/mc"
)

// TestGrows: the fit recovers exponents and constants of exact powers, says how far points are from the line, and gives
// an interval only where replicas differ.
func TestGrows(t *testing.T) {
	packets := []int{64, 256, 1024, 4096}
	power := func(constant, exponent float64) (q []int) {
		for _, m := range packets {
			q = append(q, int(math.Round(constant*math.Pow(float64(m), exponent))))
		}
		return q
	}
	for _, c := range []struct{ constant, exponent, class float64 }{{7, 0, 0}, {3, 0.5, 0.5}, {2, 1, 1}, {1, 1.5, 1}} {
		g := grows(packets, [][]int{power(c.constant, c.exponent), power(c.constant, c.exponent)}, positive(0))
		if math.Abs(g.exponent.Value-c.exponent) > 1e-6 || !g.exponent.Identical || g.class != c.class || g.misfit != 0 ||
			c.exponent < 1.5 && math.Abs(g.constant.Value-c.constant) > 1e-9 {
			t.Errorf("%+v: %+v", c, g)
		}
	}
	bent := grows(packets, [][]int{{10, 20, 20, 40}, {10, 20, 20, 40}, {10, 20, 20, 80}}, mc.Support{Least: math.Inf(-1), Most: math.Inf(1)})
	// ln Q in units of ln 2 without ln 10: (0, 1, 1, 2), twice, and (0, 1, 1, 3); steps of ln m are 2. Slopes 0.3, 0.3,
	// 0.45.
	if math.Abs(bent.exponent.Value-0.35) > 1e-6 || !(bent.exponent.Lo < 0.2 && bent.exponent.Hi > 0.45 && bent.exponent.Hi < 0.6) || bent.class != 0.5 {
		t.Errorf("exponent %+v", bent.exponent)
	}
	// The line through the means (0, 1, 1, 7/3) is 13/12 + 0.35 (x - 3): residuals -1/30, 4/15, -13/30, 1/5.
	if want := 13.0 / 30 * math.Ln2; math.Abs(bent.misfit-want) > 1e-6 || math.Abs(bent.longest.Value-160.0/3) > 1e-9 {
		t.Errorf("misfit %v, want %v; longest %v", bent.misfit, want, bent.longest.Value)
	}
}

// TestIncrementExponent: the exponent of the growth alone does not depend on an offset, is exact where replicas grow
// alike, and does not exist where a queue stays or falls.
func TestIncrementExponent(t *testing.T) {
	packets := []int{16, 64, 256, 1024, 4096}
	for _, offset := range []int{-3, 0, 500} {
		line, root := make([]int, len(packets)), make([]int, len(packets))
		for i, m := range packets {
			line[i], root[i] = offset+3*m, offset+10*int(math.Sqrt(float64(m)))
		}
		if e := incrementExponent(packets, [][]int{line, line, line}); e.Value != 1 || !e.Identical {
			t.Errorf("offset %d: %+v, want exactly 1", offset, e)
		}
		e := incrementExponent(packets, [][]int{root, line, root})
		if math.Abs(e.Value-2.0/3) > 1e-6 || !(e.Lo < 0.5 && e.Hi > 0.9) {
			t.Errorf("offset %d: %+v, want 2/3", offset, e)
		}
	}
	for _, queue := range [][]int{{5, 5, 5, 5, 5}, {5, 6, 7, 7, 7}, {5, 6, 7, 7, 6}, {5, 6, 5, 7, 9}} {
		if e := incrementExponent(packets, [][]int{{1, 2, 3, 4, 9}, queue}); !math.IsNaN(e.Value) {
			t.Errorf("%v: %+v", queue, e)
		}
	}
}

// TestAtlasPoints: every rule has its points at 4 to 128 ports, every point is valid and there once, and the largest
// networks have the longest messages for the published classes alone.
func TestAtlasPoints(t *testing.T) {
	seen, rules := map[atlasPoint]bool{}, map[leafspine.Rule]int{}
	for _, p := range atlasPoints() {
		if p.config().Validate() != nil || seen[p] || p.Slots < 4*atlasFrom {
			t.Errorf("%+v: invalid, or there twice", p)
		}
		seen[p] = true
		if p.Ports == 128 && p.Slots == atlasPackets {
			rules[p.Rule]++
		}
	}
	if len(rules) != len(atlasClasses()) || len(seen) < 320 {
		t.Errorf("%d points; the longest messages at 128 ports have %v", len(seen), rules)
	}
	if _, err := (atlasPoint{Ports: 3, Slots: 4}).run(context.Background(), 1, 0); err == nil {
		t.Error("a wrong point runs")
	}
}

// TestAtlasNetworks: the networks are full, workloads have the packets that the table names, and starts lie in the
// spread.
func TestAtlasNetworks(t *testing.T) {
	for _, a := range atlasNets() {
		m := a.sizes[0]
		spec := a.spec(m)
		w, err := a.draw(spec, m)(workloadSource(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		plan, packets, latest := planOf(spec), map[int]int{}, int64(0)
		for _, f := range w.Flows {
			packets[int(f.Source)] += int(f.Bytes) / plan.Spec().PayloadBytes()
			latest = max(latest, int64(f.Start))
		}
		hosts := a.tree().Hosts
		want := m
		if a.allToAll {
			want = m / hosts * (hosts - 1)
		}
		for host := range hosts {
			if packets[host] != want {
				t.Fatalf("%s: host %d sends %d packets, want %d", a.name, host, packets[host], want)
			}
		}
		trip := float64(plan.LongestRTT())
		if x := float64(latest) / trip; x > a.spread || x < 0.9*a.spread {
			t.Errorf("%s: the last start is at %.2f round trips", a.name, x)
		}
		if k := hosts; k != map[int]int{2: a.ports * a.ports / 2, 3: a.ports * a.ports * a.ports / 4}[a.tiers] {
			t.Errorf("%s has %d hosts", a.name, k)
		}
	}
}

// TestAtlasPage: docs/atlas.md has the numbers of the recorded runs, and runs agree with the laws that it states.
func TestAtlasPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/atlas.md")
	if err != nil {
		t.Fatal(err)
	}
	says := func(want string) {
		if !strings.Contains(string(text), want) {
			t.Errorf("docs/atlas.md does not say: %s", want)
		}
	}
	checkAtlasCommand(says)
	if words := len(strings.Fields(string(text))); words > 800 {
		t.Errorf("docs/atlas.md has %d words, want 800 at most", words)
	}
	theory, err := runAtlasTheory(t.Context(), fromRecord(t, "atlas"))
	if err != nil {
		t.Fatal(err)
	}
	for row, rule := range map[string]leafspine.Rule{"random |": leafspine.Random, "shortest queue, of equal ones a drawn one |": leafspine.ShortestDrawn} {
		g := theory.at(leafspine.Permutation, rule)
		if says(fmt.Sprintf("%.2f [%.2f, %.2f], %.0f |", g.exponent.Value, g.exponent.Lo, g.exponent.Hi, g.longest.Value)); !strings.Contains(string(text), row) {
			t.Errorf("docs/atlas.md has no row %s", row)
		}
	}
	for rule, rest := range map[leafspine.Rule]string{leafspine.SourceRotation: "its count | 0, %.0f | 1, %.0f |", leafspine.DestinationDrawn: "a count for each | 0, %.1f | 0, %.1f |",
		leafspine.SwitchDestination: "a count for each | 0, %.1f | 0, %.1f |", leafspine.Shortest: "its queues | 1.00, %.0f | 0, %.0f |", leafspine.SwitchRotation: "its count | 1.00, %.0f | 0, %.0f |"} {
		one, two := theory.at(leafspine.Permutation, rule).longest.Value, theory.at(leafspine.Alternating, rule).longest.Value
		if one, two = math.Round(10*one)/10, math.Round(10*two)/10; one > 1000 {
			one = math.Round(one)
		}
		row := strings.ReplaceAll(fmt.Sprintf(rest, one, two), "39320", "39,320")
		says(strings.ReplaceAll(strings.ReplaceAll(row, "31538", "31,538"), "16384", "16,384"))
	}
	unsettled := theory.growth(atlasPoint{64, leafspine.DestinationAlike, leafspine.AllToAll, 0, atlasPackets})
	if unsettled.class != 0 || unsettled.constant.Value != unsettled.longest.Value || unsettled.exponent.Value < 0.4 {
		t.Errorf("a queue with a bound, which it has not reached at first: %+v, want class 0", unsettled)
	}
	within, means := 0, 0
	laws := theory.laws(1)
	for i := range laws.Rows {
		cell := func(key string) float64 {
			column := slices.IndexFunc(laws.Columns, func(c frame.Column) bool { return c.Key == key })
			x, _ := laws.Rows[i][column].(float64)
			return x
		}
		if laws.Rows[i][0] == "mean uplink" {
			if means++; cell("measured_lo") <= cell("exact") && cell("exact") <= cell("measured_hi") {
				within++
			}
		} else if cell("measured") != cell("exact") {
			t.Errorf("row %d of the laws: %v", i, laws.Rows[i])
		}
	}
	says(fmt.Sprintf("of %d means, %d have the exact law", means, within))
	net := recordedComparison(t, "atlas", newAtlasNetwork())
	mrc := net.atlasGrowth(atlasNets()[0], "mrc")
	if text, err := os.ReadFile("../../docs/mrc.md"); err != nil || !strings.Contains(string(text), fmt.Sprintf("under MRC %.2f [%.2f, %.2f], at %.0f packets",
		mrc.exponent.Value, mrc.exponent.Lo, mrc.exponent.Hi, mrc.longest.Value)) {
		t.Errorf("docs/mrc.md does not have the exponent of MRC, %+v: %v", mrc.exponent, err)
	}
	for _, key := range []string{"ops", "path-round-robin", "mrc", "reps", "round-robin", "destination-round-robin", "adaptive-roce"} {
		g := net.atlasGrowth(atlasNets()[0], key)
		says(strings.ReplaceAll(strings.ReplaceAll(fmt.Sprintf("| %s | %.2f [%.2f, %.2f] | %.0f |", key, g.exponent.Value, g.exponent.Lo, g.exponent.Hi, g.longest.Value), "16791", "16,791"), "6726", "6,726"))
	}
}

// checkAtlasCommand checks that the page's command of the main network has the numbers of its longest message: a larger
// window or queue than a shorter message needs changes nothing.
func checkAtlasCommand(says func(want string)) {
	a, sizes := atlasNets()[0], atlasSizes()
	longest := sizes[len(sizes)-1]
	spec := a.spec(longest)
	bytes := lists.Map(sizes, func(m int) string { return fmt.Sprint(m * planOf(spec).Spec().PayloadBytes()) })
	says(fmt.Sprintf("--radix=%d --header-bytes=%d --message-bytes=%s --evs=%d --active-evs=%d ", a.ports, spec.HeaderBytes, strings.Join(bytes, ","), a.paths, a.paths/2))
	says(fmt.Sprintf("--cc=%s --window=%d --queue=%d --kmin=%d --kmax=%d --rto-us=%d --replicas=%d ", a.cc, 2*longest, spec.Queue, spec.KMin, spec.KMax,
		spec.Options.(transport.Options).RTO/microseconds, atlasNetRuns))
}

// TestAtlasRules: the table's rules of the network are the rules of the command, and all have words.
func TestAtlasRules(t *testing.T) {
	keys := map[string]bool{}
	for _, s := range atlasSchemes() {
		if s.decides == "" || s.knows == "" || keys[s.key] || strings.Contains(atlasLabel(s.name), "-") {
			t.Errorf("%+v", s)
		}
		keys[s.key] = true
	}
	for _, key := range atlasFewSchemes() {
		if !keys[key] {
			t.Errorf("%s is no scheme of the atlas", key)
		}
	}
}
