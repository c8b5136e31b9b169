package param

import (
	"fmt"
	"strings"
	"testing"

	"repslab/sweep"
)

// formulaModel has n behind the parameters with formulas of it.
func formulaModel() Model {
	return New(Model{Name: "m"}, func() Space {
		p := &struct {
			balls, n int
			share    float64
		}{1, 4, 0.5}
		s := Space{
			parameters: Formulas("n", &p.n, []Parameter{
				Integer("balls", "balls", 1, 99, &p.balls), Probability("share", "share", &p.share),
				Integer("n", "bins", 1, 9, &p.n), OnOff("switch", "switch", new(bool)),
			}),
			reset:    func() { p.balls, p.n, p.share = 0, 0, 0 },
			complete: func() error { return nil },
			Point:    func() sweep.Point { return sweep.Point{} },
		}
		return s
	})
}

// TestFormulas: a number can be a formula of n, in lists with plain numbers and ranges. It has the value at the n of
// its combination, also if n stands behind it or varies with it; integers are rounded up. The configuration keeps the
// formula, so reading it again gives the same points.
func TestFormulas(t *testing.T) {
	for _, c := range []struct {
		texts      Texts
		zip        []string
		want, kept string
	}{
		{Texts{"balls": "10*n+0.5"}, nil, "[41 0.5 4]", "10*n+0.5"},
		{Texts{"balls": "2,n , 5..6,ln(n)", "n": "8"}, nil, "[2 0.5 8] [8 0.5 8] [5 0.5 8] [6 0.5 8] [3 0.5 8]", "2,n,5,6,ln(n)"},
		{Texts{"balls": "n,2*n", "n": "2,3"}, []string{"balls", "n"}, "[2 0.5 2] [6 0.5 3]", "n,2*n"},
		{Texts{"balls": "n^2", "n": "2,3"}, nil, "[4 0.5 2] [9 0.5 3]", "n^2"},
		{Texts{"share": "1-1/n", "n": "2..4:x2"}, nil, "[1 0.5 2] [1 0.75 4]", ""},
	} {
		g, err := formulaModel().Grid(Selection{Parameters: c.texts, Zip: c.zip})
		if err != nil {
			t.Fatal(err)
		}
		again, err := formulaModel().Grid(g.Selection)
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range [][]sweep.Point{g.Points, again.Points} {
			var rows []string
			for _, p := range list {
				rows = append(rows, fmt.Sprint(p.Parameters[:3]))
			}
			if got := strings.Join(rows, " "); got != c.want || c.kept != "" && g.Parameters["balls"] != c.kept {
				t.Errorf("%v gives %s and keeps %q, want %s and %q", c.texts, got, g.Parameters["balls"], c.want, c.kept)
			}
		}
	}
}

// TestFormulaErrors: the error names the flag, and the value of a formula that is out of range.
func TestFormulaErrors(t *testing.T) {
	for _, c := range []struct {
		texts Texts
		want  string
	}{
		{Texts{"balls": "n-4"}, "--balls: n-4 = 0 at n = 4 must be an integer in [1, 99]"},
		{Texts{"share": "n"}, "--share: n = 4 at n = 4 must be in (0, 1]"},
		{Texts{"share": "1/(n-4)"}, "--share: 1/(n-4) must be finite, and is not at n = 4"},
		{Texts{"balls": "10n"}, `--balls: "10n": a product is written with *, so put * before "n"`},
		{Texts{"balls": "n,x"}, `--balls: "x" must be an integer in [1, 99]`},
		{Texts{"balls": "2^5"}, `--balls: "2^5" must be an integer in [1, 99]; write all its digits`},
		{Texts{"n": "n+1"}, `--n: "n+1" must have no formula: n stands for the value of --n`},
		{Texts{"switch": "n"}, `--switch: "n" must be on or off; did you mean on?`},
	} {
		_, err := formulaModel().Grid(Selection{Parameters: c.texts})
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %s", c.texts, err, c.want)
		}
	}
	if _, err := joined("1..9,n", []valueList{{length: MaxPoints}, {length: 1}}); err == nil || err.Error() != `"1..9,n" must have at most 1000000 values` {
		t.Errorf("too many values: error %v", err)
	}
}
