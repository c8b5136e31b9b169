// Command pvalues runs statistical tests with many fresh seeds and checks the distribution of their
// p-values: if code and tests are right, the p-values of each comparison are uniform.
//
//	go run -C tools ./pvalues -seeds 200 -run 'Exact|Chain|Poisson' ../recycled ../coalescing
//
// mctest.Agree logs the comparisons under REPSLAB_RESEED. Each is tested for uniformity
// (Kolmogorov-Smirnov); the result is the smallest p-value times the number of comparisons.
// The exit code is 1 if it is below 0.001 or a test fails.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	begins = regexp.MustCompile(`^=== (?:RUN|NAME|CONT) +(\S+)`)
	logged = regexp.MustCompile(`p-value of (.*): ([0-9.]+)$`)
)

// collect runs the test program of a package with a seed and adds the p-values of its comparisons to
// found.
func collect(program, dir, pattern string, seed int, found map[string][]float64) error {
	cmd := exec.Command(program, "-test.v", "-test.run", pattern)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "REPSLAB_RESEED="+strconv.Itoa(seed))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s, seed %d: %w\n%s", dir, seed, err, out)
	}
	test, seen := "", map[string]int{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if m := begins.FindStringSubmatch(lines.Text()); m != nil {
			test = m[1]
		}
		m := logged.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		p, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return err
		}
		name := dir + " " + test + ": " + m[1]
		seen[name]++ // a test may log the same words several times, in a fixed order
		name += " #" + strconv.Itoa(seen[name])
		found[name] = append(found[name], p)
	}
	return nil
}

// farthest returns the largest distance of the empirical law of values in [0, 1] from the uniform law,
// and the probability of such a distance by Kolmogorov's limit law with Stephens's correction for few
// values.
func farthest(values []float64) (distance, probability float64) {
	slices.Sort(values)
	n := float64(len(values))
	for i, v := range values {
		distance = max(distance, float64(i+1)/n-v, v-float64(i)/n)
	}
	x := distance * (math.Sqrt(n) + 0.12 + 0.11/math.Sqrt(n))
	for k, sign := 1.0, 1.0; k <= 100; k, sign = k+1, -sign {
		probability += 2 * sign * math.Exp(-2*k*k*x*x)
	}
	return distance, min(1, max(0, probability))
}

// comparison is a comparison that was made with every seed.
type comparison struct {
	name                  string
	distance, probability float64
}

// report prints the p-values of all comparisons, and returns whether they pass.
func report(found map[string][]float64) bool {
	var all []comparison
	var tenths [10]int
	total := 0
	for name, values := range found {
		c := comparison{name: name}
		c.distance, c.probability = farthest(values)
		all = append(all, c)
		for _, v := range values {
			tenths[min(9, int(10*v))]++
			total++
		}
	}
	if total == 0 {
		fmt.Println("no p-values")
		return false
	}
	slices.SortFunc(all, func(a, b comparison) int { return cmp.Compare(a.probability, b.probability) })
	fmt.Printf("%d p-values of %d comparisons; share in each tenth:", total, len(all))
	for _, count := range tenths {
		fmt.Printf(" %.4f", float64(count)/float64(total))
	}
	fmt.Println("\nfarthest from uniform:")
	for _, c := range all[:min(5, len(all))] {
		fmt.Printf("  distance %.3f, probability %.3g: %s\n", c.distance, c.probability, c.name)
	}
	least := min(1, all[0].probability*float64(len(all)))
	fmt.Printf("probability of the farthest among %d: %.3g\n", len(all), least)
	return least >= 0.001
}

func run() error {
	seeds := flag.Int("seeds", 200, "seeds")
	pattern := flag.String("run", ".", "tests, as for go test")
	flag.Parse()
	scratch, err := os.MkdirTemp("", "pvalues")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	found := map[string][]float64{}
	for i, dir := range flag.Args() {
		program := filepath.Join(scratch, strconv.Itoa(i)+".test")
		build := exec.Command("go", "test", "-c", "-o", program, ".")
		build.Dir = dir
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", dir, err, strings.TrimSpace(string(out)))
		}
		for seed := range *seeds {
			if err := collect(program, dir, *pattern, seed, found); err != nil {
				return err
			}
		}
	}
	if !report(found) {
		return errors.New("the p-values are not uniform")
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "pvalues:", err)
		os.Exit(1)
	}
}
