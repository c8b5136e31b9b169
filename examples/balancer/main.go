// Balancer compares a load balancer that it defines itself, the rule in rule.go, with OPS, REPS and round robin.
//
// The rule here, Scoreboard, remembers 32 EVs for each flow and a score for each: a moving average of
// the congestion marks that the EV met. A packet gets the better of two remembered EVs,
// drawn at random; an EV with a bad score is replaced by a random one. REPS needs no
// scores: an EV that met congestion does not come back.
//
// The first table has the time until the slowest flow is done in the paper's cells: 32 hosts send 2 MiB in a
// permutation, a tornado or an incast; links are healthy, one cable has failed, or one uplink of each ToR has
// half its rate. In a replica all balancers meet the same flows, failures and hash salts, so the ratios to REPS are
// paired. The second table has the largest queue of a permutation without congestion control as the message grows,
// and the exponent of its growth. All intervals are 95 %. With the name of an SVG or PNG file it also draws the
// first table as bars.
//
//	$ go run ./balancer
//	slowest flow             reps, us  Scoreboard / reps     ops / reps            round-robin / reps
//	permutation                  54.7  1.11 [1.10, 1.12]     1.06 [1.05, 1.07]     1.19 [1.16, 1.22]
//	permutation, failed          90.0  1.98 [1.79, 2.20]     13.12 [10.70, 16.08]  > 782
//	permutation, slow            64.5  1.04 [1.03, 1.05]     1.14 [1.12, 1.15]     1.38 [1.32, 1.45]
//	tornado                      53.9  1.11 [1.10, 1.12]     1.07 [1.06, 1.09]     0.98 [0.97, 0.98]
//	tornado, failed              91.2  2.50 [2.15, 2.91]     12.39 [10.62, 14.46]  > 880
//	tornado, slow                63.8  1.04 [1.03, 1.05]     1.15 [1.14, 1.17]     1.51 [1.46, 1.57]
//	incast of 8                 369.9  1.00 [0.99, 1.02]     1.01 [0.99, 1.03]     1.00 [0.98, 1.02]
//
//	largest queue, packets    reps                  Scoreboard            ops                   round-robin
//	messages of 16   packets   11.8 [11.1, 12.4]     14.8 [13.7, 16.0]     11.8 [11.1, 12.4]     11.1 [10.4, 11.9]
//	messages of 32   packets   16.6 [15.6, 17.7]     22.3 [20.1, 24.9]     16.6 [15.6, 17.7]     15.5 [14.5, 16.6]
//	messages of 64   packets   25.1 [23.8, 26.5]     37.0 [34.1, 40.3]     25.1 [23.8, 26.5]     21.9 [20.3, 23.6]
//	messages of 128  packets   36.0 [34.3, 37.8]     69.3 [63.8, 75.7]     37.7 [35.6, 39.9]     41.5 [38.5, 44.8]
//	messages of 256  packets   45.4 [43.5, 47.3]     105.7 [100.5, 111.2]  57.8 [54.5, 61.5]     113.8 [103.3, 126.0]
//	messages of 512  packets   45.8 [44.1, 47.5]     128.1 [122.2, 134.4]  96.5 [89.5, 104.3]    313.7 [279.6, 354.4]
//	messages of 1024 packets   45.8 [44.2, 47.5]     203.8 [195.3, 213.0]  176.4 [162.6, 192.1]  629.5 [585.0, 679.6]
//	exponent of growth        0.35 [0.20, 0.49]     0.64 [0.55, 0.73]     0.64 [0.58, 0.71]     1.02 [0.79, 1.25]
//	p-value of a power law    4.9e-100              6.9e-18               4.5e-08               1.5e-90
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"

	"repslab/fattree/balance"
	"repslab/fattree/experiment"
	"repslab/fattree/transport"
	"repslab/mc"
)

const (
	evs      = 256 // entropy values
	replicas = 20
)

// contender is a load balancer by name.
type contender struct {
	name string
	open func() (transport.Balancer, error)
}

// builtIn returns a balancer of --lb.
func builtIn(name string) contender {
	return contender{name, func() (transport.Balancer, error) { return balance.New(name, evs) }}
}

// contenders are the compared balancers; ratios are to the first.
var contenders = []contender{builtIn("reps"), own, builtIn("ops"), builtIn("round-robin")}

// compare returns the comparison of the contenders in a cell.
func compare(c cell) (*experiment.Comparison, error) {
	var setups []experiment.Setup
	for _, contender := range contenders {
		setups = append(setups, c.setup(contender.open))
	}
	comparison, _, err := experiment.Compare(setups...).Run(context.Background(), mc.Plan{Seed: 1, Replicas: replicas})
	return comparison, err
}

// compareAll prints the first table, and draws it unless chart is empty.
func compareAll(chart string) error {
	fmt.Printf("%-24s %-8s", "slowest flow", "reps, us")
	for _, c := range contenders[1:] {
		fmt.Printf("  %-20s", c.name+" / reps")
	}
	fmt.Println()
	ratios := make([][]mc.Estimate, len(contenders))
	for _, cell := range cells {
		comparison, err := compare(cell)
		if err != nil {
			return err
		}
		fmt.Printf("%-24s %8.1f", cell.name, comparison.Summary(0).Of("max_fct_us").Value)
		for i := range contenders {
			ratios[i] = append(ratios[i], comparison.Ratio(i))
			if i > 0 {
				fmt.Printf("  %-20s", ratioText(comparison.Ratio(i)))
			}
		}
		fmt.Println()
	}
	if chart == "" {
		return nil
	}
	return draw(chart, ratios)
}

// ratioText returns a ratio with its interval, or a bound if a flow did not finish.
func ratioText(e mc.Estimate) string {
	if math.IsNaN(e.Value) {
		return fmt.Sprintf("> %.0f", e.Lo)
	}
	return fmt.Sprintf("%.2f", e)
}

func main() {
	log.SetFlags(0)
	chart := ""
	if len(os.Args) > 1 {
		chart = os.Args[1]
	}
	if err := compareAll(chart); err != nil {
		log.Fatal(err)
	}
	if err := grow(); err != nil {
		log.Fatal(err)
	}
}
