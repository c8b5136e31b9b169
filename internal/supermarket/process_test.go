package supermarket

import (
	"math"
	"slices"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// TestMemoryLimit: with n = 1000 equal servers the shares of long queues under Memory obey
// equation (2), up to the statistical error and a correction of order 1/n, allowed 5/n. A difference of
// 0.02 in s_3 is seen; it would be 0.03 if ties of the samples left another server remembered.
func TestMemoryLimit(t *testing.T) {
	for _, cfg := range []Config{
		{Servers: 1000, Lambda: 0.7, Policy: Memory, Choices: 1},
		{Servers: 1000, Lambda: 0.9, Policy: Memory, Choices: 1},
		{Servers: 1000, Lambda: 0.9, Policy: Memory, Choices: 2},
	} {
		tails, err := Tails(cfg)
		if err != nil {
			t.Fatal(err)
		}
		got := simulated(t, cfg, 60_000)
		for k, name := range []string{"s0", "s1", "s2", "s3", "s4"} {
			mctest.Agree(t, name, got[name], append(tails, 0, 0, 0)[k], 0, 5/float64(cfg.Servers))
		}
	}
}

// TestZeroDelay: with many names no job waits, in the limit, if and only if idle servers send more
// names than jobs come, α > λ/(1-λ).
func TestZeroDelay(t *testing.T) {
	const lambda = 0.8
	for _, c := range []struct{ alpha, least, most float64 }{{4.4, 0, 1e-3}, {3.6, 0.08, 1}} {
		wait := limit(t, Config{Lambda: lambda, Policy: Pull, Servers: 100, Alpha: c.alpha}, "wait")
		if !(wait >= c.least && wait <= c.most) {
			t.Errorf("α = %v: wait %v, want %v to %v", c.alpha, wait, c.least, c.most)
		}
	}
}

// TestUnequalServers: two servers of rates 1 and 1/4 with m jobs are a birth-and-death chain, whose
// law is exact, under one random choice and under JSQ by two distinct ones.
func TestUnequalServers(t *testing.T) {
	const jobs, slow = 5, 0.25
	for _, choices := range []int{1, 2} {
		law := [jobs + 1]float64{1}              // of the jobs at the fast server
		joins := func(fast, other int) float64 { // the probability that a job joins the fast server
			switch {
			case choices == 1 || fast == other:
				return 0.5
			case fast < other:
				return 1
			}
			return 0
		}
		for x := range jobs {
			up, down := slow*joins(x, jobs-x-1), 1-joins(x, jobs-x-1)
			law[x+1] = law[x] * up / down
			if down == 0 {
				clear(law[:x+1]) // is left for ever
				law[x+1] = 1
			}
		}
		sum, served := 0.0, 0.0
		for x, p := range law {
			sum += p
			if x > 0 {
				served += p
			}
			if x < jobs {
				served += float64(p * slow)
			}
		}
		cfg := Config{Servers: 2, Rates: []float64{slow}, Jobs: jobs, Choices: choices, Distinct: true}
		mctest.Agree(t, "completions in a unit of time", simulated(t, cfg, 10_000)["served"], served/sum, 0, 0)
	}
}

// TestMemoryOfUnequalServers: as above, for Memory with one sample, by the stationary law of the
// jobs at the fast server and the remembered server.
func TestMemoryOfUnequalServers(t *testing.T) {
	const jobs, slow = 5, 0.25
	type state struct{ fast, remembered int } // server 0 is slow
	law := map[state]float64{{0, 0}: 1}
	for range 4000 { // steps of 0.7 time units at most are stable; all states are reached
		next := map[state]float64{}
		for s, p := range law {
			queues := [2]int{jobs - s.fast, s.fast}
			stays := 1.0
			for server, rate := range []float64{slow, 1} {
				if queues[server] == 0 {
					continue
				}
				stays -= 0.7 * rate
				left := queues
				left[server]--
				for _, sample := range []int{0, 1} {
					for to, share := range joinShortest(left, s.remembered, sample) {
						next[state{to.fast, to.remembered}] += float64(p * 0.7 * rate * share / 2)
					}
				}
			}
			next[s] += float64(p * stays)
		}
		law = next
	}
	var served float64
	for s, p := range law {
		if s.fast > 0 {
			served += p
		}
		if s.fast < jobs {
			served += float64(p * slow)
		}
	}
	cfg := Config{Servers: 2, Rates: []float64{slow}, Jobs: jobs, Policy: Memory, Choices: 1}
	mctest.Agree(t, "completions in a unit of time", simulated(t, cfg, 10_000)["served"], served, 0, 1e-9)
}

// joinShortest returns the law of the jobs at server 1 and of the remembered server after a job has
// joined the shorter of two queues, ties at random; both candidates may be one server.
func joinShortest(queues [2]int, remembered, sample int) map[struct{ fast, remembered int }]float64 {
	law := map[struct{ fast, remembered int }]float64{}
	better := func(queues [2]int) []int {
		switch {
		case queues[remembered] < queues[sample]:
			return []int{remembered}
		case queues[remembered] > queues[sample]:
			return []int{sample}
		}
		return []int{remembered, sample}
	}
	for _, server := range better(queues) {
		after := queues
		after[server]++
		for _, kept := range better(after) {
			law[struct{ fast, remembered int }{after[1], kept}] +=
				1 / float64(len(better(queues))*len(better(after)))
		}
	}
	return law
}

// TestConservation: queues hold the jobs that joined less the completed ones, the counted tails equal
// the tails of the queues, failed servers complete nothing, and idle servers are known or silent.
func TestConservation(t *testing.T) {
	for _, cfg := range []Config{
		{Servers: 8, Lambda: 0.7, Policy: Pull, Names: 2, Alpha: 3},
		{Servers: 8, Jobs: 30, Rates: []float64{0, 0.5}, Policy: Pull, Names: 2, Alpha: 50},
		{Servers: 8, Jobs: 30, Rates: []float64{0, 0.5}, Policy: Memory, Choices: 1},
		{Servers: 8, Jobs: 30, Rates: []float64{0}, Policy: Observations, Choices: 1},
		{Servers: 8, Jobs: 30, Rates: []float64{0}},
	} {
		p, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		p.Reset(mc.NewStream(1, mc.Algorithm, 0))
		for range 300 {
			failed := p.queues[0]
			p.Advance(1)
			sum, idle := 0, 0
			for k := range p.tails {
				longer := 0
				for _, queue := range p.queues {
					if int(queue) >= k {
						longer++
					}
				}
				if longer != p.tails[k].servers {
					t.Fatalf("%+v: %d servers with at least %d jobs, counted %d", cfg, longer, k, p.tails[k].servers)
				}
			}
			for server, queue := range p.queues {
				sum += int(queue)
				if queue == 0 {
					idle++
				}
				if cfg.Policy == Pull && (queue == 0) != slices.Contains(append(p.names.list, p.silent.list...), uint32(server)) {
					t.Fatalf("%+v: server %d with %d jobs: names %v, silent %v", cfg, server, queue, p.names.list, p.silent.list)
				}
			}
			if sum != cfg.Jobs && cfg.Jobs > 0 || cfg.Jobs == 0 && int64(sum) != p.jobs-p.served {
				t.Fatalf("%+v: %d jobs in queues, %d dispatched, %d completed", cfg, sum, p.jobs, p.served)
			}
			if len(cfg.Rates) > 0 && cfg.Rates[0] == 0 && p.queues[0] < failed {
				t.Fatalf("%+v: the failed server completed a job", cfg)
			}
			if cfg.Policy == Pull && len(p.names.list)+len(p.silent.list) != idle {
				t.Fatalf("%+v: %d idle servers, names %v, silent %v", cfg, idle, p.names.list, p.silent.list)
			}
		}
	}
}

// TestFaults: each wrong field is named.
func TestFaults(t *testing.T) {
	for want, cfg := range map[string]Config{
		"supermarket: Servers (-1) must be in [1, 1048576]":                         {Servers: -1},
		"supermarket: Servers (1073741824) must be in [1, 1048576]":                 {Servers: 1 << 30, Policy: Pull},
		"supermarket: Rates (2) must be in [0, 1]":                                  {Rates: []float64{2}},
		"supermarket: Rates (2) must list at most Servers=1 rates":                  {Servers: 1, Rates: []float64{1, 1}},
		"supermarket: Lambda (-1) must be in (0, 1024]":                             {Lambda: -1},
		"supermarket: Lambda (0.5) must be 0 in a closed system, with Jobs":         {Lambda: 0.5, Jobs: 3},
		"supermarket: Policy (\"x\") must be one of [jsq memory observations pull]": {Policy: "x"},
		"supermarket: Choices (4) must be in [1, 3]":                                {Servers: 3, Choices: 4},
		"supermarket: Names (4) must be in [1, 3]":                                  {Servers: 3, Names: 4},
		"supermarket: Alpha (-1) must be in (0, 1048576]":                           {Alpha: -1},
	} {
		if _, err := New(cfg); err == nil || err.Error() != want {
			t.Errorf("%+v: %v, want %s", cfg, err, want)
		}
	}
	for _, cfg := range []Config{{Lambda: 1}, {Jobs: 3}, {Rates: []float64{0.5}}, {Policy: Observations}, {Alpha: -1}} {
		if tails, err := Tails(cfg); err == nil {
			t.Errorf("%+v: a limit of %d shares", cfg, len(tails))
		}
	}
	if p, err := New(Config{}); err != nil || !math.IsNaN(func() float64 {
		p.Reset(mc.NewStream(1, mc.Algorithm, 0))
		return p.Averages().Found
	}()) {
		t.Errorf("an average without jobs: %v", err)
	}
}

// BenchmarkAdvance measures a closed system of 32 servers, per completion.
func BenchmarkAdvance(b *testing.B) {
	for _, policy := range Policies() {
		b.Run("policy="+string(policy), func(b *testing.B) {
			p, err := New(Config{Servers: 32, Jobs: 640, Policy: policy, Choices: 1})
			if err != nil {
				b.Fatal(err)
			}
			p.Reset(mc.NewStream(1, mc.Algorithm, 0))
			p.Advance(100)
			p.Forget()
			b.ReportAllocs()
			for b.Loop() {
				p.Advance(1)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(p.served), "ns/job")
		})
	}
}
