package model

import (
	"fmt"
	"strconv"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/mrc"
	"repslab/reps"
)

// repsParameters returns the parameters of the ring and of freezing mode in reps.
func (p *Fattree) repsParameters() []Parameter {
	const byFreezing = byCache + " and --freezing on or at=US"
	excludes := func() bool { return p.Lb == lbExclude }
	turns := func() bool { return p.Lb == lbPathTurns }
	noCache := func() bool { return !p.caches() }
	freezes := func() bool { return p.caches() && p.freezing.name != "off" }
	exit, timeout := &p.Recycling.REPS.Exit, &p.Recycling.REPS.FreezingTimeout
	return []Parameter{
		word("freezing", "freezing mode of reps: on, off, at=US", namesOrTime("at", "on", "off"), &p.freezing).more("at forces it at that time").
			field("FreezeAt", "DisableFreezing").usedOnly(byCache, p.caches).nullUnused(),
		settable("freeze-us", "length of freezing mode", IntsIn(1, 2_000_000), func(v int) { *timeout = uint32(v) * 1000 }).
			show(func() any { return int(*timeout / 1000) }).seldom().
			field("FreezingTimeout").nullIf(noCache).
			usedOnly(byFreezing+" and --freeze-exit timeout",
				func() bool { return freezes() && *exit == reps.ExitOnTimeout }),
		name("freeze-exit", "event that ends freezing mode", []reps.Exit{reps.ExitOnTimeout, reps.ExitOnProbe}, exit).
			more("probe: the path is probed once per RTO").seldom().nullIf(noCache).field("Exit").
			usedOnly(byFreezing, freezes),
		Integer("ring", "entries of the ring of reps", 1, reps.MaxLargeSize, &p.Recycling.REPS.BufferSize).seldom().
			field("BufferSize").unit("EVs").more(fmt.Sprintf("of reps-planes at most %d, which is what a NIC of package reps can hold", reps.MaxBufferSize)).
			usedOnly(byCache+", and by --lb "+lbExclude, func() bool { return p.caches() || excludes() }).nullUnused(),
		wholeMicroseconds("idle-us", "pause after which a connection of reps explores again like a new one", 0, 10_000_000, &p.idle).seldom().
			field("Idle").more("0: never, as the pseudocode; a pause in which it sends nothing and gets no ACK, as between messages "+
			"of one connection in --flows; in freezing mode it explores only if --freeze-us has passed").
			usedOnly("by --lb reps with --reps paper, --lb "+lbPerPlane+" and "+lbExclude, p.idles).nullUnused(),
		wholeMicroseconds("exclude-us", "time for which reps-exclude does not use an EV that timed out", 1, 10_000_000, &p.exclude).seldom().
			field("length").usedOnly("by --lb "+lbExclude, excludes).nullUnused(),
		oneOf("path-start", "first EV of a flow of path-round-robin", &p.startSource, []string{"zero", "source"}, false, true).seldom().
			more("source: the number of its source host, so that hosts do not begin on one path together").
			usedOnly("by --lb "+lbPathTurns, turns).nullUnused(),
	}
}

// mrcParameters returns the parameters of the sets and probes of mrc.
func (p *Fattree) mrcParameters() []Parameter {
	uses := func() bool { return p.Lb == lbMRC }
	byBalancer := func(q Parameter, field, otherwise string, isDefault func() bool) Parameter {
		return q.seldom().field(field).noPreset(otherwise).nullIf(isDefault).usedOnly("by --lb mrc", uses)
	}
	sized := func(flag, help, field, otherwise string, least, most int, value *int) Parameter {
		return byBalancer(Integer(flag, help, least, most, value), field, otherwise, func() bool { return *value == 0 })
	}
	byHosts := func(q Parameter, field string) Parameter {
		profile := func() bool { return p.Spec.Profile == fattree.MRC }
		return q.seldom().field(field).usedOnly("by --profile mrc", profile).nullUnused()
	}
	c, period := &p.mrc.MRC, &p.mrc.ProbePeriod
	return []Parameter{
		sized("mrc-active", "EVs of each plane in use by mrc", "Active", "128 of all planes, or --evs", 1, mrc.MaxSet, &c.Active),
		sized("mrc-backup", "EVs of each plane that wait to replace one; -1 is none", "Backup", "as many", -1, mrc.MaxSet, &c.Backup).
			keptAs(func() string { return fmt.Sprintf("in [1, %d], or -1 for none", mrc.MaxSet) }),
		sized("mrc-min-active", "active EVs of all planes from which on a loss rules out none", "MinActive", "a quarter of them", 1,
			topology.MaxPlanes*mrc.MaxSet, &c.MinActive),
		sized("mrc-replies", "probes answered in a row until an EV is used again", "ProbeReplies", strconv.Itoa(mrc.DefaultProbeReplies), 1, 255, &c.ProbeReplies),
		byBalancer(wholeMicroseconds("mrc-probe-us", "least time between two probes of a flow", 1, 1_000_000, period), "ProbePeriod", "unloaded RTT",
			func() bool { return *period == 0 }),
		word("mrc-skip", "how long a mark passes over an EV of mrc: rotation, one-per-packet, time=US", namesOrTime("time", "rotation", "one-per-packet"), &p.skip).seldom().
			field("Skip", "SkipTime").more("one-per-packet is a rotation that forgets at most one mark for each packet sent").
			nullIf(func() bool { return !uses() }).usedOnly("by --lb mrc", uses),
		name("mrc-order", "order of the EVs of a plane", []mrc.Order{mrc.OrderStride, mrc.OrderDrawn}, &c.Order).seldom().field("Order").
			more("drawn: anew for each pass").nullIf(func() bool { return !uses() }).usedOnly("by --lb mrc", uses),
		byHosts(oneOf("mrc-timer", "what has a time-out", &p.Options.ConnectionTimer, []string{"packet", "connection"}, false, true), "ConnectionTimer"),
		byHosts(oneOf("mrc-resend", "place of packets sent again in the queues of switches", &p.Spec.RetransmissionsFirst,
			[]string{"in-turn", "first"}, false, true), "RetransmissionsFirst"),
	}
}

// skipRules returns the rules of mrc by the names of --mrc-skip.
func skipRules() map[string]mrc.SkipRule {
	return map[string]mrc.SkipRule{"one-per-packet": mrc.SkipOnePerPacket, "time": mrc.SkipHeld}
}
