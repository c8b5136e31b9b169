package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestIntervalsOfAllModels: the estimates of all models reach a long table with their intervals, which contain the
// values and lie where the quantities can lie. Each line names estimates whose runs differ, which must have one.
func TestIntervalsOfAllModels(t *testing.T) {
	for line, must := range map[string]string{
		"recycled --bins 16 --clocking per-flow --max-rounds 300":                                     "max_load_mean max_load_per_lnn max_load_at_decision_mean random_throw_fraction",
		"recycled --bins 16 --clocking per-flow --evs 16 --threshold 3 --delay 2 --max-rounds 300":    "max_load_mean random_throw_fraction",
		"recycled --bins 16 --threshold 4":                                                            "rounds_mean rounds_p50 rounds_per_nlnn rounds_per_n max_load_at_decision_per_lnn random_throw_fraction",
		"recycled --bins 16 --threshold 3 --clocking round-robin --horizon 200":                       "max_load_mean duplicate_color_fraction",
		"recycled --bins 16 --threshold 0 --closed on --start random --horizon 100":                   "empty_share_mean round_max_load_mean late_max_load_mean",
		"ballsbins --bins 16 --rounds 40":                                                             "max_load_mean max_load_p95 total_load_mean",
		"coalescing --bins 16 --ack-ratio 4 --threshold 3 --rounds 60":                                "max_load_mean max_load_p95 peak_load_mean over_threshold_fraction ops_max_load_mean",
		"evs --flows 8 --evs 32 --uplinks 4 --method hash":                                            "imbalance_mean imbalance_p05 imbalance_p50 imbalance_p95",
		"allocate --bins 16 --balls 64":                                                               "gap_mean gap_p95 max_gap_mean under_mean max_load_mean",
		"leafspine --ports 8 --packets 64":                                                            "max_queue_mean max_queue_p95 uplink_queue_mean",
		"fattree --hosts 16 --workload permutation --message-bytes 256KiB --kmin 5 --inside on":       "max_fct_us p99_fct_us valid_share ring_valid_mean distinct_evs_mean recycled_fraction ecn_marked_fraction packet_hops marked_acks finished_share",
		"fattree --hosts 16 --workload websearch --load 0.5 --duration-us 50 --failure degrade=1:0.5": "flows sent offered_load",
	} {
		replicas := " --replicas 400"
		if strings.HasPrefix(line, "fattree") {
			replicas = " --replicas 5"
		}
		path := filepath.Join(t.TempDir(), "r.jsonl")
		mustSweep(t, path, strings.Fields("sweep "+line+replicas+" -o "+path)...)
		o := repslab(t, "export", path, "--long", "--format", "json")
		list, _ := rowsOf(t, o.stdout)
		seen := 0
		for _, row := range list {
			quantity := row["quantity"].(string)
			value, isNumber := row["value"].(float64)
			lo, hasLo := row["lo"].(float64)
			hi, hasHi := row["hi"].(float64)
			if slices.Contains(strings.Fields(must), quantity) {
				seen++
				if !hasLo || !hasHi {
					t.Errorf("%s: %s has no interval: %v", line, quantity, row)
				}
			}
			quantile := regexp.MustCompile(`_p\d+$`).MatchString(quantity) // its interval may be a single value of a discrete law
			if isNumber && hasLo && hasHi && !(lo <= value && value <= hi && (lo < hi || quantile)) {
				t.Errorf("%s: %s is %v in [%v, %v]", line, quantity, value, lo, hi)
			}
			share := strings.HasSuffix(quantity, "_share") || strings.HasSuffix(quantity, "_fraction") || strings.HasSuffix(quantity, "_share_mean")
			if hasLo && lo < 0 || share && hasHi && hi > 1 {
				t.Errorf("%s: %s cannot lie in [%v, %v]", line, quantity, lo, hi)
			}
		}
		if seen != len(strings.Fields(must)) {
			t.Errorf("%s: %d of the estimates %s are in the table", line, seen, must)
		}
	}
}
