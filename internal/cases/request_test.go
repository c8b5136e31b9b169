package cases

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"repslab/evsimbalance"
	"repslab/internal/param"
	"repslab/mc"
	"repslab/sweep"
)

// TestPlanOfManyPoints: a point of a sweep takes at most 3 KB and 35 allocations to build
// (2.1 and 28 measured). With 5.3 KB and 57 a million points took over 10 s.
func TestPlanOfManyPoints(t *testing.T) {
	const points = 20_000
	r := param.Request{Model: "recycled", Selection: param.Selection{Parameters: param.Texts{"bins": fmt.Sprintf("1..%d", points)}}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := r.BuildSweep(All(), sweep.Shard{})
	runtime.ReadMemStats(&after)
	if err != nil || len(s.Points) != points {
		t.Fatalf("%d points, error %v", len(s.Points), err)
	}
	if size, number := (after.TotalAlloc-before.TotalAlloc)/points, (after.Mallocs-before.Mallocs)/points; size > 3000 || number > 35 {
		t.Errorf("%d bytes and %d allocations a point", size, number)
	}
}

// FuzzConfig: a configuration is refused, or what --print-config makes of it is
// read as the same sweep.
func FuzzConfig(f *testing.F) {
	for _, text := range []string{
		`{"model": "recycled", "parameters": {"bins": [16, "32..64:x2"], "threshold": "4*ln(n)"}, "replicas": 10}`,
		`{"model": "fattree", "parameters": {"lb": "ops,reps", "evs": 256}, "precision": 0.01, "max_replicas": 100}`,
		`{"model": "ballsbins", "parameters": {"bins": "8,16", "lambda": "0.9,0.95"}, "zip": ["bins", "lambda"], "seed": 3, "block": 5}`,
		`{"model": "evs", "parameters": {"evs": 1e309}}`,
		`{"model": "coalescing", "parameters": {"ack_ratio": -0}} {}`,
		`[[[[[[[[`,
	} {
		f.Add([]byte(text))
	}
	available := All()
	f.Fuzz(func(t *testing.T, data []byte) {
		asked, err := param.ParseRequest(data)
		if err != nil {
			return
		}
		s, err := asked.BuildSweep(available, sweep.Shard{})
		if err != nil {
			return
		}
		printed, err := param.ConfigJSON(s.Header.Config)
		if err != nil {
			t.Fatal(err)
		}
		again, err := param.ParseRequest(printed)
		if err != nil {
			t.Fatalf("%s: %v", printed, err)
		}
		same, err := again.BuildSweep(available, sweep.Shard{})
		if err != nil {
			t.Fatalf("%s: %v", printed, err)
		}
		if !reflect.DeepEqual(s.Header, same.Header) {
			t.Errorf("%+v is printed as %s and read as %+v", s.Header, printed, same.Header)
		}
	})
}

// TestLongestConfiguration: a configuration file may have 2^20 bytes.
func TestLongestConfiguration(t *testing.T) {
	path := t.TempDir() + "/c.json"
	for size, taken := range map[int]bool{1 << 20: true, 1<<20 + 1: false} {
		text := `{"model": "evs"}`
		writeFile(t, path, text+strings.Repeat(" ", size-len(text)))
		if _, err := param.ReadRequest(path); (err == nil) != taken {
			t.Errorf("%d bytes: error %v", size, err)
		}
	}
}

// TestMostObserved: at most mc.MaxObservations rounds, or numbers of balls, are observed.
func TestMostObserved(t *testing.T) {
	const most = mc.MaxObservations
	for _, c := range []struct {
		model         param.Model
		flag          string
		length, every int
		taken         bool
	}{
		{ballsbinsModel(), "rounds", most, 1, true}, {ballsbinsModel(), "rounds", most + 1, 1, false}, {ballsbinsModel(), "rounds", most + 1, 2, true},
		{ballsbinsModel(), "rounds", 2 * most, 2, true}, {ballsbinsModel(), "rounds", 2*most + 1, 2, false},
		{allocateModel(), "balls", most, 1, true}, {allocateModel(), "balls", most + 1, 1, false}, {allocateModel(), "balls", 2 * most, 2, true},
	} {
		_, err := c.model.Grid(param.Selection{Parameters: param.Texts{c.flag: fmt.Sprint(c.length), "every": fmt.Sprint(c.every)}})
		if (err == nil) != c.taken {
			t.Errorf("%s --%s %d --every %d: error %v", c.model.Name, c.flag, c.length, c.every, err)
		}
	}
}

// TestLongFieldsWarn: rows with more EVs than 16 bits have are warned of.
func TestLongFieldsWarn(t *testing.T) {
	for evs, want := range map[int]int{1 << 16: 0, 1<<16 + 1: 1} {
		if got := (&EVs{Config: evsimbalance.Config{Flows: 1, EVS: evs, Uplinks: 2}}).results(evsimbalance.Result{}).Warnings; len(got) != want {
			t.Errorf("%d EVs: warnings %q", evs, got)
		}
	}
}

// TestPlans: the default number of runs is the model's, and a run that --precision ends has at most a million.
func TestPlans(t *testing.T) {
	for _, c := range []struct {
		model     param.Model
		replicas  int
		precision float64
		want      uint64
	}{
		{ballsbinsModel(), 0, 0, 1000}, {allocateModel(), 0, 0, 100}, {fattreeModel(), 0, 0, 3}, {fattreeModel(), 7, 0, 7}, {fattreeModel(), 0, 0.1, 1_000_000},
		{ballsbinsModel(), 500, 0.1, 500},
	} {
		if p := c.model.Plan(9, c.replicas, c.precision); p.Replicas != c.want || p.Seed != 9 || p.Stop.Relative != c.precision {
			t.Errorf("%s, %d replicas, precision %v: %+v, want %d", c.model.Name, c.replicas, c.precision, p, c.want)
		}
	}
}
