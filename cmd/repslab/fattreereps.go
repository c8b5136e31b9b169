package main

import (
	"fmt"
	"strconv"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/internal/values"
	"repslab/reps"
)

// ackVariant selects what a coalesced ACK teaches.
type ackVariant string

// The variants.
const (
	ackStandard ackVariant = "standard"
	ackCarry    ackVariant = "carry"
	ackReuse    ackVariant = "reuse"
)

// freezingMode selects whether and when reps enters freezing mode.
type freezingMode struct {
	off bool
	at  int // us at which it is forced; 0 never
}

// String returns the mode as the value of --freezing: on, off, or at=US.
func (m freezingMode) String() string {
	switch {
	case m.off:
		return string(off)
	case m.at > 0:
		return fmt.Sprintf("at=%d", m.at)
	}
	return string(on)
}

// freezings reads a list of freezing modes.
func freezings(text string) ([]freezingMode, error) {
	var list []freezingMode
	for word := range strings.SplitSeq(text, ",") {
		time, forced := strings.CutPrefix(word, "at=")
		switch {
		case word == string(on):
			list = append(list, freezingMode{})
		case word == string(off):
			list = append(list, freezingMode{off: true})
		case forced:
			at, err := strconv.Atoi(time)
			if err != nil || at < 1 || at > 1_000_000 {
				return nil, fmt.Errorf("%q must be at=US with US in [1, 1000000]", word)
			}
			list = append(list, freezingMode{at: at})
		default:
			return nil, fmt.Errorf("%q must be on, off or at=US", word)
		}
	}
	return list, nil
}

// exits reads a list of ways out of freezing mode.
func exits(text string) ([]reps.Exit, error) {
	ways := []reps.Exit{reps.ExitOnTimeout, reps.ExitOnProbe}
	found, err := values.Names(text, []string{ways[0].String(), ways[1].String()})
	list := make([]reps.Exit, len(found))
	for i, name := range found {
		if name == ways[1].String() {
			list[i] = reps.ExitOnProbe
		}
	}
	return list, err
}

// recycling returns the configuration of the point's reps.
func (p *fattreePoint) recycling() balance.RecyclingConfig {
	c := balance.RecyclingConfig{
		Rules: p.rules, FreezeAt: fattree.Picoseconds(p.freezing.at) * 1_000_000,
		REPS: reps.Config{
			EVSSize: p.evs, FreezingTimeout: uint32(p.freeze) * 1000, DisableFreezing: p.freezing.off, Exit: p.exit, BufferSize: p.ring,
		},
	}
	if p.variant == ackReuse {
		c.REPS.ReuseCount = p.ackRatio
	}
	return c
}

// refused returns the usage error of a point that a library refuses.
func (p *fattreePoint) refused(err error) error { return asFlags(err, p.flags) }

// flags maps fields and arguments of the libraries to flags.
func (p *fattreePoint) flags() map[string]string {
	flows := "duration-us"
	switch {
	case p.flows != nil:
		flows = "flows"
	case p.message > 0:
		flows = "message-bytes"
	}
	return map[string]string{
		// fattree.Topology
		"Hosts": "hosts", "hosts": "hosts", "Tiers": "tiers", "UplinksPerToR": "oversubscription",
		"Access.Gbps": "link-gbps", "Fabric.Gbps": "link-gbps", "Core.Gbps": "link-gbps",
		"Access.LatencyNs": "latency-ns", "Fabric.LatencyNs": "latency-ns", "Core.LatencyNs": "latency-ns",
		// fattree.Workload and package traffic
		"Flows": flows, "BackgroundEvery": "background-every",
		"degree": "degree", "members": "degree", "parallel": "degree", "Bytes": "message-bytes",
		"Load": "load", "Duration": "duration-us", "Sizes": "sizes", "Gbps": "link-gbps",
		// fattree.Spec and Place
		"MTU": "mtu", "Queue": "queue", "KMin": "kmin", "KMax": "kmax", "InitialWindow": "window", "RTO": "rto-us",
		"AckRatio": "ack-ratio", "CarryEVs": "ack-variant", "DisableTrimming": "trimming", "InheritConnections": "inherit",
		"Faults": "failure", "Errors": "failure", "failures": "failure",
		// package balance and reps.Config
		"evs": "evs", "Rules": "reps", "FreezeAt": "freezing",
		"EVSSize": "evs", "FreezingTimeout": "freeze-us", "DisableFreezing": "freezing", "Exit": "freeze-exit", "BufferSize": "ring", "ReuseCount": "ack-ratio",
	}
}
