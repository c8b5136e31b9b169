package traffic

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// TestSizeMeans: the means of the two distributions, by the trapezoids of their
// tables.
func TestSizeMeans(t *testing.T) {
	if got := WebSearch().Mean(); math.Abs(got-2_786_250) > 1e-6 {
		t.Errorf("WebSearch().Mean() = %.3f, want 2786250", got)
	}
	if got := Facebook().Mean(); math.Abs(got-120_421) > 0.5 {
		t.Errorf("Facebook().Mean() = %.3f, want 120421", got)
	}
}

func TestSizeQuantiles(t *testing.T) {
	for _, c := range []struct{ u, want float64 }{
		{0, 0}, {0.075, 5e3}, {0.15, 10e3}, {0.25, 25e3}, {0.60, 200e3}, {0.85, 6e6}, {0.985, 30e6},
	} {
		if got := WebSearch().Quantile(c.u); math.Abs(got-c.want) > 1e-6*c.want {
			t.Errorf("WebSearch().Quantile(%g) = %g, want %g", c.u, got, c.want)
		}
	}
	s, err := NewSizes([]SizePoint{{500, 0.5}, {500, 0.75}, {900, 1}}) // an atom after a ramp from (0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ u, want float64 }{{0.25, 250}, {0.5, 500}, {0.7, 500}, {0.875, 700}} {
		if got := s.Quantile(c.u); got != c.want {
			t.Errorf("Quantile(%g) = %g, want %g", c.u, got, c.want)
		}
	}
}

// kolmogorovSmirnov fails unless sorted samples follow a distribution function, by the bound of
// Dvoretzky, Kiefer, Wolfowitz and Massart: P(D > d) <= 2 exp(-2 n d^2), here 1e-9 for any seed. With
// 100,000 samples it detects any distribution that is off by 0.021 somewhere.
func kolmogorovSmirnov(t *testing.T, what string, sorted []float64, cdf func(float64) float64) {
	t.Helper()
	n := float64(len(sorted))
	most := 0.0
	for i, x := range sorted {
		if i+1 < len(sorted) && sorted[i+1] == x {
			continue // an empirical distribution steps at the last of equal values
		}
		most = max(most, math.Abs(cdf(x)-float64(i+1)/n))
	}
	if bound := math.Sqrt(math.Log(2/1e-9) / (2 * n)); most > bound {
		t.Errorf("%s: D = %.5f with %g samples, want at most %.5f (alpha 1e-9)", what, most, n, bound)
	}
}

// part is the distribution function of s, the inverse of Quantile.
func (s Sizes) part(bytes float64) float64 {
	for i, p := range s.points[1:] {
		if low := s.points[i]; bytes < p.Bytes {
			return low.Part + (p.Part-low.Part)*(bytes-low.Bytes)/(p.Bytes-low.Bytes)
		}
	}
	return 1
}

// TestDrawnSizes: drawn sizes follow the distribution, and their mean is within 4 standard errors of the
// exact mean (6.11 under REPSLAB_RESEED).
func TestDrawnSizes(t *testing.T) {
	for name, s := range map[string]Sizes{"websearch": WebSearch(), "facebook": Facebook()} {
		random := rand.New(source(mctest.Seed(t, 1), 0))
		var sizes []float64
		var moments mc.Moments
		for range 100_000 {
			bytes := s.draw(random)
			sizes = append(sizes, float64(bytes)+0.5) // rounded to bytes
			moments.Add(bytes)
		}
		slices.Sort(sizes)
		kolmogorovSmirnov(t, name, sizes, s.part)
		mctest.Agree(t, name+": mean", moments.Mean(mc.DefaultConfidence), s.Mean(), 0, 0.5)
	}
}

func TestReadSizes(t *testing.T) {
	for _, text := range []string{
		"# bytes, part\n0 0\n100 .5\n\n300 1\n",
		"0 0\n100 50\n300 100",
	} {
		s, err := ReadSizes(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Mean(); got != 125 {
			t.Errorf("%q: mean %g, want 125", text, got)
		}
	}
}

// TestSizeWarnings: a file whose first point has a part of the messages, and one with a mean or median that is
// unlikely in bytes. The bounds are a frame, a packet and 1 GB.
func TestSizeWarnings(t *testing.T) {
	const unit = "sizes are read in bytes, not in packets or other units"
	for _, c := range []struct{ text, first, second string }{
		{"0 0\n10000 1\n", "", ""}, {"2000 0\n10000 1\n", "", ""}, {"1 0.5\n20000 1\n", "the mean is 5000 bytes and the median 1: " + unit, ""},
		{"2000 0.6\n100000 1\n", "60 % of the messages have 1 to 2000 bytes, uniformly, as the first point is (2000, 0.6); a point (2000, 0) before it gives them 2000 bytes", ""},
		{"0 0\n2000 0.6\n100000 1\n", "", ""}, {"10000 1\n", "100 % of the messages have 1 to 10000 bytes", ""},
		{"0 0\n8192 1\n", "", ""}, {"0 0\n8190 1\n", "the mean is 4095 bytes and the median 4095: " + unit, ""},
		{"0 0\n64 .5\n100000 1\n", "", ""}, {"0 0\n63 .5\n100000 1\n", "the mean is 2.503e+04 bytes and the median 63: " + unit, ""},
		{"0 0\n2000000000 1\n", "", ""}, {"0 0\n2000000002 1\n", "the mean is 1e+09 bytes and the median 1e+09: " + unit, ""},
		{"6 1 0.15\n13 1 .2\n19 1 .3\n33 1 .4\n53 1 .53\n133 1 .6\n667 1 .7\n1333 1 .8\n3333 1 .9\n6667 1 .97\n20000 1 1\n",
			"15 % of the messages have 1 to 6 bytes", "the mean is 1141 bytes and the median 48.38: " + unit}, // web search in packets
		{"1 1 0\n1 1 .5\n2 1 .6\n3 1 .7\n7 1 .8\n267 1 .9\n2107 1 .95\n66667 1 .99\n666667 1 1\n", "the mean is 5117 bytes and the median 1: " + unit, ""}, // data mining in packets
	} {
		s, err := ReadSizes(strings.NewReader(c.text))
		if err != nil {
			t.Fatalf("%q: %v", c.text, err)
		}
		got := append(s.Warnings(), "", "")
		if !strings.HasPrefix(got[0], c.first) || !strings.HasPrefix(got[1], c.second) || len(got) != 2+min(1, len(c.first))+min(1, len(c.second)) {
			t.Errorf("%q: warnings %q, want %q and %q", c.text, got, c.first, c.second)
		}
	}
}

// sizeErrors are files that are refused, and the expected errors.
func sizeErrors() []struct{ text, want string } {
	return []struct{ text, want string }{
		{"", "traffic: found no line, expected a size in bytes and a part of the messages on each"},
		{"# nothing\n", "traffic: found no line"},
		{"0 x 0\n", `traffic: line 1: number between size and part: found "x"`},
		{"0 1 0 1\n", "traffic: line 1: found 4 words"},
		{"1000\n", "traffic: line 1: found 1 words, expected a size in bytes and a part of the messages"},
		{"0 0\nten 1\n", `traffic: line 2: size: found "ten", expected a number in [0, 1099511627776]`},
		{"0 0\n10 NaN\n", `traffic: line 2: part: found "NaN", expected a number in [0, 100]`},
		{"0 0\n10 101\n", `traffic: line 2: part: found "101"`},
		{"-1 0\n10 1\n", `traffic: line 1: size: found "-1"`},
		{"0 0\n10 .7\n", "traffic: line 2: part: found 0.7, expected the last one to be 1 or 100"},
		{"0 0\n10 .7\n5 .8\n10 1\n", "traffic: line 3: (5, 0.8) must not fall below the one before, (10, 0.7)"},
		{"0 0\n10 .7\n20 .6\n30 1\n", "traffic: line 3: (20, 0.6) must not fall below the one before, (10, 0.7)"},
		{"0 0\n10 .7\n# again\n10 .7\n30 1\n", "traffic: line 4: (10, 0.7) must differ from the one before"},
		{"0.05 0.002\n0.5 0.4\n10 0.8\n2000 1\n", `traffic: line 1: size: found "0.05", expected 0 or at least 1 byte: is the unit bytes, and does the size come first, the part last?`},
		{"0 0\n0.15 10000\n1 20000\n", `traffic: line 2: part: found "10000", expected a number in [0, 100]; the size comes first, the part last`},
		{"6 .15 1\n13 .2 1\n20000 1 1\n", "traffic: line 1: part: found 1, expected less than in the last line; the size comes first, the part last"},
		{"6 100\n13 100\n", "traffic: line 1: part: found 100, expected less than in the last line"},
		{"0 1\n", "traffic: line 1: (0, 1) must have 1 byte or more and part 1, as the last one"},
	}
}

func TestReadSizesErrors(t *testing.T) {
	for _, c := range sizeErrors() {
		if _, err := ReadSizes(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
}

// FuzzReadSizes: a distribution that was read has a mean within its sizes, and its quantiles increase.
func FuzzReadSizes(f *testing.F) {
	f.Add("0 0\n100 .5\n300 1\n")
	f.Add("0 0\n100 50\n300 100")
	for _, c := range sizeErrors() {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ReadSizes(strings.NewReader(text))
		if err != nil {
			checkRefusal(t, err)
			return
		}
		most := s.points[len(s.points)-1].Bytes
		if mean := s.Mean(); !(mean >= 0 && mean <= most*(1+1e-9)) {
			t.Errorf("mean %g of sizes up to %g", mean, most)
		}
		previous := 0.0
		for u := 0.0; u < 1; u += 1.0 / 64 {
			q := s.Quantile(u)
			if !(q >= previous*(1-1e-9) && q <= most*(1+1e-9)) {
				t.Errorf("Quantile(%g) = %g after %g, of sizes up to %g", u, q, previous, most)
			}
			previous = q
		}
	})
}

// TestSizesInOtherFormats: three columns, as in ns-2, and commas are read like two columns.
func TestSizesInOtherFormats(t *testing.T) {
	want, err := ReadSizes(strings.NewReader("0 0\n1000 0.5\n2000 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"0 1 0\n1000 1 0.5\n2000 1 1\n", "0,0\n1000, 50\n2000 ,100\n", "\ufeff0,1,0\r\n1000,2,.5\r\n2000,3,1"} {
		if got, err := ReadSizes(strings.NewReader(text)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, error %v, want %+v", text, got, err, want)
		}
	}
}

// TestDecimalComma: lines with different numbers of numbers, as decimal commas make them, are refused.
func TestDecimalComma(t *testing.T) {
	if _, err := ReadSizes(strings.NewReader("100 0\n10000 45,5\n100000 100\n")); err == nil || !strings.Contains(err.Error(), "line 2: found 3 words, expected 2 as before; a comma separates them") {
		t.Errorf("error %v", err)
	}
}
