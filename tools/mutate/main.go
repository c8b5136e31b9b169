// Command mutate changes the code by one token at a time and counts how many of these
// mutants the tests kill.
//
//	go run -C tools ./mutate -count 40 ../reps ../ballsbins
//
// The seed picks count places in each package: comparisons, arithmetic and logical
// operators, increments and decrements, and whole numbers. Each mutant is compiled from an
// overlay, so no file is changed, and run against the tests of its package, then in short
// mode those of the packages named by -also. A mutant that does not compile is replaced by
// another. The output has a line for each mutant that survives, and for each that hangs: it
// exceeds the time limit, or five times the processor time of all tests plus 20 s, and
// counts as killed. The counts follow, also after an interrupt. With -only it tries all
// mutants whose lines match a regular expression.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// sources lists the files of a package that are not tests.
func sources(dir string) (files []string, err error) {
	all, err := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, file := range all {
		if !strings.HasSuffix(file, "_test.go") {
			files = append(files, file)
		}
	}
	return files, err
}

// score counts mutants.
type score struct{ killed, survived, invalid int }

// examine tries mutants of the package in dir: those whose lines match only, or
// count of all if it is nil.
func (t *trial) examine(ctx context.Context, dir string, count int, only *regexp.Regexp, rng *rand.Rand) (s score, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return s, err
	}
	files, err := sources(dir)
	if err != nil || len(files) == 0 {
		return s, errors.Join(err, fmt.Errorf("%s: no Go files", dir))
	}
	var all []mutant
	for _, file := range files {
		list, err := mutants(file)
		if err != nil {
			return s, err
		}
		all = append(all, list...)
	}
	if only != nil {
		all = slices.DeleteFunc(all, func(m mutant) bool { return !only.MatchString(m.String()) })
		count = len(all)
	}
	if len(all) == 0 {
		return s, nil
	}
	if err := t.prepare(dir); err != nil {
		return s, err
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, m := range all {
		if s.killed+s.survived == count {
			break
		}
		if err := s.add(ctx, t, dir, m); err != nil {
			return s, err
		}
	}
	return s, nil
}

// add tries a mutant. After an interrupt the mutant does not count and the error is that of
// ctx.
func (s *score) add(ctx context.Context, t *trial, dir string, m mutant) error {
	source, err := m.apply()
	if err != nil {
		return err
	}
	found, err := t.try(dir, m.file, source)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	switch found {
	case killed:
		s.killed++
	case hung:
		s.killed++
		fmt.Println("hangs:", m)
	case invalid:
		s.invalid++
	default:
		s.survived++
		fmt.Println("survives:", m)
	}
	return nil
}

func run() error {
	count := flag.Int("count", 30, "mutants of each package")
	seed := flag.Uint64("seed", 1, "which mutants")
	limit := flag.Duration("limit", 5*time.Minute, "time for the tests of a package")
	also := flag.String("also", "", "directories of packages, separated by commas, whose tests count too, in short mode")
	pattern := flag.String("only", "", "try all mutants whose lines match this `regexp`")
	flag.Parse()
	var only *regexp.Regexp
	if *pattern != "" {
		var err error
		if only, err = regexp.Compile(*pattern); err != nil {
			return err
		}
	}
	t := trial{limit: *limit}
	if *also != "" {
		t.also = strings.Split(*also, ",")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var total score
	for _, dir := range flag.Args() {
		s, err := t.examine(ctx, dir, *count, only, rand.New(rand.NewPCG(*seed, 0)))
		fmt.Printf("%s: %d of %d killed, %d did not compile\n", dir, s.killed, s.killed+s.survived, s.invalid)
		if err != nil {
			return err
		}
		total.killed, total.survived = total.killed+s.killed, total.survived+s.survived
	}
	fmt.Printf("%d of %d mutants killed\n", total.killed, total.killed+total.survived)
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}
