package recycled

import (
	"slices"
	"strconv"
	"strings"

	"repslab/faults"
	"repslab/mc"
)

// Start selects the loads before round 1: Empty, AllInOne, Random, or the loads that [Given] wrote. No
// ball of a start has been judged, so nothing is remembered. Under RoundRobin ball i has colour i, so m
// must not exceed the number of colours; under PerFlow it belongs to flow i mod n and counts in the
// flow's window. Balls are numbered bin by bin.
type Start string

// The starts without given loads.
const (
	Empty    Start = "empty"      // the default
	AllInOne Start = "all-in-one" // Config.Balls balls in bin 0: the worst case for the largest load
	Random   Start = "random"     // each of Config.Balls balls in a uniform bin, drawn anew for every run
)

// Starts lists the starts without given loads, the default first.
func Starts() []Start { return []Start{Empty, AllInOne, Random} }

// Given returns the start with loads[i] balls in bin i. O(n).
func Given(loads []int) Start {
	texts := make([]string, len(loads))
	for i, load := range loads {
		texts[i] = strconv.Itoa(load)
	}
	return Start(strings.Join(texts, ","))
}

// given returns the loads of a start that [Given] returned; ok is false for another.
func (s Start) given() (loads []int, ok bool) {
	for text := range strings.SplitSeq(string(s), ",") {
		load, err := strconv.Atoi(text)
		if err != nil {
			return nil, false
		}
		loads = append(loads, load)
	}
	return loads, true
}

// balls returns the default number of balls of a start.
func (s Start) balls(bins int) int {
	switch s {
	case Empty:
		return 0
	case AllInOne, Random:
		return bins
	}
	sum := 0
	loads, _ := s.given()
	for _, load := range loads {
		sum += min(max(0, load), MaxBalls+1)
	}
	return min(sum, MaxBalls+1)
}

// validateStart checks Start and Balls of a configuration with defaults applied.
func (c Config) validateStart(bad *faults.List) {
	switch c.Start {
	case Empty:
		if c.Balls != 0 {
			bad.Refuse("Balls", c.Balls, "must be 0 with the start %s", Empty)
		}
	case AllInOne, Random:
	default:
		c.validateLoads(bad)
	}
	most := MaxBalls
	switch c.Clocking {
	case PerFlow:
		most /= c.Bins
	case RoundRobin:
		most = min(most/c.Bins, c.Bins*c.Colors)
	}
	bad.In("Balls", c.Balls, 0, most)
}

// validateLoads checks a start with given loads.
func (c Config) validateLoads(bad *faults.List) {
	loads, ok := c.Start.given()
	if !ok {
		faults.OneOf(bad, "Start", c.Start, Starts())
		return
	}
	if len(loads) != c.Bins {
		bad.Refuse("Start", len(loads), "loads must be one for each of %d bins", c.Bins)
	}
	if least := slices.Min(loads); least < 0 {
		bad.Refuse("Start", least, "balls: a load must be at least 0")
	}
	if balls := c.Start.balls(c.Bins); c.Balls != balls {
		bad.Refuse("Balls", c.Balls, "must be 0 or the %d balls of Start", balls)
	}
}

// start passes the bins of the balls of the start to put, ball by ball in the order of the bins. Under
// Random rng draws the bins, in the order of the balls.
func (c Config) start(rng *mc.Rand, put func(bin, ball uint32)) {
	switch c.Start {
	case Empty:
	case AllInOne:
		for ball := range uint32(c.Balls) {
			put(0, ball)
		}
	case Random:
		for ball := range uint32(c.Balls) {
			put(uint32(rng.Below(uint64(c.Bins))), ball)
		}
	default:
		loads, _ := c.Start.given()
		ball := uint32(0)
		for bin, load := range loads {
			for range load {
				put(uint32(bin), ball)
				ball++
			}
		}
	}
}
