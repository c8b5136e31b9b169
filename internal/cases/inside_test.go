package cases

import (
	"slices"
	"testing"

	"repslab/internal/frame"
	"repslab/mc"
)

// TestInsideOfEveryBalancer: a count of --inside is null where the balancer cannot have it, and a number where it
// can, also if the number is 0.
func TestInsideOfEveryBalancer(t *testing.T) {
	keepers := []string{"reps-legacy", "reps", "reps-exclude", "reps-planes", "reps freezing=off", "reps reps=fifo", "reps reps=artifact", "reps background-every=2"}
	freezers := []string{"reps", "reps-planes", "reps reps=artifact", "reps background-every=2"}
	quiet := []string{"reps-planes"} // has a ring in each plane, so it does not tell one origin
	for _, lb := range append(names("lb"), keepers[4:]...) {
		cc := ""
		if lb == lbSubflows {
			cc = " cc=dctcp"
		}
		p := pointsOf(t, "hosts=4 workload=tornado message-bytes=20000 inside=on lb="+lb+cc)[0]
		s := p.Setup()
		s.Inside = true
		tally, _, err := s.NewExperiment().Run(t.Context(), mc.Plan{Seed: 1, Replicas: 2})
		if err != nil {
			t.Fatal(err)
		}
		row := map[string]any{}
		for _, c := range fattreeRow(tally.Summary(), nil, noEstimate()).Written() {
			if row[c.Key], err = frame.Check(c.Value); err != nil {
				t.Fatal(err)
			}
		}
		tells, keeps, freezes := !slices.Contains(quiet, lb), slices.Contains(keepers, lb), slices.Contains(freezers, lb)
		for key, has := range map[string]bool{
			"valid_share": keeps && tells, "stale_share": freezes && tells, "explore_share": freezes && tells,
			"freezes": freezes, "frozen_share": freezes,
			"distinct_evs_mean": true, "flight_evs_mean": true, "top_ev_share": true, "timeouts": true, "marked_acks": true,
		} {
			if has != (row[key] != nil) {
				t.Errorf("--lb %s: %s is %v, want a number: %v", lb, key, row[key], has)
			}
		}
		if !freezes && (row["frozen_share_lo"] != nil || row["frozen_share_hi"] != nil) {
			t.Errorf("--lb %s has an interval of frozen_share", lb)
		}
	}
}
