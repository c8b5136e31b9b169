package model

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
			s := FattreeSpace(p)
			s.reset()
			for _, q := range s.parameters {
				text, given := map[string]string{
					"hosts": "32", "workload": "tornado", "message-bytes": "4MiB", "queue": "40", "kmin": "5", "kmax": "15", "ack-ratio": "4",
					"evs": "64", "ack-variant": variant, "lb": b.Name,
				}[q.Flag]
				if !given {
					text = q.Preset
				}
				if text == "" {
					continue
				}
				values, err := q.read(nil, text)
				if err == nil {
					err = values.apply(0)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := s.complete(); err != nil {
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
