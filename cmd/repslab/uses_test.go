package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"repslab/internal/cases"
	"repslab/internal/param"
)

// madeInputs writes small input files of the fattree model into the folder: two of
// each kind.
func madeInputs(t *testing.T) {
	t.Helper()
	const flow = " start 0 size 20000\n"
	const tree = "Nodes 8\nTiers 2\nPodsize 8\nTier 0\nDownlink_speed_Gbps 400\nRadix_Down 4\nRadix_Up 4\nDownlink_Latency_ns 1000\n" +
		"Tier 1\nDownlink_speed_Gbps 400\nRadix_Down 2\nDownlink_Latency_ns 1000\n"
	for name, text := range map[string]string{
		"a.cm":      "Nodes 8\nConnections 2\n0->5" + flow + "1->6" + flow,
		"b.cm":      "Nodes 8\nConnections 2\n0->5" + flow + "0->5" + flow,
		"a.sizes":   "1000 50\n9000 100\n",
		"b.sizes":   "2000 50\n9000 100\n",
		"a.goal":    "num_ranks 3\nrank 0 {\na: calc 900\ns: send 20000b to 2 tag 0\ns requires a\n}\nrank 1 {\ncalc 3000\n}\nrank 2 {\nrecv 20000b from 0 tag 0\n}\n",
		"b.goal":    "num_ranks 3\nrank 0 {\ncalc 10\n}\nrank 1 {\n}\nrank 2 {\n}\n",
		"a.hosts":   "3 1\n7\n",
		"a.topo":    tree,
		"slow.topo": strings.ReplaceAll(tree, "Gbps 400", "Gbps 200"),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// withModels runs a command line in this process. Commands with the same models
// compute the digest of a model's reference runs once.
func withModels(available []param.Model, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := runModels(context.Background(), available, args, &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// checkFiles runs a small sweep, whole and in two shards, and checks that its
// configuration is read back as the same sweep and that its files can be shown,
// exported and merged. It returns the rows as CSV.
func checkFiles(t *testing.T, available []param.Model, args []string) string {
	t.Helper()
	must := func(args ...string) string {
		t.Helper()
		o := withModels(available, args...)
		if o.code != exitDone {
			t.Fatalf("%q: code %d, %s", args, o.code, o.stderr)
		}
		return o.stdout
	}
	t.Chdir(t.TempDir())
	madeInputs(t)
	base := append(append([]string{"sweep"}, args...), "--quiet")
	printed := must(append(base, "--print-config")...)
	if err := os.WriteFile("c.json", []byte(printed), 0o600); err != nil {
		t.Fatal(err)
	}
	if again := must("sweep", "--config", "c.json", "--print-config"); again != printed {
		t.Errorf("%q: the configuration\n%s\nis read as\n%s", args, printed, again)
	}
	must(append(base, "-o", "r.jsonl")...)
	must("sweep", "--config", "c.json", "-o", "c.jsonl", "--quiet")
	for _, shard := range []string{"1/2", "2/2"} {
		must(append(base, "-o", "part", "--shard", shard)...)
	}
	must("merge", "part.1-of-2", "part.2-of-2", "-o", "merged.jsonl")
	want := fileBytes(t, "r.jsonl")
	for _, path := range []string{"c.jsonl", "merged.jsonl"} {
		if !bytes.Equal(fileBytes(t, path), want) {
			t.Errorf("%q: %s differs from the file of the sweep", args, path)
		}
	}
	must("show", "r.jsonl")
	rows := must("export", "merged.jsonl")
	direct := append(slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "--zip") }), "--format", "csv", "--quiet")
	if len(direct) == len(args)+3 && must(direct...) != rows {
		t.Errorf("%q: the model's own command prints other rows", args)
	}
	return rows
}

// TestSweepsOfInputFiles: sweeps with --flows, --sizes and --topology write files
// that can be read, with a row for each input file that says which one it was.
func TestSweepsOfInputFiles(t *testing.T) {
	available := cases.All()
	for _, c := range []struct {
		args, column string
		values       []string
	}{
		{"fattree --hosts 8 --flows a.cm,b.cm --replicas 2", "flow_list", []string{"a.cm", "b.cm"}},
		{"fattree --hosts 8 --sizes a.sizes,b.sizes --duration-us 2 --replicas 2", "sizes", []string{"a.sizes", "b.sizes"}},
		{"fattree --topology a.topo,slow.topo --message-bytes 20000 --replicas 2", "topology", []string{"a.topo", "slow.topo"}},
		{"fattree --topology a.topo --flows a.cm --replicas 2", "flow_list", []string{"a.cm"}},
		{"fattree --hosts 8 --schedule a.goal,b.goal --steps 2 --replicas 2", "schedule", []string{"a.goal", "b.goal"}},
		{"fattree --hosts 8 --schedule a.goal --placement a.hosts,random --replicas 2", "placement", []string{"a.hosts", "random"}},
		{"fattree --hosts 8 --message-bytes 20000 --failure none|cables=1,at=1 --replicas 2", "failure", []string{"none", "cables=1,at=1"}},
	} {
		lines, err := csv.NewReader(strings.NewReader(checkFiles(t, available, strings.Fields(c.args)))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"compare", "r.jsonl", "merged.jsonl"},
			{"plot", "r.jsonl", "--x", "hosts", "--y", "max_fct_us", "--by", c.column, "-o", "p.svg"},
		} {
			if o := withModels(available, args...); o.code != exitDone {
				t.Errorf("%s, then %q: %+v", c.args, args, o)
			}
		}
		column := slices.Index(lines[0], c.column)
		var got []string
		for _, line := range lines[1:] {
			got = append(got, line[column])
		}
		if !slices.Equal(got, c.values) {
			t.Errorf("%s: the rows have %s %q, want %q", c.args, c.column, got, c.values)
		}
	}
}

// choices are values of the parameters of a model, by flag, in the order of its
// parameters: small ones, so that a run takes little time.
type choices [][]string

// smallChoices returns the choices of each model. Every parameter has some.
func smallChoices() map[string]choices {
	return map[string]choices{
		"ballsbins": {
			{"bins", "4", "8", "5"}, {"lambda", "0.5", "1"}, {"rounds", "20", "30"}, {"every", "7", "20"},
			{"rule", "uniform", "two-choice", "round-robin", "static"}, {"choices", "2", "3"}, {"see", "after"}, {"variant", "serve-then-arrive", "arrive-then-serve", "weighted"}, {"start", "empty", "100:0"}, {"exceeds", "3"},
		},
		"recycled": {
			{"bins", "4", "8"}, {"threshold", "4*ln(n)", "2", "n", "0"}, {"clocking", "self-clocked", "round-robin", "per-flow", "ack", "frozen"},
			{"ramp", "0", "3"}, {"pmax", "0.5", "1"}, {"start", "empty", "all-in-one", "random"}, {"balls", "3", "8"}, {"closed", "off"}, {"level", "2", "3"}, {"choices", "1", "2"},
			{"colors-per-bin", "2", "2*ln(n)"}, {"lambda", "0.9", "1"}, {"ring", "2", "8"}, {"delay", "0", "3"}, {"window", "0", "4"}, {"evs", "0", "8"},
			{"rule", "reps", "mixed", "mrc", "stratified", "klb", "klb-always", "hklb"}, {"active-evs", "2", "8"}, {"ack-ratio", "1", "4"}, {"max-rounds", "20", "30"}, {"horizon", "0", "40"}, {"exceeds", "3"},
		},
		"coalescing": {
			{"bins", "4", "8"}, {"ack-ratio", "1", "2", "4"}, {"ack-variant", "standard", "carry", "reuse"},
			{"clocking", "round-robin", "per-flow"}, {"threshold", "4*ln(n)", "2"}, {"colors-per-bin", "2", "2*ln(n)"}, {"rounds", "5", "10"},
		},
		"evs": {{"flows", "1", "2"}, {"evs", "16", "100", "65536"}, {"uplinks", "4", "5"}, {"method", "exact", "multinomial", "hash", "crc32", "distinct"},
			{"cover", "0.9"}, {"tolerance", "0.5"}, {"loss", "0.5", "1"}, {"false-alarm", "0.1"}, {"miss", "0.05"}},
		"allocate": {
			{"bins", "4", "6"}, {"balls", "20", "30"}, {"every", "7", "10"},
			{"rule", "one-choice", "two-choice", "d-choice", "one-plus-beta", "quantile", "mean-thinning", "memory", "always-go-left", "relative-threshold", "two-thinning"},
			{"choices", "1", "3"}, {"beta", "0", "0.25"}, {"delta", "0.3", "1"}, {"eta", "0.5", "1"}, {"offset", "-1.5", "2"}, {"threshold", "2", "n/2"},
			{"information", "current", "batched", "g-bounded", "sigma-gaussian"}, {"batch", "3", "8"},
			{"width", "0", "2"}, {"sigma", "0", "2.5"}, {"ties", "random"}, {"weights", "unit", "exponential", "given:1:1:3"},
			{"sampling", "uniform", "half:0.5", "given:2:0:1"}, {"speeds", "equal", "1:4", "2"}, {"start", "empty", "5", "1:0:3"}, {"histogram", "on", "off"},
		},
		"leafspine": {
			{"ports", "4", "8"}, {"rule", "random", "source-rotation", "shortest-queue", "static-best", "switch-destination-rotation"},
			{"traffic", "permutation", "alternating", "alltoall"}, {"spread", "0", "7"}, {"packets", "20", "33"}, {"from", "3", "20"},
		},
		"fattree": {
			{"hosts", "8", "16"}, {"tiers", "2"}, {"oversubscription", "1", "2"}, {"link-gbps", "200", "400"}, {"latency-ns", "500", "1000"},
			{"planes", "1", "2"}, {"profile", "reps", "uet", "mrc"}, {"hosts-per-tor", "2", "4"}, {"uplinks-per-tor", "1", "2"}, {"radix", "4", "8"}, {"fabric-gbps", "200", "800"}, {"core-gbps", "400"},
			{"topology", "a.topo", "slow.topo"}, {"workload", "permutation", "tornado", "incast", "allreduce-ring", "alltoall", "facebook",
				"permutation:bytes=5kB,hosts=75%;incast:bytes=2kB,degree=2,every=1,for=3us", "tornado:hosts=0..3,name=t;facebook:hosts=rest,load=0.1,for=1"},
			{"sizes", "a.sizes", "b.sizes"}, {"load", "0.1", "0.6"}, {"arrivals", "paced", "poisson"}, {"duration-us", "1", "2"}, {"degree", "2", "3"},
			{"message-bytes", "10000", "20000"}, {"background-every", "2", "3"}, {"inherit", "on", "off"}, {"flows", "a.cm", "b.cm"},
			{"failure", "none", "degrade=1:0.5,at=5,for=20", "ber-cable=1%"}, {"failure-seed", "3", "8"}, {"reroute-us", "never", "0", "20.5"}, {"burst", "none", "on=5,off=20"}, {"mtu", "4150", "1500"}, {"header-bytes", "1", "64"}, {"queue", "50", "100"}, {"kmin", "0", "10"}, {"kmax", "60", "70"}, {"pmax", "0.05", "1"},
			{"window", "20", "151"}, {"rto-us", "50", "60"}, {"target-us", "3", "9"}, {"horizon-us", "5000", "200000"}, {"trimming", "on", "off"}, {"ack-ratio", "1", "4"}, {"ack-bytes", "8000", "64000"}, {"ack-variant", "standard", "carry", "reuse"},
			{"cc", "dctcp", "nscc", "none"}, {"evs", "16", "256"}, {"ev-routing", "hash", "exact"}, {"ack-routing", "hash", "exact"}, {"mark-last-hop", "on", "off"}, {"freezing", "on", "off", "at=5"}, {"freeze-us", "10", "10000"}, {"freeze-exit", "timeout"}, {"freeze-cache", "all", "new"},
			{"mrc-active", "2", "8"}, {"mrc-backup", "-1", "4"}, {"mrc-min-active", "1", "2"}, {"mrc-replies", "1", "3"}, {"mrc-probe-us", "5", "50"}, {"mrc-skip", "rotation", "one-per-packet", "time=20"},
			{"mrc-order", "stride", "drawn"}, {"mrc-timer", "packet", "connection"}, {"mrc-resend", "in-turn", "first"}, {"last-hop-queue", "40", "80"}, {"slips", "none", "requests", "turns"},
			{"inside", "on", "off"}, {"groups", "a:flow=0;b:bytes<1kB", "c:crosses-failure"},
			{"ring", "4", "8"}, {"exclude-us", "50", "60"}, {"active-evs", "2", "8"}, {"share-state", "on", "off"}, {"explore-every", "0", "3"}, {"last-hop-trims", "lost", "good"}, {"idle-us", "0", "2"}, {"path-start", "zero", "source"}, {"reps", "paper", "artifact", "fifo", "ultraethernet"},
			{"lb", "ops", "ecmp", "reps", "bitmap", "mixed", "mrc", "round-robin", "mptcp-subflows", "reps-exclude", "path-round-robin", "oracle", "klb", "klb-always", "hklb"},
			{"schedule", "a.goal", "b.goal"}, {"placement", "linear", "random", "a.hosts"}, {"steps", "1", "2"},
			{"lb-of", "every=2:ops", "bytes<5kB:ecmp;source=0..3:reps"},
		},
	}
}

// draw returns a command line with some of the parameters, each with one or two
// values, and sometimes two of them zipped.
func (c choices) draw(rng *rand.Rand, model string) []string {
	args := []string{model, "--replicas=2", "--seed=" + string('1'+rune(rng.IntN(9)))}
	var lists []string
	for _, choice := range c {
		flag, values := choice[0], slices.Clone(choice[1:])
		if rng.IntN(len(c)) >= 5 {
			continue
		}
		rng.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		values = values[:min(len(values), 1+rng.IntN(2))]
		separator := ","
		if flag == "failure" || flag == "lb-of" {
			separator = "|"
		}
		args = append(args, "--"+flag+"="+strings.Join(values, separator))
		if len(values) == 2 {
			lists = append(lists, flag)
		}
	}
	if len(lists) >= 2 && rng.IntN(2) == 0 {
		args = append(args, "--zip="+strings.Join(lists[:2], ","))
	}
	return args
}

// small adds flags to a command line that keep the runs of the fattree model short, the rows of
// the allocate model few (every 7th of its 100,000 balls would be 14,000) and the recycled model without the limit
// law, which takes time and which high thresholds do not need.
func small(args []string) []string {
	fattree := args[0] == "fattree"
	has := func(flag string) bool {
		return slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--"+flag+"=") })
	}
	if has("placement") { // of a schedule, with few other flags: most draws with all would be refused
		args = slices.DeleteFunc(args, func(a string) bool {
			flag, _, _ := strings.Cut(a, "=")
			return strings.HasPrefix(flag, "--") && !slices.Contains(strings.Fields("--replicas --seed --hosts --placement --schedule --steps --mtu --queue"), flag)
		})
	}
	drawn := has("sizes") || slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "facebook") })
	for _, f := range []struct {
		flag, value string
		wanted      bool
	}{
		{"balls", "30", args[0] == "allocate" && has("every")}, {"threshold", "2*n", args[0] == "recycled"},
		{"hosts", "8", fattree && !has("topology")}, {"duration-us", "1", drawn && !has("flows") && !has("schedule")},
		{"message-bytes", "20000", fattree && !has("flows") && !has("sizes") && !has("schedule")},
		{"schedule", "a.goal", has("steps") || has("placement")}} {
		if f.wanted && !has(f.flag) {
			args = append(args, "--"+f.flag+"="+f.value)
		}
	}
	return args
}

// accepted reports whether a sweep accepts a command line; it must be refused by
// code 2 otherwise.
func accepted(t *testing.T, available []param.Model, args []string) bool {
	t.Helper()
	o := withModels(available, append([]string{"sweep", "--print-config"}, args...)...)
	if o.code != exitDone && o.code != exitUsage {
		t.Errorf("%q: %+v", args, o)
	}
	return o.code == exitDone
}

// TestSweepsCanBeRead: whatever flags a sweep of any model accepts, its
// configuration is read back as the same sweep and its files can be read. Flags are
// drawn with fixed seeds, nine times as many with REPSLAB_LONG=1.
func TestSweepsCanBeRead(t *testing.T) {
	available := cases.All()
	for _, m := range available {
		list := smallChoices()[m.Name]
		for _, p := range m.Parameters {
			if !slices.ContainsFunc(list, func(values []string) bool { return values[0] == p.Flag }) {
				t.Errorf("%s: no choices for --%s: add {%q, VALUE, VALUE} to smallChoices, and the other values that it needs", m.Name, p.Flag, p.Flag)
			}
		}
		perModel := 2
		if m.Name == "fattree" {
			perModel = 4
		}
		if os.Getenv("REPSLAB_LONG") != "" {
			perModel *= 9
		}
		t.Chdir(t.TempDir())
		madeInputs(t)
		missing := map[string]bool{} // flags that take a file and that no line has
		for _, p := range m.Parameters {
			if strings.Contains(p.Help, "a file") {
				missing["--"+p.Flag+"="] = true
			}
		}
		var lines [][]string
		for seed := uint64(0); (len(lines) < perModel || len(missing) > 0) && seed < 1000; seed++ {
			args := small(list.draw(rand.New(rand.NewPCG(seed, 14)), m.Name))
			before := len(missing)
			has := func(flag string, _ bool) bool { return strings.Contains(fmt.Sprint(args), flag) }
			if !accepted(t, available, args) {
				continue
			}
			if maps.DeleteFunc(missing, has); len(lines) < perModel || len(missing) < before {
				lines = append(lines, args)
			}
		}
		if len(lines) < perModel || len(missing) > 0 {
			t.Errorf("%s: only %d command lines are accepted, and none has %v", m.Name, len(lines), missing)
		}
		for _, args := range lines {
			checkFiles(t, available, args)
		}
	}
}

// TestMeaninglessFlagsAreRefused: a flag that has no effect in any combination is
// refused by every command, and the message says with what it is used.
func TestMeaninglessFlagsAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	madeInputs(t)
	for line, want := range map[string]string{
		"fattree --load 0.9":                                                          "--load: 0.9 has no effect here: it is used only by workloads of drawn sizes",
		"fattree --load 0.6":                                                          "--load: 0.6 has no effect", // which is the preset
		"fattree --degree 4":                                                          "--degree: 4 has no effect here: it is used only by --workload incast",
		"fattree --workload tornado --arrivals poisson":                               "--arrivals: poisson has no effect",
		"fattree --workload incast --duration-us 10":                                  "--duration-us: 10 has no effect",
		"fattree --hosts 8 --workload facebook --message-bytes 9":                     "--message-bytes: 9 has no effect",
		"fattree --hosts 8 --workload facebook --degree 4":                            "--degree: 4 has no effect",
		"fattree --inherit on":                                                        "--inherit: on has no effect",
		"fattree --hosts 8 --flows a.cm --inherit on":                                 "--inherit: on has no effect",
		"fattree --workload allreduce-ring --inherit queue":                           "--inherit: queue has no effect here: it is used only by workloads in which a pair of hosts has several flows: allreduce-ring, those of drawn sizes and some of --flows; queue only with --schedule and without --profile mrc",
		"fattree --hosts 8 --schedule a.goal --steps 2 --profile mrc --inherit queue": "--inherit: queue has no effect",
		"fattree --hosts 8 --flows a.cm --load 0.5":                                   "--load: 0.5 has no effect",
		"fattree --hosts 8 --flows a.cm --workload tornado":                           "--workload: tornado has no effect here: it is used only without --flows and --schedule, and with --sizes if a part names it",
		"fattree --hosts 8 --flows a.cm --sizes a.sizes":                              "--sizes: a.sizes has no effect here: it is used only without --flows",
		"fattree --hosts 8 --flows a.cm --degree 3":                                   "--degree: 3 has no effect",
		"fattree --hosts 8 --flows a.cm --message-bytes 3":                            "--message-bytes: 3 has no effect",
		"fattree --sizes a.sizes --duration-us 1 --workload incast":                   "--workload: incast has no effect",
		"fattree --hosts 8 --schedule a.goal --workload tornado":                      "--workload: tornado has no effect here: it is used only without --flows and --schedule, and with --sizes if a part names it",
		"fattree --hosts 8 --schedule a.goal --flows a.cm":                            "--flows: a.cm has no effect here: it is used only without --schedule",
		"fattree --hosts 8 --schedule a.goal --sizes a.sizes":                         "--sizes: a.sizes has no effect",
		"fattree --hosts 8 --schedule a.goal --message-bytes 1":                       "--message-bytes: 1 has no effect",
		"fattree --steps 2":                                                           "--steps: 2 has no effect here: it is used only with --schedule",
		"fattree --placement random":                                                  "--placement: random has no effect here: it is used only with --schedule",
		"fattree --topology a.topo --hosts 8":                                         "--hosts: 8 has no effect here: it is used only without --topology",
		"fattree --topology a.topo --tiers 2":                                         "--tiers: 2 has no effect",
		"fattree --topology a.topo --oversubscription 1":                              "--oversubscription: 1 has no effect",
		"fattree --topology a.topo --link-gbps 100":                                   "--link-gbps: 100 has no effect",
		"fattree --topology a.topo --latency-ns 1":                                    "--latency-ns: 1 has no effect",
		"fattree --topology a.topo --radix 8":                                         "--radix: 8 has no effect",
		"fattree --topology a.topo --fabric-gbps 100":                                 "--fabric-gbps: 100 has no effect",
		"fattree --core-gbps 100":                                                     "--core-gbps: 100 has no effect here: it is used only with --tiers 3",
		"fattree --uplinks-per-tor 4 --oversubscription 2":                            "--oversubscription: 2 has no effect",
		"fattree --radix 16 --hosts-per-tor 8 --uplinks-per-tor 8":                    "--radix: 16 has no effect",
		"fattree --radix 16 --hosts-per-tor 8 --oversubscription 1":                   "--oversubscription: 1 has no effect",
		"fattree --lb ops --ring 4":                                                   "--ring: 4 has no effect here: it is used only by --lb reps-planes, and by --lb reps with --reps other than fifo",
		"fattree --lb ops,ecmp --reps artifact":                                       "--reps: artifact has no effect here: it is used only by --lb reps",
		"fattree --lb ops --freezing off":                                             "--freezing: off has no effect",
		"fattree --reps fifo --freezing on":                                           "--freezing: on has no effect",
		"fattree --reps fifo --ring 8":                                                "--ring: 8 has no effect",
		"fattree --freezing off --freeze-us 10":                                       "--freeze-us: 10 has no effect",
		"fattree --freezing off --freeze-exit probe":                                  "--freeze-exit: probe has no effect",
		"fattree --freezing off --freeze-cache new":                                   "--freeze-cache: new has no effect",
		"fattree --freeze-exit probe --freeze-us 10":                                  "--freeze-us: 10 has no effect",
		"fattree --lb adaptive-roce,switch-ops,round-robin --evs 8":                   "--evs: 8 has no effect here: it is used only by load balancers that choose EVs",
		"fattree --ack-variant carry":                                                 "--ack-variant: carry has no effect here: it is used only with --ack-ratio above 1",
		"fattree --ack-variant reuse --ack-ratio 4 --lb plb":                          "--ack-variant: reuse has no effect",
		"fattree --ack-variant carry --ack-ratio 4 --lb ops":                          "--ack-variant: carry has no effect",
		"fattree --lb ops,flowlet,round-robin --last-hop-trims good":                  "--last-hop-trims: good has no effect here: it is used only by --profile reps with --trimming on and --lb plb, ",
		"recycled --ring 4":                                                           "--ring: 4 has no effect here: it is used only by --clocking frozen and per-flow",
		"recycled --clocking round-robin --delay 0,4":                                 "--delay: 0,4 has no effect",
		"recycled --window 10":                                                        "--window: 10 has no effect",
		"recycled --colors-per-bin 4":                                                 "--colors-per-bin: 4 has no effect here: it is used only by --clocking round-robin",
		"coalescing --clocking per-flow --colors-per-bin 4":                           "--colors-per-bin: 4 has no effect",
		"allocate --choices 3":                                                        "--choices: 3 has no effect here: it is used only by --rule d-choice",
		"allocate --batch 10":                                                         "--batch: 10 has no effect here: it is used only by --information batched",
		"allocate --rule memory --beta 0.5":                                           "--beta: 0.5 has no effect",
		"coalescing --ack-variant carry":                                              "--ack-variant: carry has no effect here: it is used only with --ack-ratio above 1",
	} {
		args := strings.Fields(line)
		for _, command := range [][]string{args, append([]string{"sweep", "--print-config"}, args...)} {
			if o := repslab(t, command...); o.code != exitUsage || o.stdout != "" || !strings.HasPrefix(o.stderr, "repslab: error: "+want) {
				t.Errorf("%q: %+v, want code 2 and %q", command, o, want)
			}
		}
	}
}

// TestMeaninglessFlagsAreWarnedOf: a flag that has no effect in some combinations is
// warned of once, if its value there is not the preset; combinations that differ
// in nothing else are one.
func TestMeaninglessFlagsAreWarnedOf(t *testing.T) {
	const small = " --hosts 8 --message-bytes 20000"
	for line, want := range map[string]struct {
		rows    int
		warning string
	}{
		"fattree --lb ops,reps --ring 4,16" + small:                           {3, "--ring: it has no effect in 2 of 4 combinations"},
		"fattree --lb ops,reps" + small:                                       {2, ""},
		"fattree --lb ops,reps --ring 8" + small:                              {2, ""},
		"fattree --lb ops,reps --reps artifact,fifo" + small:                  {3, "--reps: it has no effect in 2 of 4"},
		"fattree --lb ops,reps --last-hop-trims lost,good" + small:            {3, "--last-hop-trims: it has no effect in 2 of 4"},
		"fattree --workload tornado,incast --degree 2" + small:                {2, "--degree: it has no effect in 1 of 2"},
		"fattree --lb adaptive-roce --evs 16,32 --background-every 2" + small: {2, ""},
		"recycled --clocking self-clocked,per-flow --bins 4 --window 0,4":     {3, "--window: it has no effect in 2 of 4"},
		"coalescing --bins 4 --rounds 5 --ack-ratio 1,2 --ack-variant carry":  {2, "--ack-variant: it has no effect in 1 of 2"},
		"coalescing --bins 4 --rounds 5 --ack-ratio 1,2":                      {2, ""},
		"allocate --bins 4 --rule memory,d-choice --choices 3,4 --balls 9":    {3, "--choices: it has no effect in 2 of 4"},
	} {
		t.Chdir(t.TempDir())
		args := append(strings.Fields(line), "--replicas", "2")
		direct := repslab(t, append(args, "--format", "json", "--quiet")...)
		swept := repslab(t, append([]string{"sweep", "-o", "r.jsonl", "--quiet"}, args...)...)
		for _, o := range []outcome{direct, swept} {
			found := ""
			for warning := range strings.Lines(o.stderr) {
				if strings.Contains(warning, "has no effect") {
					found += strings.TrimPrefix(warning, "repslab: warning: ")
				}
			}
			if o.code != exitDone || !strings.HasPrefix(found, want.warning) || (found == "") != (want.warning == "") || strings.Count(found, "\n") > 1 {
				t.Errorf("%s: %+v, want one warning %q", line, o, want.warning)
			}
		}
		if rows := strings.Count(direct.stdout, "\n"); rows != want.rows {
			t.Errorf("%s: %d rows, want %d", line, rows, want.rows)
		}
		if o := repslab(t, "show", "r.jsonl"); o.code != exitDone || strings.Contains(o.stderr, "has no effect") {
			t.Errorf("show after %s: %+v", line, o)
		}
	}
}

// TestMarkingThresholds: --kmin and --kmax are taken each for itself; the other one
// keeps its default.
func TestMarkingThresholds(t *testing.T) {
	for line, want := range map[string][2]float64{
		"--kmin 0":            {0, 76},
		"--kmin 30":           {30, 76},
		"--kmax 50":           {25, 50},
		"--kmax 1 --kmin 0":   {0, 1},
		"--queue 40":          {10, 30},
		"--queue 40 --kmin 0": {0, 30},
	} {
		o := repslab(t, strings.Fields("fattree --hosts 8 --message-bytes 20000 --replicas 1 --format json "+line)...)
		rows, _ := rowsOf(t, o.stdout)
		if len(rows) != 1 || rows[0]["kmin"] != want[0] || rows[0]["kmax"] != want[1] {
			t.Errorf("%s: %+v, want the thresholds %v", line, o, want)
		}
	}
}

// TestSteepMarks: marks that rise too steeply for the windows of REPS are warned of, once for each network; OPS, a ramp
// that is enough and a window that the law allows are not.
func TestSteepMarks(t *testing.T) {
	const step = "repslab: warning: hosts=16 workload=tornado: --kmax: with marks from 25 to 26 packets recycling breaks down " +
		"at windows above 107 packets, and they begin at 151; --kmax 49 is enough: docs/round-trip.md\n"
	for flags, want := range map[string]string{
		"--lb ops,reps --kmax 26,49 --cc dctcp,none": step, "--lb reps --kmax 26 --window 107": "", "--lb ops --kmax 26": "", "": "",
	} {
		args := strings.Fields("fattree --hosts 16 --workload tornado --message-bytes 700kB --replicas 1 --kmin 25 " + flags)
		if o := repslab(t, args...); o.code != exitDone || o.stderr != want {
			t.Errorf("%s: code %d, %q, want %q", flags, o.code, o.stderr, want)
		}
	}
}

// TestManyEVs: the laws of uniform balls take more entropy values than an EV of 16
// bits has, and say what that means; hashes of an EV do not.
func TestManyEVs(t *testing.T) {
	o := repslab(t, "evs", "--evs", "65536,65537,100000", "--format", "csv")
	if o.code != exitDone || strings.Count(o.stdout, "\n") != 4 || o.stderr != "repslab: warning: --evs: an EV has 16 bits, so rows with more than 65536 entropy values are those of a longer field\n" {
		t.Errorf("%+v", o)
	}
	if o := repslab(t, "evs", "--evs", "65536"); o.stderr != "" {
		t.Errorf("%+v", o)
	}
	if o := repslab(t, "evs", "--evs", "65537", "--method", "crc32"); o.code != exitUsage || !strings.Contains(o.stderr, "--evs (65537) must be in [1, 65536]") {
		t.Errorf("%+v", o)
	}
}
