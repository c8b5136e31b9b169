package advise

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/internal/cases"
	"repslab/internal/lists"
	"repslab/internal/param"
)

// setting is a flag of repslab fattree with its values. In a change, no value takes the flag away.
type setting struct{ flag, value string }

// settings are the flags of a command, each once.
type settings []setting

// settings returns the flags of the NIC's healthy network under load balancers.
func (f Input) settings(balancers ...string) settings {
	optional := func(given bool, value any) string {
		if !given {
			return ""
		}
		return fmt.Sprint(value)
	}
	other := f.HostsPerToR != f.Uplinks || f.FabricGbps != f.LinkGbps
	return settings{}.with(
		setting{"profile", cases.ProfileUET},
		setting{"hosts", fmt.Sprint(f.ToRs * f.HostsPerToR)},
		setting{"hosts-per-tor", fmt.Sprint(f.HostsPerToR)},
		setting{"uplinks-per-tor", optional(other, f.Uplinks)},
		setting{"fabric-gbps", optional(other, f.FabricGbps)},
		setting{"link-gbps", fmt.Sprint(f.LinkGbps)},
		setting{"latency-ns", fmt.Sprintf("%.0f", math.Round(f.latencyNs()))},
		setting{"mtu", fmt.Sprint(f.MTU)},
		setting{"message-bytes", fmt.Sprint(f.Message)},
		setting{"evs", fmt.Sprint(f.EVs)},
		setting{"ack-ratio", fmt.Sprint(f.AckRatio)},
		setting{"ack-variant", optional(f.Variant != cases.AckStandard, f.Variant)},
		setting{"reps", optional(f.Rules != balance.UltraEthernet, f.Rules)},
		setting{"rto-us", optional(f.RTOUs > 0, strconv.FormatFloat(f.RTOUs, 'f', -1, 64))},
		setting{"kmin", optional(f.KMin > 0, f.KMin)},
		setting{"kmax", optional(f.KMax > 0, f.KMax)},
		setting{"lb", strings.Join(balancers, ",")},
		setting{"failure", cases.NoFailure},
	)
}

// with returns the settings with others: a value replaces the flag's, no value takes the flag away.
func (s settings) with(others ...setting) settings {
	s = slices.Clone(s)
	for _, other := range others {
		if i := slices.IndexFunc(s, func(own setting) bool { return own.flag == other.flag }); i >= 0 {
			s[i] = other
		} else {
			s = append(s, other)
		}
	}
	return slices.DeleteFunc(s, func(own setting) bool { return own.value == "" })
}

// has reports whether the settings have a flag.
func (s settings) has(flag string) bool {
	return slices.ContainsFunc(s, func(own setting) bool { return own.flag == flag })
}

// String returns the flags as on a command line, without those that are taken away.
func (s settings) String() string {
	return strings.Join(lists.Map(s.with(), func(own setting) string {
		if strings.ContainsAny(own.value, " |;=") {
			return "--" + own.flag + " '" + own.value + "'"
		}
		return "--" + own.flag + " " + own.value
	}), " ")
}

// instead returns the change from REPS to another balancer, which does not have its rules and its reuse of EVs.
func (f Input) instead(lb string) settings {
	change := settings{{"lb", lb}, {"reps", ""}}
	if lb == "ops" || f.Variant == cases.AckReuse {
		change = append(change, setting{"ack-variant", ""})
	}
	if lb == "mixed" && f.EVs > mostOfMixed {
		change = append(change, setting{"evs", fmt.Sprint(mostOfMixed)})
	}
	return change
}

// mostOfMixed is the largest number of EVs of mixed, which it takes if there are more.
const mostOfMixed = 256

// command returns the command of repslab that runs the networks.
func (s settings) command() string { return "fattree " + s.String() }

// points returns the networks of the command in the order of its rows.
func (s settings) points() ([]*cases.Fattree, error) {
	given := param.Texts{}
	for _, own := range s {
		given[param.KeyOf(own.flag)] = own.value
	}
	list, _, err := cases.ExtraPoints(param.Selection{Parameters: given})
	return lists.Map(list, func(p cases.ExtraPoint) *cases.Fattree { return &p.Fattree }), err
}

// tried returns changes that may help REPS. kmax is the Kmax that is enough if marks rise too steeply, otherwise 0.
func (f Input) tried(base *cases.Fattree, kmax int) (list []*change) {
	try := func(possible bool, set ...setting) {
		if possible {
			list = append(list, &change{set: set})
		}
	}
	number := func(flag string, value float64) setting {
		return setting{flag, strconv.FormatFloat(value, 'f', -1, 64)}
	}
	us := func(t fattree.Picoseconds) float64 { return float64(t) / 1e6 }
	half, rtt, plain := math.Round(us(base.Options.RTO)/2), us(base.Plan.LongestRTT()), f.Variant == cases.AckStandard
	try(kmax > 0, number("kmax", float64(kmax)))
	try(kmax == 0, number("kmax", float64(2*base.Spec.KMax)))
	try(base.Spec.KMin > 3, number("kmin", float64(base.Spec.KMin/2)))
	try(f.AckRatio > 1, setting{"ack-ratio", "1"}, setting{"ack-variant", ""})
	try(f.AckRatio > 1 && f.Variant != cases.AckCarry, setting{"ack-variant", cases.AckCarry})
	try(f.EVs < balance.MaxEVS, number("evs", balance.MaxEVS))
	try(half >= rtt, number("rto-us", half))
	try(true, number("freeze-us", math.Ceil(4*rtt)))
	try(true, number("ring", 32))
	try(plain, setting{"lb", "switch-adaptive"}, setting{"reps", ""}, setting{"evs", ""})
	for _, lb := range []string{"mrc", "ops", cases.BalancerREPS} {
		rules := ""
		if lb == cases.BalancerREPS {
			rules = string(balance.Paper)
		}
		try(plain, setting{"profile", "mrc"}, setting{"lb", lb}, setting{"reps", rules})
	}
	return list
}
