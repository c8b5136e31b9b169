package ballsbins_test

import (
	"fmt"
	"math"

	"repslab/ballsbins"
	"repslab/mc"
)

// As many balls as bins, thrown once: the maximum load, measured and as it grows with n.
func ExampleMaxLoadLevel() {
	for _, bins := range []int{256, 4096, 65536} {
		thrown, err := ballsbins.NewOneShot(bins, bins)
		if err != nil {
			fmt.Println(err)
			return
		}
		sum := 0
		for replica := range uint64(100) {
			sum += thrown.Max(mc.NewStream(1, mc.Algorithm, replica))
		}
		level, err := ballsbins.MaxLoadLevel(bins, bins, ballsbins.FewBalls, 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("n = %5d: mean of 100 maxima %.2f, level %.2f\n", bins, float64(sum)/100, level)
	}
	// Output:
	// n =   256: mean of 100 maxima 4.73, level 4.25
	// n =  4096: mean of 100 maxima 6.20, level 5.32
	// n = 65536: mean of 100 maxima 7.43, level 6.29
}

// The formula depends on how many balls there are for each bin.
func ExampleRegime() {
	const bins = 65536
	for _, c := range []struct {
		regime ballsbins.Regime
		balls  int
	}{{ballsbins.FewBalls, bins}, {ballsbins.LogBalls, 11 * bins}, {ballsbins.ManyBalls, 100 * bins}, {ballsbins.VeryManyBalls, 10000 * bins}} {
		level, err := ballsbins.MaxLoadLevel(bins, c.balls, c.regime, 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%5d balls a bin, %s: %.1f\n", c.balls/bins, c.regime, level)
	}
	// Output:
	// 1 balls a bin, n/polylog(n) <= m << n ln n: 6.3
	//    11 balls a bin, m = c n ln n: 30.0
	//   100 balls a bin, n ln n << m <= n polylog(n): 147.1
	// 10000 balls a bin, m >> n (ln n)^3: 10444.7
}

// With many bins the arrivals at one are Poisson. The tail of the load is then exponential.
func ExampleStationaryPoisson() {
	law, err := ballsbins.StationaryPoisson(0.9)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("P[load = 0] %.4f, decay rate %.4f, as P[load >= 61] / P[load >= 60] has it %.4f\n",
		law.Probability(0), law.DecayRate(), math.Log(law.Tail(60)/law.Tail(61)))
	fmt.Println("median of the maximum of 1,000 bins:", law.MedianMax(1000))
	// Output:
	// P[load = 0] 0.1000, decay rate 0.2071, as P[load >= 61] / P[load >= 60] has it 0.2071
	// median of the maximum of 1,000 bins: 35
}

// At full load queues grow as the square root of time.
func ExampleBrownian_MeanLoad() {
	brownian, err := ballsbins.NewBrownian(32)
	if err != nil {
		fmt.Println(err)
		return
	}
	exact, err := ballsbins.NewOneBinLaw(ballsbins.Config{Bins: 32})
	if err != nil {
		fmt.Println(err)
		return
	}
	for round := 1; round <= 1000; round++ {
		exact.Step()
		if round == 10 || round == 100 || round == 1000 {
			fmt.Printf("round %4d: mean load %.3f, Brownian %.3f\n", round, exact.Mean(), brownian.MeanLoad(round))
		}
	}
	// Output:
	// round   10: mean load 2.786, Brownian 2.827
	// round  100: mean load 8.184, Brownian 8.197
	// round 1000: mean load 25.174, Brownian 25.178
}
