package topology

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repslab/mc"
)

// linkNames matches a name of links: a lower switch or a range of them, a colon, and upper ones.
var linkNames = regexp.MustCompile(`^(tor|agg)(\d{1,7})(?:\.\.(\d{1,7}))?:(agg|spine|core)(\d{1,7})(?:\.\.(\d{1,7}))?$`)

// switchRange names switches of a tier, such as spine0..7.
type switchRange struct {
	name        string
	first, last int
}

// has reports whether a range has a switch of its tier.
func (r switchRange) has(sw int) bool { return r.first <= sw && sw <= r.last }

// parseLink reads a name of links: those of some switches to some of the next tier.
func parseLink(text string) (ends [2]switchRange, err error) {
	found := linkNames.FindStringSubmatch(text)
	if found == nil || (found[1] == "agg") != (found[4] == "core") {
		return ends, fmt.Errorf("link %.40q must be two switches such as tor0:spine0..7, tor0:agg1 or agg5:core2", text)
	}
	for i := range ends {
		part := found[1+3*i:]
		ends[i].name = part[0]
		ends[i].first, _ = strconv.Atoi(part[1])
		ends[i].last, _ = strconv.Atoi(cmp.Or(part[2], part[1]))
	}
	return ends, nil
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

// named returns those of all cables that a failure names.
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
				return nil, mc.NewFieldError("topology", "failures", f, "must name switches that exist, %s: %s%d of %s is none", strings.Join(exist, ", "), r.name, r.last, name)
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
			return nil, mc.NewFieldError("topology", "failures", f, "must name links that exist: no link is %s; a tor has links to the %d %s of its pod, an agg to %d core", name,
				p.t.AggsPerPod(), tiers[1], p.t.CoresPerAgg())
		}
	}
	return found, nil
}
