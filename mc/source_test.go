package mc

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestSourcesDriveLibraries: gonum's samplers and math/rand/v2 accept both generators and
// give the right moments. Each mean of 2^18 draws may differ by 6.11 standard errors from
// the expected one (a false-alarm rate of 1e-9 each, 8e-9 in all); a relative error of 1.2 %
// of the standard deviation would be seen.
func TestSourcesDriveLibraries(t *testing.T) {
	const draws, z = 1 << 18, 6.11
	stream := NewStream(3, Workload, 0)
	hot := stream.Rand()
	for name, source := range map[string]rand.Source{"Source": stream.Source(), "Rand": &hot} {
		library := rand.New(source)
		for _, c := range []struct {
			law          string
			draw         func() float64
			mean, stdDev float64
		}{
			{"distuv.Exponential", distuv.Exponential{Rate: 0.5, Src: source}.Rand, 2, 2},
			{"distuv.Binomial", distuv.Binomial{N: 40, P: 0.25, Src: source}.Rand, 10, math.Sqrt(7.5)},
			{"rand.Float64", library.Float64, 0.5, math.Sqrt(1.0 / 12)},
			{"rand.IntN", func() float64 { return float64(library.IntN(101)) }, 50, math.Sqrt((101*101 - 1) / 12.0)},
		} {
			sum := 0.0
			for range draws {
				sum += c.draw()
			}
			if got := (sum/draws - c.mean) / (c.stdDev / math.Sqrt(draws)); math.Abs(got) > z {
				t.Errorf("%s from %s: the mean is %.2f standard errors off, want at most %v", c.law, name, got, z)
			}
		}
	}
}

// TestSourceIsAStreamOfItsOwn: two Sources of a stream give the same words, and draws from one generator
// do not affect the other generators of the stream.
func TestSourceIsAStreamOfItsOwn(t *testing.T) {
	stream := NewStream(9, Salts, 4)
	first, again := stream.Source(), stream.Source()
	hot := stream.Rand()
	for i := range 1000 {
		a, b := first.Uint64(), again.Uint64()
		if a != b {
			t.Fatalf("word %d of the same stream is %#x and %#x", i, a, b)
		}
		if a == hot.Uint64() {
			t.Fatalf("word %d of Source and Rand is the same", i)
		}
	}
}
