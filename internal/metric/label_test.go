package metric

import (
	"testing"
)

// TestAxisLabels: labels come from keys, with units.
func TestAxisLabels(t *testing.T) {
	for key, want := range map[string]string{
		"max_fct_us": "Maximum FCT (µs)", "rounds_mean": "Rounds", "p999_fct_us": "p99.9 FCT (µs)", "slowdown_p99": "p99 slowdown",
		"imbalance_p025": "p2.5 imbalance", "imbalance_p05": "p5 imbalance", "max_fct_us_se": "Standard error of maximum FCT (µs)",
		"evs": "EVs", "lb": "Load balancer", "message_bytes": "Message size (bytes)", "link_gbps": "Link rate (Gb/s)", "lambda": "λ",
		"rounds_per_nlnn": "Rounds per n ln n", "mean_fct_us": "Mean FCT (µs)", "hosts_per_tor": "Hosts per ToR", "bytes": "Bytes",
		"max_queue_packets": "Maximum queue (packets)", "ecn_marked_fraction": "ECN marked fraction", "p50": "P50", "exceeds_probability": "P(load > L)", "": "", "_us": " (µs)",
	} {
		if got := AxisLabel("", key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}

	for _, c := range []struct{ model, key, want string }{
		{"leafspine", "max_queue_mean", "Maximum queue (packets)"}, {"", "max_queue_mean", "Maximum queue (packets)"},
		{"leafspine", "observed_packets", "Packets of each host"}, {"leafspine", "exponent", "Exponent"},
		{"ballsbins", "max_load_mean", "Maximum load (balls)"}, {"allocate", "max_load_mean", "Maximum load (weight)"}, {"", "max_load_mean", "Maximum load"},
		{"recycled", "rounds_mean", "Rounds"}, {"recycled", "rounds_per_lnn", "Rounds per ln n"}, {"fattree", "lost", "Lost (packets)"},
		{"fattree", "lost_spread", "Lost spread"}, {"evs", "max_queue_mean", "Maximum queue"},
	} {
		if got := AxisLabel(c.model, c.key); c.want != "" && got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.key, c.model, got, c.want)
		}
	}
}
