package topology

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"repslab/faults"
)

// switchRange is a range of switches of a tier, such as spine0..7.
type switchRange struct {
	name        string
	first, last int
}

// has reports whether a range includes a switch of its tier.
func (r switchRange) has(sw int) bool { return r.first <= sw && sw <= r.last }

// parseSwitches reads a range of switches of a tier, such as spine0..7 or spine3. ok is false if text is no such
// range.
func parseSwitches(text, name string) (r switchRange, ok bool) {
	numbers, named := strings.CutPrefix(text, name)
	first, last, isRange := strings.Cut(numbers, "..")
	if !isRange {
		last = first
	}
	from, errFrom := strconv.ParseUint(first, 10, 24)
	to, errTo := strconv.ParseUint(last, 10, 24)
	return switchRange{name, int(from), int(to)}, named && errFrom == nil && errTo == nil
}

// parseLink reads a name of links between switches of a tier and switches of the next tier.
func parseLink(text string) (ends [2]switchRange, err error) {
	lower, upper, _ := strings.Cut(text, ":")
	for _, names := range [][2]string{{"tor", "spine"}, {"tor", "agg"}, {"agg", "core"}} {
		below, isBelow := parseSwitches(lower, names[0])
		above, isAbove := parseSwitches(upper, names[1])
		if isBelow && isAbove {
			return [2]switchRange{below, above}, nil
		}
	}
	return ends, fmt.Errorf("link %.40q must be two switches such as tor0:spine0..7, tor0:agg1 or agg5:core2", text)
}

// parseLinks reads names of links, joined by +.
func (f *Failure) parseLinks(text string) (err error) {
	for name := range strings.SplitSeq(text, "+") {
		if _, err = parseLink(name); err != nil {
			break
		}
	}
	f.Links, f.Place = text, Named
	return err
}

// named returns the cables of a tree that a failure names.
func (p *placer) named(f Failure, cables []Part) (found []Part, err error) {
	tiers := [][]string{{"tor", "spine"}, {"tor", "agg", "core"}}[p.t.Tiers-2]
	var exist []string
	for tier, name := range tiers {
		exist = append(exist, fmt.Sprintf("%s0..%d", name, p.t.switches(tier)-1))
	}
	seen := map[Part]bool{}
	for name := range strings.SplitSeq(f.Links, "+") {
		ends, _ := parseLink(name)
		met, tier := false, slices.Index(tiers, ends[0].name)
		for i, r := range ends {
			if tier < 0 || tiers[tier+i] != r.name || r.last >= p.t.switches(tier+i) {
				return nil, faults.New("topology", "failures", f, "must name switches that exist, %s: %s%d of %s is none", strings.Join(exist, ", "), r.name, r.last, name)
			}
		}
		for _, c := range cables {
			above := p.t.above(c.Tier, c.Switch, c.Uplink) - p.t.number(c.Tier+1, 0)
			if c.Tier != tier || !ends[0].has(c.Switch) || !ends[1].has(above) {
				continue
			}
			if met = true; !seen[c] {
				seen[c] = true
				found = append(found, c)
			}
		}
		if !met {
			return nil, faults.New("topology", "failures", f, "must name links that exist: no link is %s; a tor has links to the %d %s of its pod, an agg to %d core", name,
				p.t.AggsPerPod(), tiers[1], p.t.CoresPerAgg())
		}
	}
	return found, nil
}
