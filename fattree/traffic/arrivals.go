package traffic

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"repslab/fattree"
	"repslab/faults"
)

// Arrivals describes the arrival of flows of random sizes at hosts.
type Arrivals struct {
	Hosts       int // hosts 0 to Hosts-1 send and receive; in [2, fattree.MaxHosts]
	HostsPerToR int // at least 1; Paced prefers partners in other ToRs
	Sizes       Sizes
	Load        float64             // offered load without headers, as a fraction of the host link rate; in (0, 1]
	Gbps        float64             // rate of a host's link; positive
	Duration    fattree.Picoseconds // all flows start before it; positive

	numbers []fattree.Host // of the hosts in their tree; nil means 0, 1, ...
}

// The authors' generator sends uniformOf out of chances flows to a uniform host, and all others to the host's
// partner.
const (
	uniformOf = 5
	chances   = 101
)

// mostSearched is the number of hosts up to which each host may search all others for a partner in another ToR.
const mostSearched = 1 << 14

// validate reports the faults of a.
func (a Arrivals) validate() error {
	bad := faults.List{Package: "traffic"}
	bad.Check(a.Hosts >= 2 && a.Hosts <= fattree.MaxHosts, "Hosts", a.Hosts, "must be in [2, %d]", fattree.MaxHosts)
	bad.Check(a.HostsPerToR >= 1, "HostsPerToR", a.HostsPerToR, "must be at least 1")
	bad.Check(len(a.Sizes.points) > 0, "Sizes", a.Sizes.points, "must be a distribution, such as WebSearch()")
	bad.Check(a.Load > 0 && a.Load <= 1, "Load", a.Load, "must be in (0, 1]")
	bad.Check(a.Gbps > 0 && !math.IsInf(a.Gbps, 0), "Gbps", a.Gbps, "must be positive and finite")
	bad.Check(a.Duration > 0, "Duration", ps(a.Duration), "must be positive")
	if err := bad.Err(); err != nil {
		return err
	}
	perHost := a.Load * float64(a.Duration) / (8000 * a.Sizes.Mean() / a.Gbps)
	if flows := float64(a.Hosts) * perHost; flows > fattree.MaxFlows/2 {
		return faults.New("traffic", "Duration", ps(a.Duration), "must be shorter: about %.3g flows would start, of at most %d", flows, fattree.MaxFlows/2)
	}
	return nil
}

// gap returns the mean time between messages of some bytes at the offered load.
func (a Arrivals) gap(bytes float64) float64 { return bytes * 8000 / a.Gbps / a.Load }

// Paced returns the flows of the authors' generator [Bonato26-artifact], which is not Poisson. Each host starts a
// flow at time 0, and the next one as soon as its share of the link would have carried the last one. 96 of 101
// flows go to the host's partner, which a random permutation assigns, in another ToR if possible; the other flows
// go to a uniform host. Flows are sorted by start. source draws the partners first, then the flows host by host,
// so another load or duration changes the flows of all hosts except the first. Errors are joined [*faults.FieldError]
// values. O(flows log flows).
func Paced(a Arrivals, source rand.Source) (fattree.Workload, error) {
	if err := errors.Join(a.validate(), validateSource(source)); err != nil {
		return fattree.Workload{}, err
	}
	if a.Hosts > mostSearched && a.HostsPerToR > a.Hosts/2 && (a.HostsPerToR < a.Hosts || a.numbers != nil) {
		return fattree.Workload{}, faults.New("traffic", "HostsPerToR", a.HostsPerToR, "must be at most half of more than %d hosts: a search for partners takes hosts^2 steps", mostSearched)
	}
	random := rand.New(source)
	partners := a.partners(random)
	var flows []fattree.Flow
	for host := range a.Hosts {
		for start := 0.0; start < float64(a.Duration); {
			bytes := a.Sizes.draw(random)
			to := partners[host]
			if random.IntN(chances) < uniformOf {
				to = a.other(host, random)
			}
			flows = append(flows, Message{Bytes: bytes, Start: fattree.Picoseconds(start)}.flow(host, to))
			start += a.gap(float64(bytes))
		}
	}
	return byStart(flows), nil
}

// Poisson returns flows that arrive at each host as a Poisson process, each to a uniform other host; its rate
// gives the offered load. Flows are sorted by start. source draws them host by host, so another load or duration
// changes the flows of all hosts except the first. Errors are joined [*faults.FieldError] values; one reports that by
// chance no flow started. O(flows log flows).
func Poisson(a Arrivals, source rand.Source) (fattree.Workload, error) {
	w, err := a.poisson(source)
	if err == nil && len(w.Flows) == 0 {
		err = faults.New("traffic", "Duration", ps(a.Duration), "must be longer: no flow started")
	}
	return w, err
}

// poisson is Poisson, but returns no flows if by chance none started.
func (a Arrivals) poisson(source rand.Source) (fattree.Workload, error) {
	if err := errors.Join(a.validate(), validateSource(source)); err != nil {
		return fattree.Workload{}, err
	}
	random := rand.New(source)
	mean := a.gap(a.Sizes.Mean())
	var flows []fattree.Flow
	for host := range a.Hosts {
		for start := 0.0; ; {
			start += exponential(mean, random)
			if start >= float64(a.Duration) {
				break
			}
			bytes := a.Sizes.draw(random)
			flows = append(flows, Message{Bytes: bytes, Start: fattree.Picoseconds(start)}.flow(host, a.other(host, random)))
		}
	}
	return byStart(flows), nil
}

// exponential returns an exponential variable, by inversion. It avoids ExpFloat64, which gonum's Exponential
// calls: that uses math.Exp, and the last digit of math.Exp depends on the processor.
func exponential(mean float64, random *rand.Rand) float64 {
	// 1 - u is in (0, 1], so its logarithm is finite. The conversions keep products apart from sums (package
	// internal/elementary).
	return -float64(mean * math.Log(1-float64(random.Float64())))
}

// other returns a uniform host other than the given one.
func (a Arrivals) other(host int, random *rand.Rand) int {
	to := random.IntN(a.Hosts - 1)
	if to >= host {
		to++
	}
	return to
}

// partners returns a permutation that maps no host to itself and, if it finds a swap, none to its own ToR.
func (a Arrivals) partners(random *rand.Rand) []int {
	to := random.Perm(a.Hosts)
	tor := func(x int) int {
		if a.numbers != nil {
			x = int(a.numbers[x])
		}
		return x / a.HostsPerToR
	}
	near := func(x, y int) bool { return tor(x) == tor(y) }
	same := func(x, y int) bool { return x == y }
	if !slices.ContainsFunc(to, func(x int) bool { return tor(x) != tor(0) }) {
		near = same // there is no other ToR
	}
	for _, bad := range []func(x, y int) bool{same, near} {
		for i := range to {
			for step := 1; bad(i, to[i]) && step < a.Hosts; step++ {
				if j := (i + step) % a.Hosts; !bad(i, to[j]) && !bad(j, to[i]) {
					to[i], to[j] = to[j], to[i]
				}
			}
		}
	}
	return to
}

// byStart returns the workload of flows sorted by start and, for equal starts, by source.
func byStart(flows []fattree.Flow) fattree.Workload {
	slices.SortStableFunc(flows, func(x, y fattree.Flow) int { return int(min(1, max(-1, x.Start-y.Start))) })
	return fattree.Workload{Flows: flows}
}
