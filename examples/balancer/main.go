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
// paired. The next tables have the largest queue of a permutation without congestion control as the message grows,
// in trees of 2 and 3 tiers, and the exponent of its growth. The last table has the theory: a leaf-spine network
// without latency and feedback. All intervals are 95 %. With the name of an SVG or PNG file it also draws the first
// table as bars.
//
//	$ go run ./balancer
//	slowest flow             reps, us  Scoreboard / reps     ops / reps            round-robin / reps
//	permutation                  54.3  1.11 [1.10, 1.12]     1.02 [1.02, 1.03]     1.20 [1.17, 1.23]
//	permutation, failed          89.8  2.45 [2.19, 2.74]     8.20 [7.23, 9.30]     > 784
//	permutation, slow            64.5  1.04 [1.02, 1.05]     1.10 [1.09, 1.11]     1.38 [1.32, 1.45]
//	tornado                      53.8  1.11 [1.10, 1.12]     1.04 [1.03, 1.04]     0.98 [0.98, 0.98]
//	tornado, failed              91.3  2.28 [2.07, 2.52]     8.16 [7.39, 9.00]     > 879
//	tornado, slow                63.9  1.04 [1.03, 1.05]     1.11 [1.10, 1.12]     1.51 [1.45, 1.57]
//	incast of 8                 373.3  0.99 [0.98, 1.00]     1.00 [0.98, 1.01]     0.99 [0.98, 1.00]
//
//	largest queue, 2 tiers     reps                  Scoreboard            ops                   round-robin
//	messages of 16   packets   11.5 [10.6, 12.6]     13.5 [12.4, 14.8]     11.5 [10.6, 12.6]     11.1 [10.4, 11.9]
//	messages of 32   packets   16.2 [15.1, 17.4]     21.1 [19.6, 22.7]     16.2 [15.1, 17.4]     15.5 [14.5, 16.6]
//	messages of 64   packets   22.1 [20.9, 23.4]     34.0 [31.7, 36.4]     22.1 [20.9, 23.4]     21.9 [20.3, 23.6]
//	messages of 128  packets   29.9 [28.5, 31.3]     62.9 [57.9, 68.6]     31.4 [30.2, 32.7]     41.5 [38.5, 44.8]
//	messages of 256  packets   38.1 [36.6, 39.7]     101.6 [94.9, 109.1]   44.0 [41.6, 46.5]     113.8 [103.3, 126.0]
//	messages of 512  packets   39.5 [38.4, 40.8]     130.2 [122.7, 138.5]  65.3 [60.6, 70.7]     313.7 [279.6, 354.4]
//	messages of 1024 packets   39.8 [38.7, 41.0]     205.8 [197.2, 215.1]  89.2 [84.0, 94.8]     629.5 [585.0, 679.6]
//	exponent of growth         0.31 [0.20, 0.42]     0.67 [0.59, 0.74]     0.50 [0.47, 0.52]     1.02 [0.79, 1.25]
//	p-value of a power law     2.2e-59               7.9e-09               0.78                  1.5e-90
//
//	largest queue, 3 tiers     reps                  Scoreboard            ops                   round-robin
//	messages of 16   packets   11.1 [10.4, 11.7]     13.7 [12.9, 14.6]     11.1 [10.4, 11.7]     11.8 [11.1, 12.7]
//	messages of 32   packets   15.4 [14.6, 16.4]     21.9 [20.6, 23.3]     15.4 [14.6, 16.4]     16.2 [14.9, 17.6]
//	messages of 64   packets   21.6 [20.3, 22.9]     36.0 [33.3, 38.9]     21.6 [20.3, 22.9]     22.6 [20.8, 24.7]
//	messages of 128  packets   29.0 [27.5, 30.6]     62.4 [57.3, 68.2]     29.1 [27.6, 30.9]     74.4 [66.9, 83.2]
//	messages of 256  packets   39.6 [37.3, 42.1]     114.4 [103.9, 126.6]  44.2 [42.0, 46.6]     220.7 [198.0, 247.4]
//	messages of 512  packets   47.1 [44.9, 49.5]     137.5 [126.6, 149.9]  59.3 [56.6, 62.2]     442.0 [403.2, 486.7]
//	messages of 1024 packets   49.8 [47.1, 52.7]     224.9 [215.9, 234.6]  87.6 [83.5, 92.0]     662.9 [606.3, 727.8]
//	exponent of growth         0.38 [0.30, 0.46]     0.68 [0.61, 0.76]     0.50 [0.48, 0.52]     1.08 [0.85, 1.31]
//	p-value of a power law     8.1e-18               1.4e-06               0.24                  7.6e-71
//
//	longest queue, theory permutation                                  two destinations in turn
//	                      packets                   exponent           packets                   exponent
//	Scoreboard            1883.1 [1704.1, 2062.1]   0.98 [0.92, 1.04]  1911.0 [1703.4, 2118.6]   0.99 [0.92, 1.06]
//	random                174.9 [165.9, 183.9]      0.50 [0.46, 0.54]  188.2 [181.7, 194.8]      0.52 [0.48, 0.55]
//	source-rotation       8.0 [8.0, 8.0]            0.00 [0.00, 0.00]  4096.0 [4096.0, 4096.0]   1.00 [1.00, 1.00]
//	destination-rotation  8.0 [8.0, 8.0]            0.00 [0.00, 0.00]  15.0 [15.0, 15.0]         0.00 [0.00, 0.00]
//	shortest-queue        11057.5 [9653.3, 12461.7] 1.00 [0.91, 1.09]  2.0 [2.0, 2.0]            0.00 [0.00, 0.00]
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
	evs      = 1 << 16 // entropy values, as in the paper: a small set has an imbalance of its own
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
		if err := checkChart(chart); err != nil {
			log.Fatal(err)
		}
	}
	if err := compareAll(chart); err != nil {
		log.Fatal(err)
	}
	for _, tiers := range []int{2, 3} {
		if err := grow(tiers); err != nil {
			log.Fatal(err)
		}
	}
	if err := theory(); err != nil {
		log.Fatal(err)
	}
}
