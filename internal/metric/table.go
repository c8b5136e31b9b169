package metric

// endings returns the endings of keys with what they say of the key before them.
func endings() []Ending {
	return []Ending{
		{"_mean", "mean over replicas"},
		{"_se", "standard error of the mean over replicas; null for one replica and for exact results"},
		{"_lo", "lower end of the 95 % interval; of runs that did not finish a lower bound"},
		{"_hi", "upper end of the 95 % interval"},
		{"_p025", "2.5 % quantile over replicas"},
		{"_p05", "5 % quantile over replicas"},
		{"_p50", "median over replicas"},
		{"_p95", "95 % quantile over replicas"},
		{"_p975", "97.5 % quantile over replicas"},
		{"_max", "largest of all replicas"},
		{"_per_lnn", "the mean divided by ln n"},
		{"_per_n", "the mean divided by n"},
		{"_per_nlnn", "the mean divided by n ln n"},
	}
}

// shared returns the metrics of all models.
func shared() []Metric {
	return []Metric{
		{"seed", "", "seed of all random streams (`--seed`)", "", "given", "", "mc.NewStream"},
		{"replicas", "runs", "independent runs behind the row; 0 for exact results", "", "count", "", "mc.Plan.Replicas"},
		{"wall_s", "s", "time of the computation, repeated in all its rows (`--timing`)", "", "measured", "", "sweep.Point.Experiment"},
		{"ns_per_ball ns_per_packet_hop", "ns", "time per unit of work (`--timing`)", "wall time / work", "measured", "", "sweep.Results.Work"},
		{"exceeds_probability exceeds_se exceeds_lo exceeds_hi", "", "stationary probability that a given bin holds more than K balls (`--exceeds K`), by multilevel splitting; with its standard error and 95 % interval", "P[x > K]", "estimate", "[Villen91]", "mc.Splitting"},
	}
}

// ballsBins returns the metrics of repslab ballsbins.
func ballsBins() []Metric {
	return []Metric{
		{"round", "rounds", "observed round, from 1; loads are those at its end", "t", "given", "", "ballsbins.Observation.Round"},
		{"max_load", "balls", "largest load", "max_i x_i(t)", "estimate", "[Bonato26] sec. 5.1; [Berenbrink18]", "ballsbins.Observation.MaxLoad"},
		{"total_load", "balls", "number of balls in all bins", "sum_i x_i(t)", "estimate", "[Berenbrink18]", "ballsbins.Observation.TotalLoad"},
		{"mean_field_max_load", "balls", "expected maximum of n independent bins with the distribution of one bin; a lower bound for the process", "E max of n copies of x_1(t)", "exact, a lower bound", "[JoagDev83]", "ballsbins.MeanFieldMaxLoad"},
		{"exceeds_exact", "", "the probability estimated by `exceeds_probability`", "P[x > K]", "exact", "[Ramaswami88]", "ballsbins.ExceedsExact"},
	}
}

// recycled returns the metrics of repslab recycled.
func recycled() []Metric {
	return []Metric{
		{"threshold_expression", "", "`--threshold` as given", "", "given", "", "values.Expr"},
		{"converged", "runs", "number of runs that converged (self-clocked: no bin empty, none above τ; round-robin: every colour remembers, b each bin) or, for repeated balls into bins, stabilised (no bin above `level`); null where no state is absorbing: per-flow, λ < 1, open runs with threshold 0", "", "count", "[Bonato26] sec. 5.1; [Becchetti19]", "recycled.Result.Converged"},
		{"certified", "runs", "number of runs that never converge, since the bins hold more than n τ balls", "M > n τ", "count", "", "recycled.Result.Certified"},
		{"converged_limit", "", "conjectured limit law of the share of runs that converge (self-clocked from empty bins, λ = 1; otherwise null)", "F_α(R) of [the sharp threshold](threshold.md)", "asymptotic, a conjecture", "", "recycled.Limit.Share"},
		{"converged_next_order", "", "the same with the terms that vanish most slowly as n grows", "", "asymptotic, a conjecture", "", "recycled.Limit.NextOrder"},
		{"rounds", "rounds", "first converged round, over converged runs; under round-robin the end of the cycle that proves it, b rounds after loads became periodic", "T", "estimate", "[Bonato26] theorem 1; bound: `recycled.RoundsBound`", "recycled.Result.Rounds"},
		{"max_load_at_decision", "balls", "largest load, including the start, until the run converged, was certified or reached `max_rounds`; a certified run ends when its loads have just begun to grow, so this says little about later loads", "max over t and i of x_i(t)", "estimate", "", "recycled.Result.MaxLoadAtDecision"},
		{"random_throw_fraction", "", "share of throws into random bins (with EVs: not recycled) until the decision, or in the second half of `max_rounds` if runs are not decided", "random throws / throws", "estimate", "", "recycled.Result.RandomFraction"},
		{"max_load", "balls", "largest load over the first `horizon` rounds (without a horizon, `max_rounds`); null if a run ended earlier, certified or stabilised", "max over t and i of x_i(t)", "estimate", "", "recycled.Result.MaxLoad"},
		{"duplicate_color_fraction", "", "share of runs in which a colour had two balls in the bins in these rounds (round-robin); null as `max_load`", "", "estimate", "", "recycled.Result.ColorRepeated"},
		{"empty_share", "", "share of empty bins in the second half of these rounds (self-clocked)", "empty bins / n", "estimate", "[Becchetti19]", "recycled.Result.EmptyShare"},
		{"mean_field_empty_share", "", "its limit for repeated balls into bins and n to infinity, a balls per bin", "sqrt(1 + a^2) - a", "asymptotic", "[Cancrini19]", "recycled.ClosedEmptyShare"},
		{"round_max_load", "balls", "largest load of a round, averaged over the second half (self-clocked)", "mean over t of max_i x_i(t)", "estimate", "", "recycled.Result.RoundMaxLoad"},
		{"late_max_load", "balls", "largest load in the second half (self-clocked)", "", "estimate", "", "recycled.Result.LateMaxLoad"},
	}
}

// coalescing returns the metrics of repslab coalescing.
func coalescing() []Metric {
	return []Metric{
		{"max_load", "balls", "largest load after the last round", "max_i x_i(t)", "estimate", "[Bonato26] sec. 4.5", "coalescing.Observation.MaxLoad"},
		{"peak_load", "balls", "largest load in all rounds", "max over t and i of x_i(t)", "estimate", "", "coalescing.Observation.Peak"},
		{"over_threshold_fraction", "", "share of pairs of a bin and a round with more than τ balls", "", "estimate", "", "coalescing.Observation.OverThreshold"},
		{"ops_max_load", "balls", "largest load under OPS after the same rounds", "max_i x_i(t)", "estimate", "[Bonato26] sec. 5.1", "ballsbins.Observation.MaxLoad"},
	}
}

// entropyValues returns the metrics of repslab evs.
func entropyValues() []Metric {
	return []Metric{
		{"imbalance", "", "EVs on the busiest uplink over the average, minus 1; quantiles are over hash seeds", "max_j c_j / (m/n) - 1", "exact under `--method exact`, else estimate", "[Bonato26] sec. 4.7; [Levin81]", "evsimbalance.Result.Mean"},
	}
}

// allocate returns the metrics of repslab allocate.
func allocate() []Metric {
	return []Metric{
		{"observed_balls", "balls", "number of balls thrown so far", "m", "given", "", "allocation.Observation.Balls"},
		{"gap", "weight", "largest load minus the average", "max_i x_i - W/S, x_i balls over speed, S the sum of speeds", "estimate", "[Los22c]", "allocation.Observation.Gap"},
		{"max_gap", "weight", "largest gap so far at the end of a batch (of n balls without batches, or of the run)", "", "estimate", "", "allocation.Observation.MaxGap"},
		{"under", "weight", "average minus the smallest load", "W/S - min_i x_i", "estimate", "", "allocation.Observation.Under"},
		{"max_load", "weight", "largest load", "max_i x_i", "estimate", "", "allocation.Observation.MaxLoad"},
		{"gap_law", "", "distribution of the gap over replicas, value:share (`--histogram on`)", "", "estimate", "", "allocation.Observation.GapLaw"},
		{"load_histogram", "", "distribution of loads less floor(W/S), value:share (`--histogram on`)", "", "estimate", "", "allocation.Observation.Levels"},
	}
}

// fattree returns the metrics of repslab fattree.
func fattree() []Metric {
	return []Metric{
		{"tors", "switches", "number of top-of-rack switches", "hosts / hosts per ToR", "given", "", "topology.FatTree.ToRs"},
		{"failed_cables flapping_cables", "cables", "number of links that fail for good, or for a time (`for=`, `flap=`), in the whole network with all planes: between switches, four for each transceiver, and of network cards (`ports=`)", "sum over the terms of `--failure`", "given", "", "topology.Failure.Number"},
		{"slow_cables", "cables", "number of links between switches at a fraction of their rate, in the whole network, all planes together", "sum over the terms of `--failure`", "given", "", "topology.Failure.Number"},
		{"failed_switches flapping_switches", "switches", "number of switches that fail for good, or for a time (`for=`, `flap=`), in the whole network, all planes together", "sum over the terms of `--failure`", "given", "", "topology.Failure.Number"},
		{"horizon_us", "µs", "end of the run, finished or not", "", "given", "", "fattree.Spec.Horizon"},
		{"rtt_us", "µs", "longest round trip of a full packet and its ACK without queues; with the rounding to slots if this adds more than 1 %", "", "exact", "", "fattree.Spec.LongestRTT"},
		{"flow_list", "", "the file of `--flows`", "", "given", "", "traffic.ReadFlows"},
		{"schedule", "", "the file of `--schedule`", "", "given", "", "schedule.Read"},
		{"calc_path_us", "µs", "time that a step of the schedule takes if messages take none", "critical path of its calcs", "exact", "", "schedule.Ideal"},
		{"placement", "", "the hosts of ranks: linear, random, or a file", "", "given", "", "schedule.Job"},
		{"steps", "", "times that the schedule is played in a run", "", "given", "", "schedule.Job"},
		{"max_fct_us", "µs", "completion time of the slowest flow, from its start until its sender has the last ACK", "max over flows, background apart", "estimate", "[Bonato26] sec. 4", "experiment.Statistics.MaxFCT"},
		{"mean_fct_us", "µs", "completion time, mean over flows", "", "estimate", "", "experiment.Statistics.MeanFCT"},
		{"p99_fct_us p999_fct_us", "µs", "completion time, 99 % or 99.9 % quantile over flows", "nearest rank", "estimate", "", "experiment.Statistics.P99FCT"},
		{"slowdown_p99", "", "completion time relative to that of the flow alone in the network, 99 % quantile over flows", "", "estimate", "", "experiment.Statistics.SlowdownP99"},
		{"end_us", "µs", "time from the start of the run to the end of the last flow", "", "estimate", "", "experiment.Statistics.End"},
		{"flows", "flows", "number of flows of the workload, including background flows", "", "estimate", "", "experiment.Statistics.Flows"},
		{"finished", "flows", "number of flows that ended within the run", "", "estimate", "", "experiment.Statistics.Finished"},
		{"finished_runs", "", "share of the runs in which every flow ended", "", "estimate", "", "experiment.Summary.Unfinished"},
		{"sent", "packets", "number of packets sent by hosts, including retransmissions", "", "estimate", "", "experiment.Statistics.Sent"},
		{"retransmitted", "packets", "number of retransmitted packets", "", "estimate", "", "experiment.Statistics.Retransmitted"},
		{"dropped", "packets", "number of packets lost at full queues", "", "estimate", "", "experiment.Statistics.Dropped"},
		{"trimmed", "packets", "number of packets trimmed to their header at full queues", "", "estimate", "", "experiment.Statistics.Trimmed"},
		{"lost", "packets", "number of packets sent into failed links", "", "estimate", "", "experiment.Statistics.Lost"},
		{"corrupted", "packets", "number of packets discarded by receivers for bit errors", "", "estimate", "", "experiment.Statistics.Corrupted"},
		{"ecn_marked_fraction", "", "ECN marks per packet-hop", "marks / packet-hops", "estimate", "", "experiment.Statistics.Marked"},
		{"recycled_fraction", "", "share of packets sent with an EV used before", "recycled / sent", "estimate", "", "experiment.Statistics.Recycled"},
		{"reorder_depth_p99", "packets", "distance of an arriving packet behind the highest one that has arrived, 99 % quantile over packets", "", "estimate", "", "experiment.Statistics.ReorderP99"},
		{"reroute_us", "µs", "longest time from a link's failure to the last packet that any sender sends into it before its repair, also after a pause, as when freezing mode ends; 0 if there was none", "", "estimate", "", "experiment.Statistics.Reroute"},
		{"max_queue_packets", "packets", "longest queue of any switch port", "", "estimate", "", "experiment.Statistics.MaxQueue"},
		{"packet_hops", "packet-hops", "number of data packets dequeued at switch ports", "", "estimate", "", "experiment.Statistics.PacketHops"},
		{"offered_load", "", "bytes of flows of drawn sizes, as a fraction of what the links of all hosts carry while these start", "bytes / (hosts × rate × duration)", "estimate", "", "experiment.Statistics.Bytes"},
		{"background_max_fct_us background_mean_fct_us", "µs", "completion times of background traffic: slowest flow, mean", "", "estimate", "", "experiment.Statistics.BackgroundMaxFCT"},
		{"step_us", "µs", "time of a step of the schedule, from its beginning to the end of its last operation; mean over steps", "", "estimate", "", "schedule.StepResult"},
		{"step_p99_us", "µs", "time of a step, 99 % quantile over steps and replicas", "nearest rank", "estimate, with a distribution-free interval that takes steps as independent", "", "experiment.Summary.StepP99"},
		{"network_wait", "", "share of the step in which a rank computes nothing and a message to it, whose receive has started, is under way; mean over ranks", "", "estimate", "", "schedule.StepResult.Waiting"},
		{"late_rank", "", "rank whose calcs take most of the critical path, in most steps", "", "estimate", "", "experiment.Summary.LateRank"},
		{"late_source late_destination", "", "ranks whose messages take most of the critical path, in most steps", "", "estimate", "", "experiment.Summary.LateLink"},
	}
}

// flowFile returns the metrics of the files of --flows-out.
func flowFile() []Metric {
	return []Metric{
		{"replica", "", "number of the run, from 0", "", "given", "", "experiment.Runner.Run"},
		{"flow", "", "number of the flow in its run, from 0", "", "given", "", "fattree.Workload.Flows"},
		{"source destination", "", "the hosts that send and receive the flow, from 0", "", "given", "", "fattree.Network.Pair"},
		{"bytes", "bytes", "size of the flow's message", "", "given", "", "fattree.Flow.Bytes"},
		{"start_us", "µs", "time at which the flow starts, from the start of the run", "", "measured", "", "fattree.FlowResult.Start"},
		{"fct_us", "µs", "completion time of the flow, from its start until its sender has the last ACK; null if it did not finish", "end - start", "measured", "", "fattree.FlowResult.FCT"},
		{"fct_cdf", "", "share of the flows of the run that took no longer", "rank of the completion time / flows", "measured", "", "fattree.Result.FCTs"},
		{"slowdown", "", "completion time relative to that of the flow alone in the network without failures", "", "measured", "", "fattree.Network.Unloaded"},
		{"ideal_us", "µs", "completion time if flows were fluids that share the links by max-min fairness, without failures", "", "exact", "", "fluid.Ideal"},
		{"slowdown_ideal", "", "completion time relative to `ideal_us`; below 1 for a flow that gets more than its fair share", "", "measured", "", "fluid.Result.Slowdown"},
	}
}

// traceFile returns the metrics of the files of --trace.
func traceFile() []Metric {
	return []Metric{
		{"time_us", "µs", "end of the time, of 2 us, that the row is about", "", "given", "", "fattree.Sample.Time"},
		{"quantity", "", "what `value` is: one of the keys below", "", "given", "", "fattree.Sample"},
		{"number", "", "number of the uplink or flow; null for the whole network", "", "given", "", "fattree.TraceConfig"},
		{"value", "", "the quantity's value", "", "measured", "", "fattree.Sample"},
		{"uplink_gbps", "Gb/s", "rate of an uplink of ToR 0 in this time", "packets x MTU / time", "measured", "", "fattree.Sample.Packets"},
		{"uplink_queue_packets", "packets", "queue of an uplink of ToR 0 at the end", "", "measured", "", "fattree.Sample.Queue"},
		{"cwnd_packets", "packets", "window of one of the first flows", "", "measured", "", "fattree.Sample.Window"},
		{"frozen_flows", "flows", "number of flows in freezing mode", "", "measured", "", "fattree.Sample.Frozen"},
		{"recycled", "packets", "number of packets sent with an EV used before, in this time", "", "measured", "", "fattree.Sample.Recycled"},
		{"marked", "", "number of ECN marks in this time", "", "measured", "", "fattree.Sample.Marked"},
	}
}
