package cases

import (
	"fmt"
	"strconv"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/topology"
	"repslab/internal/param"
	"repslab/mrc"
	"repslab/reps"
)

// repsParameters returns the parameters of the ring and of freezing mode in reps.
func (p *Fattree) repsParameters() []param.Parameter {
	const byFreezing = byCache + " and --freezing on or at=TIME"
	excludes := func() bool { return p.has(lbExclude) }
	turns := func() bool { return p.has(lbPathTurns) || p.has(lbHostTurns) }
	recycles := func() bool { return p.has(BalancerREPS) }
	noCache := func() bool { return !p.caches() }
	freezes := func() bool { return p.caches() && p.freezing.Name != "off" }
	exit, timeout, cache := &p.Recycling.REPS.Exit, &p.Recycling.REPS.FreezingTimeout, &p.Recycling.REPS.FrozenCache
	return []param.Parameter{
		param.Word("freezing", "freezing mode of reps: on, off, at=TIME", param.NamesOrTime("at", "on", "off"), &p.freezing).More("at forces it at that time").
			Field("FreezeAt", "DisableFreezing").UsedOnly(byCache, p.caches).NullUnused(),
		param.Settable("freeze-us", "length of freezing mode", param.IntsIn(1, 2_000_000), func(v int) { *timeout = uint32(v) * 1000 }).
			Show(func() any { return int(*timeout / 1000) }).Seldom().
			Field("FreezingTimeout").NullIf(noCache).
			UsedOnly(byFreezing+" and --freeze-exit timeout",
				func() bool { return freezes() && *exit == reps.ExitOnTimeout }),
		param.Name("freeze-exit", "event that ends freezing mode", []reps.Exit{reps.ExitOnTimeout, reps.ExitOnProbe}, exit).
			More("probe: the path is probed once per RTO").Seldom().NullIf(noCache).Field("Exit").
			UsedOnly(byFreezing, freezes),
		param.Name("freeze-cache", "EVs that the ring of reps takes in freezing mode", []reps.Caching{reps.CacheAll, reps.CacheNew, reps.CacheFree}, cache).
			More("of unmarked ACKs; new: EVs that it does not have; free: none once it is full").Seldom().NullIf(noCache).Field("FrozenCache").
			UsedOnly(byFreezing, freezes),
		param.Integer("ring", "entries of the ring of reps", 1, reps.MaxLargeSize, &p.Recycling.REPS.BufferSize).Seldom().
			Field("BufferSize").InUnits("EVs").More(fmt.Sprintf("of reps-planes at most %d, which is what a NIC of package reps can hold", reps.MaxBufferSize)).
			UsedOnly(byCache+", and by --lb "+lbExclude, func() bool { return p.caches() || excludes() }).NullUnused(),
		param.WholeMicroseconds("idle-us", "pause after which a connection of reps explores again like a new one", 0, 10_000_000, &p.idle).Seldom().
			Field("Idle").More("0: never, as the pseudocode; a pause in which it sends nothing and gets no ACK, as between messages "+
			"of one connection in --flows; in freezing mode it explores only if --freeze-us has passed").
			UsedOnly("by --lb reps with --reps paper, --lb "+lbPerPlane+" and "+lbExclude, p.idles).NullUnused(),
		param.WholeMicroseconds("exclude-us", "time for which reps-exclude does not use an EV that timed out", 1, 10_000_000, &p.exclude).Seldom().
			Field("length").UsedOnly("by --lb "+lbExclude, excludes).NullUnused(),
		param.OnOff("share-state", "connections of a host to one destination share the state of reps", &p.shares).Field("shares").Seldom().
			UsedOnly("by --lb reps; on in workloads in which a pair of hosts has several flows", p.mayShare).NullUnused(),
		param.Integer("explore-every", "one of so many packets of a connection of reps gets a random EV", 0, 1<<20, &p.explore).Seldom().
			Field("every").More("whatever its ring holds, but not in freezing mode; 0: none, as the pseudocode").
			UsedOnly("by --lb reps", recycles).NullUnused(),
		param.Integer("active-evs", "EVs in use by klb, klb-always and hklb", 1, balance.MaxActive, &p.active).Seldom().Field("active").
			UsedOnly("by --lb "+lbKLB+", "+lbKLBAlways+" and "+lbHKLB, p.keepsActive).NullUnused(),
		param.Name("path-start", "first EV of a rotation of path-round-robin or source-round-robin", balance.Starts(), &p.start).Seldom().
			More("source: the number of its source host, so that hosts do not begin on one path together").
			UsedOnly("by --lb "+lbPathTurns+" and "+lbHostTurns, turns).NullUnused(),
	}
}

// mrcParameters returns the parameters of the sets and probes of mrc.
func (p *Fattree) mrcParameters() []param.Parameter {
	uses := func() bool { return p.Lb == lbMRC }
	byBalancer := func(q param.Parameter, field, otherwise string, isDefault func() bool) param.Parameter {
		return q.Seldom().Field(field).NoPreset(otherwise).NullIf(isDefault).UsedOnly("by --lb mrc", uses)
	}
	sized := func(flag, help, field, otherwise string, least, most int, value *int) param.Parameter {
		return byBalancer(param.Integer(flag, help, least, most, value), field, otherwise, func() bool { return *value == 0 })
	}
	byHosts := func(q param.Parameter, field string) param.Parameter {
		profile := func() bool { return p.Spec.Profile == fattree.MRC }
		return q.Seldom().Field(field).UsedOnly("by --profile mrc", profile).NullUnused()
	}
	c, period := &p.mrc.MRC, &p.mrc.ProbePeriod
	return []param.Parameter{
		sized("mrc-active", "EVs of each plane in use by mrc", "Active", "128 of all planes, or --evs", 1, mrc.MaxSet, &c.Active),
		sized("mrc-backup", "EVs of each plane that wait to replace one; -1 is none", "Backup", "as many", -1, mrc.MaxSet, &c.Backup).
			KeptAs(func() string { return fmt.Sprintf("in [1, %d], or -1 for none", mrc.MaxSet) }),
		sized("mrc-min-active", "active EVs of all planes from which on a loss rules out none", "MinActive", "a quarter of them", 1,
			topology.MaxPlanes*mrc.MaxSet, &c.MinActive),
		sized("mrc-replies", "probes answered in a row until an EV is used again", "ProbeReplies", strconv.Itoa(mrc.DefaultProbeReplies), 1, 255, &c.ProbeReplies),
		byBalancer(param.WholeMicroseconds("mrc-probe-us", "least time between two probes of a flow", 1, 1_000_000, period), "ProbePeriod", "unloaded RTT",
			func() bool { return *period == 0 }),
		param.Word("mrc-skip", "how long a mark passes over an EV of mrc: rotation, one-per-packet, time=TIME", param.NamesOrTime("time", "rotation", "one-per-packet"), &p.skip).Seldom().
			Field("Skip", "SkipTime").More("one-per-packet is a rotation that forgets at most one mark for each packet sent").
			NullIf(func() bool { return !uses() }).UsedOnly("by --lb mrc", uses),
		param.Name("mrc-order", "order of the EVs of a plane", []mrc.Order{mrc.OrderStride, mrc.OrderDrawn}, &c.Order).Seldom().Field("Order").
			More("drawn: anew for each pass").NullIf(func() bool { return !uses() }).UsedOnly("by --lb mrc", uses),
		byHosts(param.OneOf("mrc-timer", "what has a time-out", &p.Options.ConnectionTimer, []string{"packet", "connection"}, false, true), "ConnectionTimer"),
		byHosts(param.OneOf("mrc-resend", "place of packets sent again in the queues of switches", &p.Spec.RetransmissionsFirst,
			[]string{"in-turn", "first"}, false, true), "RetransmissionsFirst"),
	}
}

// skipRules returns the rules of mrc by the names of --mrc-skip.
func skipRules() map[string]mrc.SkipRule {
	return map[string]mrc.SkipRule{"one-per-packet": mrc.SkipOnePerPacket, "time": mrc.SkipHeld}
}
