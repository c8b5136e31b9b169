package traffic

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/mc"
)

// Arrivals says how flows of drawn sizes come at hosts.
type Arrivals struct {
	Hosts       int // that send and receive, from 0 on; in [2, fattree.MaxHosts]
	HostsPerToR int // at least 1; Paced looks for partners elsewhere
	Sizes       Sizes
	Load        float64             // of each host's link that messages take, headers not counted; in (0, 1]
	Gbps        float64             // of a host's link; positive
	Duration    fattree.Picoseconds // flows start before it; positive
}

// The authors' generator sends to a host's partner but in uniformOf out of
// chances flows.
const (
	uniformOf = 5
	chances   = 101
)

// validate reports the faults of a.
func (a Arrivals) validate() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf("traffic: "+format, args...)) }
	if a.Hosts < 2 || a.Hosts > fattree.MaxHosts {
		wrong("hosts (%d) must be in [2, %d]", a.Hosts, fattree.MaxHosts)
	}
	if a.HostsPerToR < 1 {
		wrong("HostsPerToR (%d) must be at least 1", a.HostsPerToR)
	}
	if len(a.Sizes.points) == 0 {
		wrong("Sizes must be a distribution")
	}
	if !(a.Load > 0 && a.Load <= 1) {
		wrong("Load (%g) must be in (0, 1]", a.Load)
	}
	if !(a.Gbps > 0) || math.IsInf(a.Gbps, 0) {
		wrong("Gbps (%g) must be positive", a.Gbps)
	}
	if a.Duration <= 0 {
		wrong("Duration (%d ps) must be positive", a.Duration)
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	perHost := a.Load * float64(a.Duration) / (8000 * a.Sizes.Mean() / a.Gbps)
	if flows := float64(a.Hosts) * perHost; flows > fattree.MaxFlows/2 {
		return fmt.Errorf("traffic: Duration (%d ps) must be shorter: about %.0f flows would start, of %d at most", a.Duration, flows, fattree.MaxFlows/2)
	}
	return nil
}

// gap returns how long a host needs for a message at its share of the link.
func (a Arrivals) gap(bytes float64) float64 { return bytes * 8000 / a.Gbps / a.Load }

// Paced returns the flows of the authors' generator [Bonato26-artifact], which is
// not Poisson: each host starts a flow at time 0, all together, and the next as
// soon as its share of the link would have carried the last. 96 of 101 flows go
// to the host's one partner, which a permutation drawn at random assigns, in
// another ToR wherever that is possible; the others to a uniform host. Flows come
// by their start. Host h draws from child h of the Workload stream of (seed,
// replica). Errors name what is wrong with a. O(flows log flows).
func Paced(a Arrivals, seed, replica uint64) (fattree.Workload, error) {
	if err := a.validate(); err != nil {
		return fattree.Workload{}, err
	}
	stream := mc.NewStream(seed, mc.Workload, replica)
	partners := a.partners(stream)
	var flows []fattree.Flow
	for host := range a.Hosts {
		random := stream.Child(uint64(host)).Rand()
		for start := 0.0; start < float64(a.Duration); {
			bytes := a.Sizes.draw(&random)
			to := partners[host]
			if random.Below(chances) < uniformOf {
				to = a.other(host, &random)
			}
			flows = append(flows, Message{Bytes: bytes, Start: fattree.Picoseconds(start)}.flow(host, to))
			start += a.gap(float64(bytes))
		}
	}
	return byStart(flows), nil
}

// Poisson returns flows that come at each host as a Poisson process of the rate
// that gives the load, each to a uniform other host. Flows come by their start.
// Host h draws from child h of the Workload stream of (seed, replica). Errors
// name what is wrong with a, or that by chance no flow came. O(flows log flows).
func Poisson(a Arrivals, seed, replica uint64) (fattree.Workload, error) {
	if err := a.validate(); err != nil {
		return fattree.Workload{}, err
	}
	stream := mc.NewStream(seed, mc.Workload, replica)
	mean := a.gap(a.Sizes.Mean())
	var flows []fattree.Flow
	for host := range a.Hosts {
		random := stream.Child(uint64(host)).Rand()
		for start := 0.0; ; {
			// 1 - u is in (0, 1], so that its logarithm is finite.
			start -= float64(mean * math.Log(1-random.Float64()))
			if start >= float64(a.Duration) {
				break
			}
			bytes := a.Sizes.draw(&random)
			flows = append(flows, Message{Bytes: bytes, Start: fattree.Picoseconds(start)}.flow(host, a.other(host, &random)))
		}
	}
	if len(flows) == 0 {
		return fattree.Workload{}, fmt.Errorf("traffic: Duration (%d ps) must be longer: no flow started in it", a.Duration)
	}
	return byStart(flows), nil
}

// other returns a uniform host that is not the given one.
func (a Arrivals) other(host int, random *mc.Rand) int {
	to := int(random.Below(uint64(a.Hosts) - 1))
	if to >= host {
		to++
	}
	return to
}

// partners returns a permutation of the hosts that sends none to itself and, if
// it finds one to swap with, none to its own ToR.
func (a Arrivals) partners(stream mc.Stream) []int {
	random := stream.Child(uint64(a.Hosts)).Rand()
	to := shuffled(a.Hosts, &random)
	near := func(x, y int) bool { return x/a.HostsPerToR == y/a.HostsPerToR }
	same := func(x, y int) bool { return x == y }
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

// byStart returns the workload of flows in the order of their start, those of
// the same start by their source.
func byStart(flows []fattree.Flow) fattree.Workload {
	slices.SortStableFunc(flows, func(x, y fattree.Flow) int { return int(min(1, max(-1, x.Start-y.Start))) })
	return fattree.Workload{Flows: flows}
}
