package cases

import (
	"fmt"
	"testing"

	"repslab/fattree/balance"
)

// TestCarriedEVs: a load balancer's results change with carried EVs if, and only if,
// they are said to be news for it.
func TestCarriedEVs(t *testing.T) {
	for _, b := range balance.All() {
		var results []string
		heard := false
		for _, carry := range []bool{false, true} {
			variant := AckStandard
			if carry {
				variant = AckCarry
			}
			p := new(Fattree)
			FattreeSpace(p)
			p.Size.Hosts, p.workload, p.Message, p.Spec.Queue = 32, "tornado", 4<<20, 40
			p.KMin, p.KMax, p.Options.AckRatio, p.Recycling.REPS.EVSSize = new(5), new(15), 4, 64
			p.Variant, p.Lb = variant, b.Name
			if err := p.Complete(); err != nil {
				t.Fatal(err)
			}
			heard = p.main.Traits().UsesCarried
			runner, err := p.Setup().NewRunner()
			if err != nil {
				t.Fatal(err)
			}
			r, err := runner.Run(t.Context(), 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, fmt.Sprintf("%+v", r.Result))
		}
		if changes := results[0] != results[1]; changes != heard {
			t.Errorf("%s: its results change with carried EVs: %v", b.Name, changes)
		}
	}
}
