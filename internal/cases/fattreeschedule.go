package cases

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"

	"repslab/fattree"
	"repslab/fattree/schedule"
	"repslab/internal/lists"
	"repslab/internal/param"
)

// Values of --placement that do not name a file.
const (
	linear     = "linear"
	randomised = "random"
)

// readPlacement reads a host for each rank.
func readPlacement(r io.Reader) ([]fattree.Host, error) {
	hosts, words := []fattree.Host{}, bufio.NewScanner(r)
	for words.Split(bufio.ScanWords); words.Scan() && len(hosts) <= fattree.MaxHosts; {
		host, err := strconv.ParseUint(words.Text(), 10, 31)
		if err != nil {
			return nil, fmt.Errorf("rank %d has %.40q in place of the number of a host", len(hosts), words.Text())
		}
		hosts = append(hosts, fattree.Host(host))
	}
	return hosts, words.Err()
}

// scheduleParameters returns the parameters about the schedule and the hosts of its ranks.
func (p *Fattree) scheduleParameters() []param.Parameter {
	uses := func() bool { return p.schedule != nil }
	ifUsed := func(q param.Parameter) param.Parameter {
		return q.Seldom().UsedOnly("with --schedule", uses).NullUnused()
	}
	played := param.File("schedule", "play what ranks do from a file in GOAL's format", schedule.Read, &p.schedule).Field("Flows").Seldom().
		Also("calc_path_us", func() any { return p.calcPathUs })
	places := param.File("placement", "hosts of ranks: linear, random, or a file with the host of each rank", readPlacement, &p.placement, linear, randomised).
		Show(func() any { return p.placement.Path }).Text().Of("names")
	return []param.Parameter{played, ifUsed(places), ifUsed(param.Integer("steps", "steps, one after the other; a row sums them up", 1, 1<<16, &p.steps))}
}

// completeSchedule checks that the ranks have hosts, and extends the horizon so that its calcs end.
func (p *Fattree) completeSchedule() error {
	s := p.schedule.Data
	if len(s.Ops) == 0 || s.Ranks > p.hosts() {
		return param.Usagef("--schedule: its %d operations must be at least 1, and its %d ranks at most the %d hosts of the tree", len(s.Ops), s.Ranks, p.hosts())
	}
	path := schedule.Ideal(s)
	p.calcPathUs, p.playing = float64(path)/1e6, fattree.Picoseconds(min(1e18, float64(p.steps)*float64(path+100_000_000_000)))
	if p.placement.Data == nil {
		return nil
	}
	if n := len(p.placement.Data); n != s.Ranks {
		return param.Usagef("--placement: %s must have %d hosts, one for each rank, not %d", p.placement, s.Ranks, n)
	}
	rankOf := map[fattree.Host]int{}
	for rank, h := range p.placement.Data {
		if other, taken := rankOf[h]; taken || int(h) >= p.hosts() {
			return param.Usagef("--placement: host %d of rank %d in %s must be below %d, and not that of rank %d", h, rank, p.placement, p.hosts(), other)
		}
		rankOf[h] = rank
	}
	return nil
}

// checkSteps returns an error for more steps than fit into a run.
func (p *Fattree) checkSteps() error {
	if p.schedule == nil {
		return nil
	}
	if most := fattree.MaxSlots * p.Plan.SlotTime(); p.playing > most && p.Spec.Horizon == 0 {
		return param.Usagef("--steps: %d of %s, each with 100 ms for its messages, could take %d ms, must take at most %d", p.steps, p.schedule,
			p.playing/1e9, most/1e9)
	}
	return nil
}

// job returns the messages of the schedule as flows.
func (p *Fattree) job(source rand.Source) flows {
	hosts := p.placement.Data
	if hosts == nil {
		order := rand.New(source).Perm(p.hosts())
		if p.placement.Path == linear {
			slices.Sort(order)
		}
		hosts = lists.Map(order[:p.schedule.Data.Ranks], func(h int) fattree.Host { return fattree.Host(h) })
	}
	outline := p.Spec.Topology.Outline()
	latency := func(from, to fattree.Host) fattree.Picoseconds {
		return outline.Latency(outline.Paths[p.Spec.Topology.Path(from, to)])
	}
	return schedule.Job{Schedule: p.schedule.Data, Hosts: hosts, Steps: p.steps, Latency: latency, Connect: p.queues}.Workload()
}

// rankCell returns the cell of a rank, empty for -1.
func rankCell(rank int64) any {
	if rank < 0 {
		return nil
	}
	return rank
}
