package model

import (
	"fmt"
	"strconv"
	"strings"

	"repslab/fattree/topology"
	"repslab/internal/values"
	"repslab/mrc"
	"repslab/reps"
)

// repsParameters returns the parameters of the ring and of freezing mode in reps.
func (p *Fattree) repsParameters() []Parameter {
	const byFreezing = byCache + " and --freezing on or at=US"
	excludes := func() bool { return p.Lb == lbExclude }
	turns := func() bool { return p.Lb == lbPathTurns }
	noCache := func() bool { return !p.caches() }
	freezes := func() bool { return p.caches() && p.freezing.text != "off" }
	exit := &p.Recycling.REPS.Exit
	return []Parameter{
		word("freezing", "freezing mode of reps: on, off, at=US", freezings, &p.freezing).more("at forces it at that time").
			field("FreezeAt", "DisableFreezing").usedOnly(byCache, p.caches).nullUnused(),
		Integer("freeze-us", "length of freezing mode", 1, 2_000_000, &p.freezeUs).seldom().
			field("FreezingTimeout").nullIf(noCache).
			usedOnly(byFreezing+" and --freeze-exit timeout",
				func() bool { return freezes() && *exit == reps.ExitOnTimeout }),
		name("freeze-exit", "event that ends freezing mode", []reps.Exit{reps.ExitOnTimeout, reps.ExitOnProbe}, exit).
			more("probe: the path is probed once per RTO").seldom().nullIf(noCache).field("Exit").
			usedOnly(byFreezing, freezes),
		Integer("ring", "entries of the ring of reps", 1, reps.MaxLargeSize, &p.Recycling.REPS.BufferSize).seldom().
			field("BufferSize").unit("EVs").more(fmt.Sprintf("of reps-planes at most %d, which is what a NIC of package reps can hold", reps.MaxBufferSize)).
			usedOnly(byCache+", and by --lb "+lbExclude, func() bool { return p.caches() || excludes() }).nullUnused(),
		Integer("idle-us", "pause after which a connection of reps explores again like a new one", 0, 10_000_000, &p.idleUs).seldom().
			field("Idle").more("0: never, as the pseudocode; a pause in which it sends nothing and gets no ACK, as between messages "+
			"of one connection in --flows; in freezing mode it explores only if --freeze-us has passed").
			usedOnly("by --lb reps with --reps paper, --lb "+lbPerPlane+" and "+lbExclude, p.idles).nullUnused(),
		Integer("exclude-us", "time for which reps-exclude does not use an EV that timed out", 1, 10_000_000, &p.excludeUs).seldom().
			field("length").usedOnly("by --lb "+lbExclude, excludes).nullUnused(),
		name("path-start", "first EV of a flow of path-round-robin", []string{startZero, startSource}, &p.pathStart).seldom().
			more("source: the number of its source host, so that hosts do not begin on one path together").
			usedOnly("by --lb "+lbPathTurns, turns).nullUnused(),
	}
}

// mrcParameters returns the parameters of the sets and probes of mrc.
func (p *Fattree) mrcParameters() []Parameter {
	uses := func() bool { return p.Lb == lbMRC }
	sized := func(flag, help, field, otherwise string, least, most int, value *int) Parameter {
		return Integer(flag, help, least, most, value).seldom().field(field).noPreset(otherwise).
			nullIf(func() bool { return *value == 0 }).usedOnly("by --lb mrc", uses)
	}
	hosts := func(flag, help, field string, allowed []string, value *string) Parameter {
		profile := func() bool { return p.Profile == profileMRC }
		return name(flag, help, allowed, value).seldom().field(field).nullIf(func() bool { return !profile() }).
			usedOnly("by --profile mrc", profile)
	}
	c := &p.mrc.MRC
	return []Parameter{
		sized("mrc-active", "EVs of each plane in use by mrc", "Active", "128 of all planes, or --evs", 1, mrc.MaxSet, &c.Active),
		sized("mrc-backup", "EVs of each plane that wait to replace one; -1 is none", "Backup", "as many", -1, mrc.MaxSet, &c.Backup).
			keptAs(func() string { return fmt.Sprintf("in [1, %d], or -1 for none", mrc.MaxSet) }),
		sized("mrc-min-active", "active EVs of all planes from which on a loss rules out none", "MinActive", "a quarter of them", 1,
			topology.MaxPlanes*mrc.MaxSet, &c.MinActive),
		sized("mrc-replies", "probes answered in a row until an EV is used again", "ProbeReplies", strconv.Itoa(mrc.DefaultProbeReplies), 1, 255, &c.ProbeReplies),
		sized("mrc-probe-us", "least time between two probes of a flow", "ProbePeriod", "unloaded RTT", 1, 1_000_000, &p.probeUs),
		word("mrc-skip", "how long a mark passes over an EV of mrc: rotation, one-per-packet, time=US", skipRules, &p.skip).seldom().
			field("Skip", "SkipTime").more("one-per-packet is a rotation that forgets at most one mark for each packet sent").
			nullIf(func() bool { return !uses() }).usedOnly("by --lb mrc", uses),
		name("mrc-order", "order of the EVs of a plane", []mrc.Order{mrc.OrderStride, mrc.OrderDrawn}, &c.Order).seldom().field("Order").
			more("drawn: anew for each pass").nullIf(func() bool { return !uses() }).usedOnly("by --lb mrc", uses),
		hosts("mrc-timer", "what has a time-out", "ConnectionTimer", []string{perPacket, perConnection}, &p.timer),
		hosts("mrc-resend", "place of packets sent again in the queues of switches", "RetransmissionsFirst", []string{inTurn, resentFirst}, &p.resend),
	}
}

// The values of --path-start.
const startZero, startSource = "zero", "source"

// The values of --mrc-timer and --mrc-resend.
const (
	perPacket, perConnection = "packet", "connection"
	inTurn, resentFirst      = "in-turn", "first"
)

// freezingMode selects whether and when reps enters freezing mode.
type freezingMode struct {
	text string // on, off or at=US
	at   int    // time in us at which it is forced; 0 is never
}

// String returns the value of --freezing.
func (m freezingMode) String() string { return m.text }

// freezings reads a list of freezing modes.
func freezings(text string) ([]freezingMode, error) {
	return values.Each(strings.ToLower(text), ",", func(word string) (mode freezingMode, err error) {
		mode.text = word
		if time, forced := strings.CutPrefix(word, "at="); forced {
			mode.at, err = strconv.Atoi(time)
			if err != nil || mode.at < 1 || mode.at > 1_000_000 {
				return mode, fmt.Errorf("%q must be at=US with US in [1, 1000000]", word)
			}
			mode.text = fmt.Sprintf("at=%d", mode.at)
		} else if word != "on" && word != "off" {
			return mode, fmt.Errorf("%q must be on, off or at=US", word)
		}
		return mode, nil
	})
}
