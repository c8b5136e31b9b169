package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"repslab/internal/cases"
	"repslab/internal/param"
	"repslab/internal/rows"
	"repslab/mc"
	"repslab/sweep"
)

var update = flag.Bool("update", false, "add the digests of new results to testdata/results.golden, and rewrite the console blocks of documents")

// referenceRuns returns parameters of small runs of each model, flags with "=", that
// together pass through every kind of process of the model.
func referenceRuns() map[string][]string {
	return map[string][]string{
		"ballsbins": {
			"bins=5,16,32 lambda=0.9 rounds=40 every=20 rule=uniform,two-choice,round-robin,static variant=serve-then-arrive,arrive-then-serve",
			"bins=300 rounds=10",
			"bins=16 lambda=0.99 rounds=20 variant=weighted",
			"bins=9 lambda=0.9 rounds=20 rule=two-choice choices=2,3 see=after,before",
			"bins=4 lambda=0.5 rounds=20 exceeds=4",
			"bins=16,100 rounds=20 start=90:3,200:3,40000:3 variant=serve-then-arrive,arrive-then-serve,weighted",
		},
		"recycled": {
			"bins=5,16,128 threshold=3,2*ln(n) max-rounds=100",
			"bins=8 threshold=3 lambda=0.9 max-rounds=60 clocking=self-clocked,round-robin,per-flow",
			"bins=8 threshold=1,6 horizon=80 max-rounds=60 clocking=self-clocked,round-robin",
			"bins=8 threshold=6 clocking=round-robin lambda=1,0.9 colors-per-bin=3 max-rounds=100",
			"bins=8 threshold=6 clocking=per-flow delay=0,5 window=0,12 ring=2,8 max-rounds=100",
			"bins=8 threshold=6 clocking=per-flow delay=5 window=12 evs=16 rule=reps,mixed,bitmap,stratified,ops ack-ratio=1,4 " +
				"max-rounds=100",
			"bins=8 threshold=0,2 start=all-in-one,random balls=6,12 choices=1,2 horizon=60",
			"bins=8 threshold=3 clocking=round-robin,per-flow start=all-in-one,random max-rounds=60",
			"bins=4 threshold=2 clocking=per-flow lambda=0.5 delay=2 exceeds=3 max-rounds=20",
			"bins=8 threshold=2 ramp=4 clocking=self-clocked,round-robin,per-flow lambda=1,0.9 max-rounds=100",
			"bins=8 threshold=2 ramp=0,4 clocking=ack delay=5 window=9 max-rounds=100",
			"bins=8 threshold=2 ramp=4 clocking=per-flow delay=5 evs=16 max-rounds=100",
			"bins=16 threshold=28 clocking=per-flow,ack delay=60 window=65 max-rounds=100",
		},
		"coalescing": {
			"bins=8 ack-ratio=1 clocking=round-robin,per-flow rounds=50",
			"bins=8 ack-ratio=3 ack-variant=standard,carry,reuse clocking=round-robin,per-flow rounds=50",
			"bins=8 ack-ratio=3 ack-variant=every-rth-round rounds=50",
		},
		"evs": {
			"flows=1,5 evs=7,64 uplinks=4 method=exact,multinomial,hash,crc32",
			"flows=32 evs=65536 method=multinomial",
		},
		"allocate": {
			"bins=6 balls=40 every=15 rule=one-choice,two-choice,d-choice,one-plus-beta,quantile,mean-thinning," +
				"memory choices=3 beta=0.4 delta=0.3 eta=0.8 information=current,batched batch=7 histogram=on",
			"bins=8 balls=60 information=g-bounded,g-myopic,sigma-formal,sigma-gaussian width=1 sigma=2 sampling=uniform,half:0.3",
			"bins=9 balls=60 rule=token information=batched batch=8 offset=1 eta=0.7,1 weights=unit,exponential,one-or-two,given:1:3",
			"bins=9 balls=60 rule=two-choice,quantile sampling=half:0.5,given:1:2:0 weights=unit,exponential start=empty,3:0:2",
			"bins=9 balls=60 information=batched batch=20 ties=rank,index sampling=uniform",
			"bins=5000,70000 balls=9000",
			"bins=7 balls=60 rule=two-choice,mean-thinning,memory information=current,batched batch=9 speeds=1:4,2:3:1",
			"bins=7 balls=60 rule=always-go-left,relative-threshold,two-thinning choices=3 offset=0.5 threshold=9 information=current,batched batch=9",
		},
		"leafspine": {
			"ports=4,8 rule=random,source-rotation,source-rotation-drawn,coordinated-rotation,destination-rotation," +
				"destination-rotation-drawn,switch-rotation,switch-destination-rotation,shortest-queue,shortest-queue-drawn-ties," +
				"shorter-of-two,static,static-worst traffic=permutation,alternating,alltoall packets=70 from=20",
			"ports=12 rule=static-best,random spread=0,30 packets=40",
		},
		"fattree": networkRuns(),
	}
}

// networkRuns returns the small runs of networks.
func networkRuns() []string {
	const congested = " workload=incast degree=6 queue=12 message-bytes=300KB"
	// The balancers of the present streams. A new balancer changes no results; it comes in when
	// the streams are raised next.
	const balancers = " lb=ecmp,ops,plb,plb-k25,flowlet,mprdma,mptcp,mptcp-subflows,bitmap,stratified,mixed,adaptive-roce," +
		"switch-ops,round-robin,switch-round-robin,switch-adaptive,switch-flowlet,host-adaptive,reps-legacy,reps"
	return []string{
		"hosts=8 message-bytes=50KB" + balancers,
		"hosts=16" + congested + " trimming=on,off" + balancers,
		"hosts=16" + congested + " trimming=on,off cc=dctcp,eqds,nscc,none",
		"hosts=8 message-bytes=100KB ack-ratio=4 ack-variant=standard,carry,reuse reps=paper,fifo workload=tornado",
		"hosts=16 message-bytes=100KB failure=cables=2,at=2|ber-cable=20%|ber-switch=20%|degrade=1:0.5,place=aligned|switches=1,place=first reps=artifact,paper",
		"hosts=16 message-bytes=300KB failure=cables=1,at=3,for=40 rto-us=15 freezing=on,at=3 freeze-exit=timeout,probe",
		"hosts=16 tiers=3 message-bytes=20KB lb=ops,reps oversubscription=1,2",
		"hosts=8 duration-us=60 workload=facebook,websearch arrivals=paced,poisson load=0.9 inherit=on,off cc=dctcp,nscc",
		"hosts=8 message-bytes=10KB workload=one-tor,allreduce-ring,allreduce-butterfly background-every=3",
		"hosts=8 message-bytes=10KB workload=alltoall degree=3 lb=reps,ecmp",
		"flows=a.cm",
		"hosts=16 link-gbps=10,1600 latency-ns=10,5000 message-bytes=20KB lb=ops,reps",
		"hosts=16 hosts-per-tor=4 oversubscription=2 link-gbps=100 fabric-gbps=50 message-bytes=50KB profile=uet",
		"hosts=8 sizes=a.sizes duration-us=20",
		"topology=slow.topo message-bytes=20KB",
		"hosts=8 schedule=a.goal,b.goal placement=linear,random,a.hosts steps=2",
	}
}

// digests holds the digests of reference runs by model and seed: two tests need the digests of the first seed.
var digests = map[string]string{}

// digestOf returns 64 bits of a hash of the rows of two replicas of each reference run
// of a model.
func digestOf(t *testing.T, m param.Model, seed uint64) string {
	t.Helper()
	name := fmt.Sprint(m.Name, " ", seed)
	if known, is := digests[name]; is {
		return known
	}
	sum := sha256.New()
	for _, text := range referenceRuns()[m.Name] {
		given := map[string]string{}
		for assignment := range strings.FieldsSeq(text) {
			flag, value, _ := strings.Cut(assignment, "=")
			given[param.KeyOf(flag)] = value
		}
		g, err := m.Grid(param.Selection{Parameters: given})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, p := range g.Points {
			sum.Write(referenceRows(t, m, p, seed))
		}
	}
	digests[name] = fmt.Sprintf("%x", sum.Sum(nil)[:8])
	return digests[name]
}

// referenceRows returns the rows of two replicas of a point as JSON.
func referenceRows(t *testing.T, m param.Model, p sweep.Point, seed uint64) []byte {
	t.Helper()
	ctx := context.Background()
	plan := mc.Plan{Seed: seed, Replicas: 2, Workers: 1}
	var tally mc.Tally
	var err error
	if !p.Exact {
		if tally, _, err = p.Experiment.Run(ctx, plan); err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
	}
	found, err := p.Fold(ctx, tally, plan.Replicas)
	if err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	var data bytes.Buffer
	out, err := rows.NewWriter(&data, rows.JSON, m.Columns())
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range found.Rows {
		if err := out.Write(slices.Concat(p.Parameters, cells, []any{seed, plan.Replicas})); err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
	}
	return bytes.TrimSuffix(data.Bytes(), []byte("\n"))
}

// TestResultsAreNumbered: the digest of each model's reference runs is the one that is
// recorded for its number of streams. It changes with the model's numbers, and only a
// new number may have a new digest.
func TestResultsAreNumbered(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the digests are those of amd64; floating-point results of other architectures may differ")
	}
	const path = "testdata/results.golden"
	data := fileBytes(t, path)
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	madeInputs(t)
	fields := strings.Fields(string(data))
	var added []string
	for _, m := range cases.All() {
		digest := digestOf(t, m, 1)
		name := fmt.Sprintf("%s/%d", m.Name, m.Streams)
		switch i := slices.Index(fields, name); {
		case i >= 0 && fields[i+1] != digest:
			t.Errorf("the results of %s changed: their digest is %s, the digest of %s in %s is %s. If there is only a new column or flag, write the new digest there. "+
				"If numbers changed, raise Streams in internal/cases/%s.go, run this test with -update and renew the record by repslab reproduce --record", m.Name, digest, name, path, fields[i+1], m.Name)
		case i < 0 && !*update:
			t.Errorf("%s has no digest: run this test with -update", name)
		case i < 0:
			added = append(added, name+" "+digest+"\n")
		}
	}
	if len(added) > 0 {
		t.Chdir(home)
		if err := os.WriteFile(path, append(data, strings.Join(added, "")...), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReferenceSeesStreams: another seed, the smallest change of all streams, changes
// the digest of every model.
func TestReferenceSeesStreams(t *testing.T) {
	t.Chdir(t.TempDir())
	madeInputs(t)
	for _, m := range cases.All() {
		if digestOf(t, m, 1) == digestOf(t, m, 2) {
			t.Errorf("%s: two seeds have the same digest", m.Name)
		}
	}
}
