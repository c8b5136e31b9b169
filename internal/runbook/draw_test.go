package runbook

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"testing"
)

// bookOf returns a book with n runs of each experiment. The value of a run is the effort of its experiment.
func bookOf(t *testing.T, n int, efforts ...float64) *Book {
	t.Helper()
	b := new(Book)
	for i, effort := range efforts {
		for run := range n {
			if err := b.Put(Run{fmt.Sprintf(`{"lb":%d}`, i), 1, int64(run)}, fmt.Append(nil, effort)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b
}

// effortOf is the effort of a run of [bookOf].
func effortOf(value []byte) float64 {
	effort, _ := strconv.ParseFloat(string(value), 64)
	return effort
}

// experiments counts drawn runs by key.
func experiments(drawn map[Run]bool) map[string]int {
	counts := map[string]int{}
	for of := range drawn {
		counts[of.Key]++
	}
	return counts
}

// TestDraw: every experiment whose run costs at most its part of the budget has one run in every draw, and with
// nothing left none has more. A dearer one has a run with the probability of its part over its cost, so the mean cost
// is the budget.
func TestDraw(t *testing.T) {
	// A run takes 1, 1, 2 and 16 s; of 12 s each experiment gets 3 s, and 8 s are left for the last.
	sample := Sample{"fig02", bookOf(t, 5, 10, 10, 20, 160), 100, effortOf}
	const draws = 2000
	dear := 0
	for number := range uint64(draws) {
		got := experiments(Draw(number, 12, []Sample{sample})["fig02"])
		dear += got[`{"lb":3}`]
		delete(got, `{"lb":3}`)
		if want := map[string]int{`{"lb":0}`: 1, `{"lb":1}`: 1, `{"lb":2}`: 1}; !maps.Equal(got, want) {
			t.Fatalf("draw %d: %v, want %v", number, got, want)
		}
	}
	// Binomial with p = 1/2: a false alarm in 10^9.
	if got, slack := float64(dear)/draws, 6*math.Sqrt(0.25/draws); math.Abs(got-0.5) > slack {
		t.Errorf("the dear experiment is drawn with probability %v, want 0.5", got)
	}
}

// TestDrawRest: what one run of each experiment leaves of the budget goes to more runs, up to all.
func TestDrawRest(t *testing.T) {
	sample := Sample{"fig02", bookOf(t, 5, 1, 1), 100, effortOf} // 10 s a run
	for budget, want := range map[float64]int{20: 2, 40: 4, 100: 10, 1000: 10} {
		if got := len(Draw(7, budget, []Sample{sample})["fig02"]); got != want {
			t.Errorf("%v s: %d runs, want %d", budget, got, want)
		}
	}
	sum := 0
	for number := range uint64(2000) {
		sum += len(Draw(number, 25, []Sample{sample})["fig02"])
	}
	if mean := float64(sum) / 2000; math.Abs(mean-2.5) > 6*0.5/math.Sqrt(2000) {
		t.Errorf("25 s: %v runs, want 2.5", mean)
	}
}

// TestDrawEachFigure: each figure has a run, however dear. A figure without an effort is drawn as a whole, and one of
// no runs is not drawn. Experiments of unknown effort cost as much as the mean of the figure.
func TestDrawEachFigure(t *testing.T) {
	samples := []Sample{{"dear", bookOf(t, 3, 1, 2, 3), 9e6, effortOf}, {"whole", bookOf(t, 9, 1, 2, 3), 27, nil},
		{"none", new(Book), 0, effortOf}, {"unknown", bookOf(t, 3, 0, 2, 4), 9, effortOf}}
	seen := map[Run]bool{}
	for number := range uint64(300) {
		drawn := Draw(number, 5, samples)
		if len(drawn["dear"]) != 1 || len(drawn["whole"]) != 1 || len(drawn["none"]) != 0 || len(drawn["unknown"]) == 0 {
			t.Fatalf("draw %d: %v", number, drawn)
		}
		maps.Copy(seen, drawn["whole"])
	}
	if len(seen) != 27 { // one is never drawn with probability 27 (26/27)^300 = 3e-4; the numbers are fixed
		t.Errorf("%d of 27 runs are ever drawn", len(seen))
	}
	var seconds []float64
	for _, s := range samples[3].strata(1) {
		seconds = append(seconds, s.seconds)
	}
	if want := []float64{1, 2. / 3, 4. / 3}; !slices.Equal(seconds, want) {
		t.Errorf("runs take %v s, want %v", seconds, want)
	}
}

// TestDrawNumber: the same number draws the same runs, another number or another figure others, and every run of an
// experiment is drawn about as often.
func TestDrawNumber(t *testing.T) {
	b := bookOf(t, 10, 1, 1, 1)
	draw := func(number uint64, figure string) map[Run]bool {
		return Draw(number, 3, []Sample{{figure, b, 30, effortOf}})[figure]
	}
	if !reflect.DeepEqual(draw(1, "fig02"), draw(1, "fig02")) {
		t.Error("the same draw takes other runs")
	}
	if reflect.DeepEqual(draw(1, "fig02"), draw(2, "fig02")) || reflect.DeepEqual(draw(1, "fig02"), draw(1, "fig03")) {
		t.Error("another draw takes the same runs")
	}
	times := map[Run]int{}
	for number := range uint64(1000) {
		for of := range draw(number, "fig02") {
			times[of]++
		}
	}
	// 30 runs, each drawn 100 times on average with a standard deviation of 9.5.
	if counts := slices.Collect(maps.Values(times)); len(times) != 30 || slices.Min(counts) < 50 || slices.Max(counts) > 150 {
		t.Errorf("%d runs are drawn from %d to %d times", len(times), slices.Min(counts), slices.Max(counts))
	}
}

// TestShares divides a budget.
func TestShares(t *testing.T) {
	got := Shares([]float64{2, 400, 20, 0}, 32)
	if want := []float64{1, 0.0375, 0.75, 1}; !reflect.DeepEqual(got, want) {
		t.Errorf("shares %v, want %v", got, want)
	}
}
