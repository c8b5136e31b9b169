package figures

import (
	"strings"
	"testing"

	"repslab/internal/claims"
)

// TestEarlyExits: of 1,000,000 packets 2,000 more are lost, which is 0.2 %; the claim fails at 20,000, or if flows take
// a fifth longer.
func TestEarlyExits(t *testing.T) {
	for _, c := range []struct {
		extra int64
		us    float64
		grade claims.Grade
		words string
	}{{2_000, 103, claims.Reproduced, "0.200 ["}, {20_000, 103, claims.InPart, "2.000 ["}, {2_000, 120, claims.InPart, "1.20 ["}} {
		all := newFig22()
		for _, p := range all.points {
			p.runs = timed(map[string]float64{"reps-100us": c.us, "reps": 100})
		}
		leaving, staying := all.at(fig22Permutation, 0, "reps-100us"), all.at(fig22Permutation, 0, "reps")
		for i := range leaving {
			leaving[i].Lost, staying[i].Lost = 400+c.extra+int64(i), 400
			staying[i].Sent = 1_000_000
		}
		if f := fig22Early(&all); f.Grade != c.grade || !strings.Contains(f.Measured, c.words) {
			t.Errorf("%d packets more, %v us: %s, %s", c.extra, c.us, f.Grade, f.Measured)
		}
	}
}

// TestSpikes: the last uplink fails 900 us before the end, in which it could send 10,843 packets of 4,150 bytes: 271 of
// them are 2.5 % of its rate, 1,084 are 10 %. As many in freezing mode are no spikes.
func TestSpikes(t *testing.T) {
	for _, c := range []struct {
		packets, staying float64
		grade            claims.Grade
		words            string
	}{{271, 100, claims.Reproduced, "2.50 ["}, {1084, 100, claims.InPart, "10.00 ["}, {271, 271, claims.Undecided, "2.50 ["}} {
		seen := newFig22Uplinks()
		runs := timed(map[string]float64{"reps-100us": 100, "reps": 100})
		for key, list := range runs {
			packets := map[string]float64{"reps-100us": c.packets, "reps": c.staying}[key]
			for i := range list {
				list[i].Numbers = map[string]float64{}
				for _, o := range fig22Outages() {
					list[i].Numbers[o.swallowed()] = packets + float64(i)/10
				}
			}
		}
		seen.points[0].runs = runs
		if f := fig22Spikes(seen); f.Grade != c.grade || !strings.Contains(f.Measured, c.words) {
			t.Errorf("%v and %v packets: %s, %s", c.packets, c.staying, f.Grade, f.Measured)
		}
	}
}
