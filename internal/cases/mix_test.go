package cases

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/internal/frame"
	"repslab/internal/mctest"
	"repslab/internal/param"
	"repslab/mc"
	"repslab/sweep"
)

// flowsOfPoint returns the flows of a replica.
func flowsOfPoint(t *testing.T, flags string, seed, replica uint64) fattree.Workload {
	t.Helper()
	spec, err := pointOf(t, "hosts=16 "+flags).SpecOf(seed, replica)
	if err != nil {
		t.Fatalf("%s: %v", flags, err)
	}
	return spec.Workload
}

// TestPartsAreWorkloads: a part alone has the flows of its workload with the flags of the same meaning, also if it has
// some of its options from flags. Each replica has other flows where the workload is drawn.
func TestPartsAreWorkloads(t *testing.T) {
	for part, flags := range map[string]string{
		"workload=permutation:bytes=3kB":                                   "workload=permutation message-bytes=3kB",
		"workload=permutation:at=0 message-bytes=3kB":                      "workload=permutation message-bytes=3kB",
		"workload=permutation:at=0":                                        "workload=permutation",
		"workload=tornado:bytes=1MiB":                                      "workload=tornado message-bytes=1MiB",
		"workload=incast:bytes=3kB,degree=5":                               "workload=incast message-bytes=3kB degree=5",
		"workload=incast:hosts=0..15":                                      "workload=incast",
		"workload=one-tor:bytes=3kB":                                       "workload=one-tor message-bytes=3kB",
		"workload=alltoall:bytes=3kB degree=3":                             "workload=alltoall message-bytes=3kB degree=3",
		"workload=allreduce-ring:bytes=3kB,degree=4":                       "workload=allreduce-ring message-bytes=3kB degree=4",
		"workload=allreduce-ring:at=0":                                     "workload=allreduce-ring",
		"workload=allreduce-butterfly:bytes=3kB":                           "workload=allreduce-butterfly message-bytes=3kB",
		"workload=websearch:load=0.3,for=0.5ms":                            "workload=websearch load=0.3 duration-us=500",
		"workload=facebook:arrivals=poisson load=0.3 duration-us=50":       "workload=facebook load=0.3 duration-us=50 arrivals=poisson",
		"workload=websearch:bytes=facebook,load=0.3 duration-us=50":        "workload=facebook load=0.3 duration-us=50",
		"workload=facebook:load=0.3,arrivals=paced,for=50 hosts-per-tor=2": "workload=facebook load=0.3 duration-us=50 hosts-per-tor=2",
	} {
		for replica := range uint64(2) {
			got, want := flowsOfPoint(t, part, 5, replica), flowsOfPoint(t, flags, 5, replica)
			if !reflect.DeepEqual(got.Flows, want.Flows) || !reflect.DeepEqual(got.Triggers, want.Triggers) || want.Parts != nil || len(got.Parts) != 1 {
				t.Errorf("%s: flows differ from those of %s", part, flags)
			}
		}
	}
	const mix = "workload=permutation:bytes=3kB,hosts=50%;incast:bytes=2kB,degree=3,every=5,for=20,hosts=25%;websearch:arrivals=poisson,load=0.3,for=50,hosts=rest"
	one := flowsOfPoint(t, mix+" lb=reps", 5, 1)
	if same := flowsOfPoint(t, mix+" lb=ops cc=nscc", 5, 1); !reflect.DeepEqual(one, same) {
		t.Error("another balancer meets other traffic")
	}
	for _, other := range []fattree.Workload{flowsOfPoint(t, mix, 5, 2), flowsOfPoint(t, mix, 6, 1)} {
		if reflect.DeepEqual(one.Flows[:8], other.Flows[:8]) || reflect.DeepEqual(one.Flows[8:20], other.Flows[8:20]) {
			t.Error("another replica or seed has the same flows")
		}
	}
}

// TestPartOptions: options set what they name.
func TestPartOptions(t *testing.T) {
	for text, want := range map[string][3]int64{ // flows, bytes of the first, start of the last in ns
		"permutation:hosts=50%":                          {8, 8 << 20, 0},
		"permutation:hosts=40.5%":                        {6, 8 << 20, 0}, // 6.48
		"permutation:hosts=6":                            {6, 8 << 20, 0},
		"tornado:hosts=0..3,7,bytes=5":                   {5, 5, 0},
		"tornado:hosts=0..3;permutation:hosts=rest":      {16, 8 << 20, 0},
		"incast:degree=3,at=20us,every=500ns,for=1us":    {6, 8 << 20, 20_500},
		"incast:degree=3,at=2.5,every=0.5ms,for=0.6ms":   {6, 8 << 20, 502_500},
		"allreduce-ring:hosts=6,bytes=7":                 {15, 7, 0}, // half of the hosts
		"alltoall:hosts=4,name=x,bytes=1kB,degree=1":     {12, 1000, 0},
		"tornado;permutation:name=more;incast:degree=15": {47, 8 << 20, 0},
	} {
		w := flowsOfPoint(t, "workload="+text, 1, 0)
		last := w.Flows[len(w.Flows)-1]
		if got := [3]int64{int64(len(w.Flows)), w.Flows[0].Bytes, int64(last.Start) / 1000}; got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	sizes := flowsOfPoint(t, "workload=permutation:bytes=facebook,every=1,for=20", 1, 0)
	if first := sizes.Flows[0].Bytes; !slices.ContainsFunc(sizes.Flows, func(f fattree.Flow) bool { return f.Bytes != first }) {
		t.Error("sizes are not drawn")
	}
}

// TestDrawnTraffic: replicas have networks of their own if some part is drawn, and share one otherwise.
func TestDrawnTraffic(t *testing.T) {
	for text, drawn := range map[string]bool{
		"tornado": false, "tornado:hosts=0..7": false, "incast:every=5,for=20;tornado": false,
		"tornado:hosts=50%": true, "tornado:hosts=8": true, "tornado:bytes=1kB,load=0.3,for=50": true, "tornado:bytes=facebook": true, "tornado;permutation": true, "facebook:for=50": true,
	} {
		networks := pointOf(t, "hosts=16 workload="+text).Setup().Network
		one, err := networks(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if other, err := networks(1, 1); err != nil || (one != other) != drawn {
			t.Errorf("%s: replicas have other networks: %v, error %v", text, one != other, err)
		}
	}
}

// TestLoadsOfParts: a part is warned of if it offers another load than it is asked to, on its own hosts.
func TestLoadsOfParts(t *testing.T) {
	for text, want := range map[string]string{
		"facebook:arrivals=poisson,load=0.2,hosts=25%,for=2ms;tornado:bytes=1":   "",
		"incast:bytes=2kB,degree=3,load=0.2,hosts=25%,for=200;tornado:bytes=1":   "",
		"facebook:load=0.2,hosts=0..3,for=10;tornado:bytes=1":                    "facebook: load=0.2 offers",
		"tornado:bytes=64KiB,every=1us,for=3us":                                  "tornado: rounds every 1 us offer 1.3 of the links of its hosts",
		"tornado:bytes=64KiB,every=1.4us,for=7us":                                "",
		"tornado:hosts=0..3;facebook:load=0.2,hosts=rest,for=10;incast:degree=2": "",
	} {
		p := pointOf(t, "hosts=16 workload="+text)
		tally, _, err := p.point().Experiment.Run(t.Context(), mc.Plan{Seed: 1, Replicas: 4})
		if err != nil {
			t.Fatal(err)
		}
		loads := p.offeredLoads(tally.(*experiment.Tally).Summary())
		if got := strings.Join(p.loadWarnings(loads), "; "); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: warnings %q, want %q", text, got, want)
		}
	}
}

// TestWorkloadTexts: a list of mixes is written as it can be read again: commas before an option or a number continue a
// part, others begin another value, as bars do.
func TestWorkloadTexts(t *testing.T) {
	for text, want := range map[string]string{
		"Tornado, permutation": "tornado|permutation",
		"tornado | websearch ": "tornado|websearch",
		"incast: degree = 3, hosts=0..3,7, at=5;tornado:at=1,websearch:load=0.1,for=2|facebook": "incast: degree=3, hosts=0..3,7, at=5; tornado: at=1|websearch: load=0.1, for=2|facebook",
		"permutation;permutation:name=b": "permutation; permutation: name=b",
	} {
		list, err := workloadSpecs(text)
		if got := strings.Join(list, "|"); err != nil || got != want {
			t.Errorf("%s is read as %s, %v, want %s", text, got, err, want)
		}
		again, err := workloadSpecs(strings.Join(list, ","))
		if err != nil || !slices.Equal(again, list) {
			t.Errorf("%s is not read again: %s, %v", list, again, err)
		}
	}
}

// TestWorkloadRefusals: wrong parts are refused by an error that says what is wrong.
func TestWorkloadRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"permutation;permutation": "must have another name", "tornado:name=all": "must have another name", "tornado:name=a b;incast": "",
		"tornado:name=-x": "letters, digits", "tornado:name=;incast": "letters, digits", "tornado:name=others": "must have another name", "tornado:every=0us": "above 0",
		"tornado:": "must be one of name", "tornado:x=1": "must be one of name", "tornado:at=1,at=2": "at= must be given once", "shuffle": "must be one of",
		"tornado:degree=3": "degree= is no option", "tornado:arrivals=paced": "arrivals= is no option", "websearch:every=3": "every= is no option", "one-tor:hosts=3": "hosts= is no option",
		"incast:every=1,load=0.1": "exclude each other", "tornado:for=3": "for= needs", "incast:every=3us,for=0us": `for= "0us" must be above 0`, "flows:at=1": "without options", "schedule:at=1": "without options",
		"tornado:hosts=1": "at least 2", "tornado:hosts=0%": "above 0%", "tornado:hosts=101%": "above 0%", "tornado:hosts=x": "must be", "tornado:at=5s": "must be a time", "tornado:at=-1": "must be a time",
		"tornado:at=1001ms": "must be a time", "tornado:bytes=0": "must be", "incast:degree=0": "must be", "websearch:load=0": "must be", "websearch:load=1.1": "must be", "websearch:arrivals=x": "must be",
	} {
		_, err := workloadSpecs(text)
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) || want == "" && err != nil {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
	for flags, want := range map[string]string{
		"workload=incast:degree=16":                    "--workload: part incast: degree (16) must be in [1, 15]",
		"workload=tornado:hosts=3..16":                 "--workload: part tornado: hosts (16) must be in [0, 15]",
		"workload=tornado;permutation:hosts=rest":      "--workload: part permutation: hosts (0) must be at least 2",
		"workload=tornado:hosts=17":                    "--workload: part tornado: hosts=17 must be at most 16, the hosts of the network",
		"workload=tornado:hosts=9%":                    "--workload: part tornado: hosts=9% are 1 of 16 hosts, must be at least 2",
		"workload=sizes:load=0.3":                      "must come with --sizes",
		"workload=incast:bytes=sizes":                  "must come with --sizes",
		"workload=incast:bytes=3 message-bytes=5":      "--message-bytes: 5 has no effect here",
		"workload=incast:degree=3 degree=5":            "--degree: 5 has no effect here",
		"workload=websearch:load=0.1 load=0.5":         "--load: 0.5 has no effect here",
		"workload=incast:every=5,for=5 load=0.5":       "--load: 0.5 has no effect here",
		"workload=tornado:at=1 duration-us=7":          "--duration-us: 7 has no effect here",
		"workload=incast:every=5,for=5 arrivals=paced": "--arrivals: paced has no effect here",
	} {
		given := param.Texts{"hosts": "16"}
		for assignment := range strings.FieldsSeq(flags) {
			flag, value, _ := strings.Cut(assignment, "=")
			given[param.KeyOf(flag)] = value
		}
		if _, err := fattreeModel().Grid(param.Selection{Parameters: given}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", flags, err, want)
		}
	}
}

// rowsOf runs a point and returns its rows by group and key.
func rowsOf(t *testing.T, p *Fattree, replicas uint64) map[any]map[string]any {
	t.Helper()
	point := p.point()
	tally, n, err := point.Experiment.Run(t.Context(), mc.Plan{Seed: 1, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	found, err := point.Fold(t.Context(), tally, n)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[any]map[string]any{}
	for _, cells := range found.Rows {
		row := map[string]any{}
		for i, head := range fattreeModel().Results {
			row[head.Key] = cells[i]
		}
		rows[row["group"]] = row
	}
	return rows
}

// TestRowsOfParts: flows and bytes of the parts add up to the flows and bytes of all, and the offered load of a part
// is its bytes over the capacity of all hosts' links during its time.
func TestRowsOfParts(t *testing.T) {
	p := pointOf(t, "hosts=16 workload=permutation:bytes=30kB,hosts=50%;incast:bytes=2kB,degree=3,every=5,for=20,hosts=100%;facebook:arrivals=poisson,load=0.3,for=50,name=web failure=loss=2%")
	rows := rowsOf(t, p, 3)
	for _, key := range []string{"flows", "finished", "bytes", "unfinished_flows", "packets_lost"} {
		sum := 0.0
		for _, group := range []string{"permutation", "incast", "web"} {
			sum += rows[group][key].(float64)
		}
		if all := rows["all"][key].(float64); math.Abs(sum-all) > 1e-9*all || all == 0 && key != "unfinished_flows" {
			t.Errorf("%s of the parts add up to %v, all to %v", key, sum, all)
		}
	}
	for group, us := range map[string]float64{"incast": 20, "web": 50} {
		want := rows[group]["bytes"].(float64) / (16 * 400e9 / 8 * us * 1e-6)
		if got := rows[group]["offered_load"].(float64); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s offers %v, want %v", group, got, want)
		}
	}
	if none := rows["all"]["offered_load"].(float64) + rows["permutation"]["offered_load"].(float64); !math.IsNaN(none) || len(rows) != 4 {
		t.Errorf("offered loads of %v and %v in %d rows", rows["all"]["offered_load"], rows["permutation"]["offered_load"], len(rows))
	}
	one := rowsOf(t, pointOf(t, "hosts=16 workload=permutation:bytes=30kB,hosts=50%"), 1)
	if row := one[nil]; row == nil || row["flows"] != 8.0 || len(one) != 1 {
		t.Errorf("rows of one part: %v", one)
	}
}

// pooledLists returns inputs l0, l1, ... with flow lists of random sizes: of a list all flows are long or short.
func pooledLists(t *testing.T, n int, random *rand.Rand) (list []sweep.Input) {
	t.Helper()
	for i := range n {
		text, bytes := "Nodes 8\nConnections 8\n", 2000+random.IntN(60_000)
		for h := range 8 {
			text += fmt.Sprintf("%d->%d start 0 size %d\n", h, (h+4)%8, bytes+random.IntN(4000))
		}
		list = append(list, inputOf(t, fmt.Sprintf("l%d", i), text)...)
	}
	return list
}

// inputOf returns a file with a text, as an input.
func inputOf(t *testing.T, path, text string) []sweep.Input {
	t.Helper()
	in, err := sweep.ReadInput(path, strings.NewReader(text), func(io.Reader) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return []sweep.Input{in}
}

// meanFCT returns the mean FCT of the first point of a grid over 5 replicas, with its interval.
func meanFCT(t *testing.T, lists []sweep.Input, pool ...string) (e [3]float64) {
	t.Helper()
	var paths []string
	for _, in := range lists {
		paths = append(paths, in.Path)
	}
	g, err := fattreeModel().Grid(param.Selection{Parameters: param.Texts{"flows": strings.Join(paths, ","), "hosts_per_tor": "4"}, Pool: pool, Inputs: lists})
	if err != nil {
		t.Fatal(err)
	}
	point := g.Points[0]
	tally, n, err := point.Experiment.Run(t.Context(), mc.Plan{Seed: 1, Replicas: 5})
	if err != nil {
		t.Fatal(err)
	}
	found, err := point.Fold(t.Context(), tally, n)
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range []string{"mean_fct_us", "mean_fct_us_lo", "mean_fct_us_hi"} {
		at := slices.IndexFunc(fattreeModel().Results, func(c frame.Column) bool { return c.Key == key })
		e[i], _ = found.Rows[0][at].(float64)
	}
	return e
}

// TestPooledIntervalsCover: intervals of 5 pooled lists contain the mean over all lists in at least 80 of 100 draws,
// where 93 are expected, since sizes are uniform: by chance fewer once in 10^5 reseeds. Intervals over 5 salts of one
// list have the variance of the salts alone, and contain it in fewer than 40 draws.
func TestPooledIntervalsCover(t *testing.T) {
	const draws = 100
	random := rand.New(rand.NewPCG(mctest.Seed(t, 1), 0))
	truth, pooled, single := 0.0, [draws][3]float64{}, [draws][3]float64{}
	for i := range draws {
		lists := pooledLists(t, 5, random)
		pooled[i], single[i] = meanFCT(t, lists, "flows"), meanFCT(t, lists[:1])
		truth += pooled[i][0] / draws
	}
	covered := func(intervals [draws][3]float64) (n int) {
		for _, e := range intervals {
			n += param.Bit(e[1] <= truth && truth <= e[2])
		}
		return n
	}
	if n := covered(pooled); n < 80 {
		t.Errorf("%d of %d pooled intervals cover", n, draws)
	}
	if n := covered(single); n >= 40 {
		t.Errorf("%d of %d intervals of one list cover", n, draws)
	}
	t.Logf("%d pooled intervals cover, %d of one list", covered(pooled), covered(single))
}

// TestPoolRefusals: pooled files are the replicas of one point, so there are as many; other parameters and wrong
// lists are refused.
func TestPoolRefusals(t *testing.T) {
	lists := append(pooledLists(t, 3, rand.New(rand.NewPCG(1, 0))), inputOf(t, "wide", "Nodes 16\nConnections 1\n0->15 start 0 size 5000\n")...)
	pool := func(flows string, keys ...string) (*param.Grid, error) {
		given := param.Texts{"flows": flows, "hosts_per_tor": "4", "lb": "ops,reps"}
		return fattreeModel().Grid(param.Selection{Parameters: given, Pool: keys, Inputs: lists})
	}
	g, err := pool("l0,l1,wide", "flows")
	if err != nil || len(g.Points) != 2 || !slices.Equal(g.Pool, []string{"flows"}) || g.Parameters["flows"] != "l0,l1,wide" || g.Points[0].Parameters[0] != 16 {
		t.Fatalf("grid %+v, error %v", g, err)
	}
	late := append(inputOf(t, "late", "Nodes 8\nConnections 1\n0->5 start 300000000000 size 5000\n"), lists[0])
	g2, err := fattreeModel().Grid(param.Selection{Parameters: param.Texts{"flows": "late,l0", "hosts_per_tor": "4"}, Pool: []string{"flows"}, Inputs: late})
	at := slices.IndexFunc(fattreeModel().Keys, func(c frame.Column) bool { return c.Key == "horizon_us" })
	if err != nil || g2.Points[0].Parameters[at].(float64) < 300_000 {
		t.Errorf("runs of pooled lists end before a flow starts: error %v", err)
	}
	for _, c := range []struct {
		asked uint64 // 0 if not asked
		want  uint64 // 0 if refused
	}{{0, 3}, {2, 0}, {3, 3}, {4, 0}} {
		plan, err := g.Replicas(mc.Plan{Replicas: cmp.Or(c.asked, 40)}, c.asked > 0)
		if c.want == 0 && (err == nil || !strings.Contains(err.Error(), " must be 3, the number of pooled files")) || c.want > 0 && (err != nil || plan.Replicas != c.want) {
			t.Errorf("%d replicas: %d, error %v", c.asked, plan.Replicas, err)
		}
	}
	for want, c := range map[string][]string{
		"must be flows, and come with --flows":       {"l0,l1", "lb"},
		"must be given once, with at least 2":        {"l0", "flows"},
		"with at least 2 files, each once: l0,l1,l0": {"l0,l1,l0", "flows"},
		"--pool: \"flows\" must be given once, with": {"l0,l1", "flows", "flows"},
	} {
		if _, err := pool(c[0], c[1:]...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", c, err, want)
		}
	}
}
