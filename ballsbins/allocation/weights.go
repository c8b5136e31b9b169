package allocation

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repslab/faults"
	"repslab/mc"
)

// WeightLaw selects the law of a ball's weight, which is drawn after the choice of its bin.
type WeightLaw string

// The laws of weights.
const (
	UnitWeights        WeightLaw = "unit"        // 1; the default
	ExponentialWeights WeightLaw = "exponential" // exponential with mean 1, rounded to a multiple of 2^-20
	OneOrTwo           WeightLaw = "one-or-two"  // 1 or 2 with probability 1/2 each
	GivenWeights       WeightLaw = "given"       // a uniform entry of Weights.Sizes
)

// WeightLaws lists the laws of weights, the default first.
func WeightLaws() []WeightLaw {
	return []WeightLaw{UnitWeights, ExponentialWeights, OneOrTwo, GivenWeights}
}

// Weights describes the weights of balls, which are independent.
type Weights struct {
	Law   WeightLaw // empty means UnitWeights
	Sizes []int     // of GivenWeights, each in [1, MaxOffset], at most maxSizes; repeat a size to make it likelier
}

// maxSizes bounds the list of given weights.
const maxSizes = 1 << 16

// exponentialUnit is the number of units of load in a ball of weight 1 with exponential weights.
const exponentialUnit = 1 << 20

// String returns the law, and given sizes after it: "given:1:1:4".
func (w Weights) String() string { return withList(string(w.Law), w.Sizes) }

// ParseWeights parses the text that String writes; for other texts the error lists the allowed forms.
// Config.Validate, not ParseWeights, refuses sizes out of range. O(length).
func ParseWeights(text string) (Weights, error) {
	law, list, _ := strings.Cut(text, ":")
	w := Weights{Law: WeightLaw(law)}
	var err error
	w.Sizes, err = parseList(list, strconv.Atoi)
	if err != nil || !slices.Contains(WeightLaws(), w.Law) || (w.Law == GivenWeights) != (len(w.Sizes) > 0) {
		return w, fmt.Errorf("%.60q must be unit, exponential, one-or-two or given:SIZE:SIZE", text)
	}
	return w, nil
}

// withList appends values to a name.
func withList[T any](name string, values []T) string {
	var b strings.Builder
	b.WriteString(name)
	for _, v := range values {
		fmt.Fprintf(&b, ":%v", v)
	}
	return b.String()
}

// parseList reads values between colons.
func parseList[T any](list string, parse func(string) (T, error)) (values []T, err error) {
	for text := range strings.SplitSeq(list, ":") {
		if list == "" {
			break
		}
		v, err := parse(text)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

// check refuses weights that are not allowed.
func (w Weights) check(f *faults.List) {
	if !slices.Contains(WeightLaws(), w.Law) {
		f.Refuse("Weights", w, "must be one of %v", WeightLaws())
		return
	}
	given := w.Law == GivenWeights
	f.Check(given == (len(w.Sizes) > 0), "Weights", w, "must list sizes for %v, and for it alone", GivenWeights)
	f.Check(len(w.Sizes) <= maxSizes, "Weights", w, "must list at most %d sizes", maxSizes)
	bad := slices.ContainsFunc(w.Sizes, func(size int) bool { return size < 1 || size > MaxOffset })
	f.Check(!bad, "Weights", w, "must list sizes in [1, %d]", MaxOffset)
}

// unit returns the number of units of load in a ball of weight 1.
func (w Weights) unit() int64 {
	if w.Law == ExponentialWeights {
		return exponentialUnit
	}
	return 1
}

// most returns the largest weight. For exponential weights it returns twice the mean: the average of many
// weights does not reach it.
func (w Weights) most() int64 {
	switch w.Law {
	case ExponentialWeights, OneOrTwo:
		return 2
	case GivenWeights:
		return int64(slices.Max(w.Sizes))
	}
	return 1
}

// weigher draws weights.
type weigher struct {
	law   WeightLaw
	sizes []int
	rng   mc.Rand
}

func newWeigher(w Weights) weigher { return weigher{law: w.Law, sizes: w.Sizes} }

func (w *weigher) reset(rng mc.Rand) { w.rng = rng }

// vary reports whether not all balls weigh 1.
func (w *weigher) vary() bool { return w.law != UnitWeights }

// fill draws the weights of balls, in units.
func (w *weigher) fill(weights []int64) {
	for i := range weights {
		switch w.law {
		case ExponentialWeights:
			weights[i] = int64(math.Round(-math.Log(1-w.rng.Float64()) * exponentialUnit))
		case OneOrTwo:
			weights[i] = 1 + int64(w.rng.Uint64()>>63)
		default:
			weights[i] = int64(w.sizes[w.rng.Below(uint64(len(w.sizes)))])
		}
	}
}
