package recycled

import (
	"math"
	"testing"

	"repslab/mc"
)

// meanFieldAndProcess returns the mean field and the process of a configuration, reset with
// one stream.
func meanFieldAndProcess(t *testing.T, cfg Config) (field, process Process) {
	t.Helper()
	cfg.Clocking = PerFlow
	field, err := NewMeanField(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if process, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	stream := mc.NewStream(1, mc.Algorithm, 0)
	field.Reset(stream)
	process.Reset(stream)
	return field, process
}

// firstDifference returns the first of some rounds in which two processes have other loads,
// or 0.
func firstDifference(a, b Process, bins, rounds int) int {
	for range rounds {
		a.Step()
		b.Advance(1)
		for bin := range bins {
			if a.Load(bin) != b.Load(bin) {
				return a.Round()
			}
		}
	}
	return 0
}

// TestMeanFieldIsPerFlowWithoutExchange: with one sender there is nothing to exchange, and
// with several the first balls come back in round d+2: until then loads are those of per-flow.
func TestMeanFieldIsPerFlowWithoutExchange(t *testing.T) {
	for _, cfg := range []Config{{Bins: 1, Threshold: 3, Delay: 4, Window: 9}, {Bins: 1, Threshold: 2, Ring: 1}} {
		field, process := meanFieldAndProcess(t, cfg)
		if r := firstDifference(field, process, cfg.Bins, 300); r != 0 {
			t.Errorf("%+v: other loads from round %d on", cfg, r)
		}
	}
	const delay = 20
	field, process := meanFieldAndProcess(t, Config{Bins: 64, Threshold: 12, Delay: delay})
	if r := firstDifference(field, process, 64, 10*delay); r <= delay+1 {
		t.Errorf("64 bins, d = %d: other loads in round %d, want none up to round %d, and some later", delay, r, delay+1)
	}
}

// TestMeanFieldConservesBalls: a ball in flight is in a bin or on its way back, and no sender
// exceeds its window.
func TestMeanFieldConservesBalls(t *testing.T) {
	cfg := Config{Bins: 50, Threshold: 9, Delay: 7, Window: 13, Ring: 4}
	process, _ := meanFieldAndProcess(t, cfg)
	m := process.(*meanField)
	for range 2000 {
		m.Step()
		inFlight, back, most := 0, 0, 0
		for _, k := range m.inFlight {
			inFlight += int(k)
			most = max(most, int(k))
		}
		for _, due := range m.returning {
			back += len(due)
		}
		if int(m.Balls())+back != inFlight || most > cfg.Window {
			t.Fatalf("round %d: %d balls in bins and %d on their way, %d in flight, at most %d of a sender",
				m.Round(), m.Balls(), back, inFlight, most)
		}
	}
}

// TestExchangeIsUniform: three good balls of equally loaded bins exchange these in one of the two
// cycles, equally often; that of another load, and a ball that is not good, keep theirs. False-alarm
// rate below 1e-8 by a normal bound; a cycle with probability 0.504 would be seen.
func TestExchangeIsUniform(t *testing.T) {
	field, _ := meanFieldAndProcess(t, Config{Bins: 4})
	m := field.(*meanField)
	m.push(3, 0)
	const rounds = 600_000
	seen := map[[5]uint32]int{}
	for range rounds {
		back := []reply{{0, 0}, {1, nothing}, {2, 1}, {3, 3}, {4, 2}}
		m.permute(back)
		var order [5]uint32
		for i, r := range back {
			if r.ball != uint32(i) {
				t.Fatal("the exchange moved senders")
			}
			order[i] = r.bin
		}
		seen[order]++
	}
	for _, order := range [][5]uint32{{1, nothing, 2, 3, 0}, {2, nothing, 0, 3, 1}} {
		if z := (float64(seen[order]) - rounds/2) / math.Sqrt(rounds/4); len(seen) != 2 || math.Abs(z) > 6.11 {
			t.Errorf("%d orders, %v seen %d times: z = %.2f", len(seen), order, seen[order], z)
		}
	}
}

// TestMeanFieldFaults: it is that of per-flow with endless EVs alone.
func TestMeanFieldFaults(t *testing.T) {
	for _, cfg := range []Config{{}, {Clocking: RoundRobin}, {Clocking: PerFlow, Ring: -1}, {Clocking: PerFlow, EVS: 16}} {
		if _, err := NewMeanField(cfg); err == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
}

// BenchmarkMeanField measures rounds at full rate with a round trip, beside those of per-flow.
func BenchmarkMeanField(b *testing.B) {
	const bins = 1024
	cfg := Config{Clocking: PerFlow, Bins: bins, Delay: 40}
	for name, open := range map[string]func(Config) (Process, error){"exchange=off": New, "exchange=on": NewMeanField} {
		b.Run(name, func(b *testing.B) {
			p, err := open(cfg)
			if err != nil {
				b.Fatal(err)
			}
			p.Reset(mc.NewStream(1, mc.Algorithm, 0))
			p.Advance(200) // queues at their usual length
			b.ReportAllocs()
			for b.Loop() {
				p.Advance(1)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/bins, "ns/ball")
		})
	}
}

// TestReserve: senders of the mean field hold as many tokens as those of the process, within 3 % and
// 6.11 standard errors of the difference of 8 runs of each. With sojourns drawn from all bins they
// hold 10 % more.
func TestReserve(t *testing.T) {
	t.Parallel()
	cfg := Config{Clocking: PerFlow, Bins: 1024, Threshold: 28, Delay: 40, Ring: 64}
	field, process := meanFieldAndProcess(t, cfg)
	const runs = 5
	var inField, inProcess mc.Moments
	for run := range uint64(runs) {
		inField.Add(reserve(field, field.(*meanField).perFlow, run))
		inProcess.Add(reserve(process, process.(*perFlow), run))
	}
	f, p := inField.Mean(mc.DefaultConfidence).Per(1024), inProcess.Mean(mc.DefaultConfidence).Per(1024)
	if allowed := float64(0.03*p.Value) + 6.11*math.Hypot(f.StdErr, p.StdErr); math.Abs(f.Value-p.Value) > allowed {
		t.Errorf("%.3f tokens a sender, %.3f in the mean field, want them within %.3f", p.Value, f.Value, allowed)
	}
}

// reserve returns the tokens of all senders after 1500 rounds of a run of p, whose state is in s.
func reserve(p Process, s *perFlow, run uint64) (tokens int64) {
	p.Reset(mc.NewStream(1, mc.Algorithm, run))
	p.Advance(1500)
	for flow := range uint32(len(s.draws)) {
		for _, ok := s.rings.Take(flow); ok; _, ok = s.rings.Take(flow) {
			tokens++
		}
	}
	return tokens
}
