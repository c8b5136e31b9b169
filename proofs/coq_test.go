package proofs

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repslab/mc"
	"repslab/recycled"
)

var update = flag.Bool("update", false, "rewrite coq/Systems.v; then run coq/check -update")

// Systems of coq/Systems.v: each n from 2 to mostBins, each τ from 1 to mostThreshold, some
// replicas.
const (
	coqSeed       = 16
	coqRounds     = 10
	mostBins      = 7
	mostThreshold = 6
	coqReplicas   = 3
	coqFlowRounds = 16 // of the systems of per-flow senders
)

// coqSystem is a run of a small system.
type coqSystem struct {
	bins, threshold int
	throws          []int
	rounds          [][]int // the loads after each round, and 1 if the run has converged
}

// coqSystems runs the process of package recycled; the throws of a run are the first words
// of its stream, as throw draws them.
func coqSystems() []coqSystem {
	var systems []coqSystem
	for n := 2; n <= mostBins; n++ {
		for threshold := 1; threshold <= mostThreshold; threshold++ {
			p := must(recycled.New(recycled.Config{Bins: n, Threshold: threshold}))
			for replica := range coqReplicas {
				stream := mc.NewStream(coqSeed, mc.Algorithm, uint64((n*mostThreshold+threshold)*coqReplicas+replica))
				systems = append(systems, coqRun(p, n, threshold, stream))
			}
		}
	}
	return systems
}

// coqRun runs one of them.
func coqRun(p recycled.Process, n, threshold int, stream mc.Stream) coqSystem {
	s := coqSystem{bins: n, threshold: threshold}
	p.Reset(stream)
	for range coqRounds {
		p.Step()
		var row []int
		for bin := range n {
			row = append(row, p.Load(bin))
		}
		converged := 0
		if p.Status() == recycled.Converged {
			converged = 1
		}
		s.rounds = append(s.rounds, append(row, converged))
	}
	_, random := p.Throws()
	rng := stream.Rand()
	for range random {
		s.throws = append(s.throws, int(rng.Below(uint64(n))))
	}
	return s
}

// coqFlows is a run of a small system of per-flow senders.
type coqFlows struct {
	cfg   recycled.Config
	draws []string // of each flow
	loads []int    // after each round
}

// coqFlowSystems runs per-flow senders of package recycled whose rings overflow, whose windows block them, and whose
// bins mark.
func coqFlowSystems() (systems []coqFlows) {
	for i, c := range [][5]int{
		{2, 1, 0, 1, 1}, {2, 1, 1, 3, 1}, {2, 2, 2, 5, 2}, {3, 1, 1, 4, 2}, {3, 2, 0, 2, 3}, {3, 2, 1, 3, 1},
		{3, 1, 3, 8, 2}, {4, 2, 2, 6, 2}, {4, 3, 1, 5, 3}, {5, 2, 3, 7, 2}, {2, 2, 1, 0, 2}, {3, 1, 2, 0, 4},
	} {
		s := coqFlows{cfg: recycled.Config{
			Bins: c[0], Clocking: recycled.PerFlow, Threshold: c[1], Delay: c[2], Window: c[3], Ring: c[4],
		}}
		p, stream := must(recycled.New(s.cfg)), mc.NewStream(coqSeed, mc.Algorithm, uint64(1000+i))
		for flow := range c[0] {
			rng, draws := stream.Child(uint64(flow)).Rand(), []int(nil)
			for range coqFlowRounds {
				draws = append(draws, int(rng.Below(uint64(c[0]))))
			}
			s.draws = append(s.draws, coqList(draws))
		}
		p.Reset(stream)
		for range coqFlowRounds {
			p.Step()
			for bin := range c[0] {
				s.loads = append(s.loads, p.Load(bin))
			}
		}
		systems = append(systems, s)
	}
	return systems
}

// numbers returns n, τ, d, W, R, and the loads.
func (s coqFlows) numbers() []int {
	return append([]int{s.cfg.Bins, s.cfg.Threshold, s.cfg.Delay, s.cfg.Window, s.cfg.Ring}, s.loads...)
}

// numbers returns n, τ, the number of throws, the throws, and the rounds.
func (s coqSystem) numbers() []int {
	all := append([]int{s.bins, s.threshold, len(s.throws)}, s.throws...)
	for _, row := range s.rounds {
		all = append(all, row...)
	}
	return all
}

// coqList writes numbers as a list of MathComp's.
func coqList(numbers []int) string {
	return "[:: " + strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", "; ") + "]"
}

// coqLines joins the entries of a list in lines of about 100 characters.
func coqLines(entries []string) string {
	var s strings.Builder
	column := 0
	for i, entry := range entries {
		if i > 0 && column+len(entry) > 100 {
			s.WriteString(";\n")
			column = 0
		} else if i > 0 {
			s.WriteString("; ")
		}
		s.WriteString(entry)
		column += len(entry) + 2
	}
	return s.String()
}

// systemsText returns coq/Systems.v.
func systemsText(systems []coqSystem, flows []coqFlows) string {
	var closed, open []string
	for _, s := range systems {
		closed = append(closed, fmt.Sprintf("(%d, %d, %s)", s.bins, s.threshold, coqList(s.throws)))
	}
	for _, f := range flows {
		parameters := strings.Trim(fmt.Sprint(f.numbers()[:5]), "[]")
		open = append(open, "("+strings.ReplaceAll(parameters, " ", ", ")+", [:: "+coqLines(f.draws)+"])")
	}
	return fmt.Sprintf("(* Small systems for Replay.v: n, tau, and the throws of the first %d rounds of package\n"+
		"   recycled; then n, tau, d, W, R, and the draws of each of its per-flow senders. Made by\n"+
		"   `go test ./proofs -run Coq -update`. *)\n"+
		"From mathcomp Require Import ssreflect seq.\n\nDefinition rounds := %d.\n"+
		"Definition systems : seq (nat * nat * seq nat) := [::\n%s].\n\nDefinition flow_rounds := %d.\n"+
		"Definition flows : seq (nat * nat * nat * nat * nat * seq (seq nat)) := [::\n%s].\n",
		coqRounds, coqRounds, coqLines(closed), coqFlowRounds, coqLines(open))
}

// TestCoqPlaysRecycled: the loads that Coq computes from its definition of the process,
// as printed in coq/testdata/replay.txt, equal the results of package recycled with the same
// throws, round by round, and the convergence too. So do those of its per-flow senders with rings.
func TestCoqPlaysRecycled(t *testing.T) {
	systems, flows := coqSystems(), coqFlowSystems()
	if text := systemsText(systems, flows); *update {
		if err := os.WriteFile("coq/Systems.v", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if text != string(must(os.ReadFile("coq/Systems.v"))) {
		t.Error("coq/Systems.v does not have the throws of package recycled; rewrite it with -update")
	}
	printed := must(os.ReadFile("coq/testdata/replay.txt"))
	lists := coqLists(printed)
	if len(lists) != len(systems)+len(flows) {
		t.Fatalf("Coq prints %d systems, want %d", len(lists), len(systems)+len(flows))
	}
	for i, got := range lists[len(systems):] {
		if want := flows[i].numbers(); !slices.Equal(got, want) {
			t.Errorf("%+v: Coq has %v, package recycled %v", flows[i].cfg, got, want)
		}
	}
	for i, got := range lists[:len(systems)] {
		if want := systems[i].numbers(); coqList(got) != coqList(want) {
			t.Errorf("n = %d, τ = %d: Coq has %v, package recycled %v", systems[i].bins, systems[i].threshold, got, want)
		}
	}
}

// TestCoqPlaysRotation: the longest queues that Coq computes from its definition of a rotation for each destination,
// as printed in coq/testdata/examples.txt after the shares, equal the runs of checkRotation's model. With one start for
// all, an uplink reaches the bound of S29, 7 packets at 8 ports, as TestBoundIsAttained of package leafspine finds.
func TestCoqPlaysRotation(t *testing.T) {
	lists := coqLists(must(os.ReadFile("coq/testdata/examples.txt")))[4:]
	if len(lists) != 16 {
		t.Fatalf("Coq prints %d lists of queues, want 16", len(lists))
	}
	for i, got := range lists {
		s := rotationRun{spines: got[0], leaves: got[1], fan: got[2]}
		hosts := s.spines * s.leaves
		s.destination = func(host, turn int) int {
			return (host/s.spines/s.fan*s.fan+s.fan+turn)%s.leaves*s.spines + host%s.spines
		}
		s.begin, s.start = make([]int, hosts), make([]int, hosts*s.fan)
		for j := range s.start {
			if host := j / s.fan; i >= 2 {
				s.begin[host], s.start[j] = host%3, (host+s.destination(host, j%s.fan))%s.spines
			}
		}
		if want := s.play(got[3])[got[3]-1]; !slices.Equal(got[4:], want[:]) {
			t.Errorf("%d spines, %d leaves, %d destinations, %d slots: Coq has %v, the model %v", got[0], got[1], got[2], got[3], got[4:], want)
		}
		if attained := rotationBounds(got[0], got[2])[0]; i < 2 && got[4] != attained {
			t.Errorf("%d spines: an uplink of %d, want %d", got[0], got[4], attained)
		}
	}
	if got := rotationBounds(4, 2); got != [3]int{7, 14, 21} {
		t.Errorf("bounds for 4 spines and 2 destinations: %v", got)
	}
}

// assumes returns a word by which a file could assume what it does not prove, or "": an axiom
// anywhere, or a variable or hypothesis outside a section, where it is an axiom too. In a section
// a theorem has it as a condition, which Check prints.
func assumes(file string) string {
	forbidden := regexp.MustCompile(`\b(Admitted|admit|Axioms?|Parameters?|Conjecture|give_up|bypass_check)\b`)
	if word := forbidden.FindString(file); word != "" {
		return word
	}
	words := regexp.MustCompile(`\b(Section|End|Variables?|Hypothes[ie]s|Context)\b`)
	depth := 0
	for _, word := range words.FindAllString(file, -1) {
		switch word {
		case "Section":
			depth++
		case "End":
			depth--
		default:
			if depth == 0 {
				return word
			}
		}
	}
	return ""
}

// TestAssumes: each way to assume is seen, and none else.
func TestAssumes(t *testing.T) {
	for file, want := range map[string]string{
		"Axiom a : 0 = 1.": "Axiom", "Hypothesis h : 0 = 1.": "Hypothesis", "Variable v : nat.": "Variable",
		"Context (h : 0 = 1).": "Context", "Section A.\nVariables n : nat.\nEnd A.\nHypotheses h : 0 = 1.": "Hypotheses",
		"Section A.\nHypothesis h : 0 = 1.\nEnd A.": "", "Theorem t : 0 = 1. Admitted.": "Admitted",
	} {
		if got := assumes(file); got != want {
			t.Errorf("%q: the word %q, want %q", file, got, want)
		}
	}
}

// coqLists returns the innermost lists of numbers that Coq printed.
func coqLists(printed []byte) (lists [][]int) {
	for _, list := range regexp.MustCompile(`\[::([0-9;\s]+)\]`).FindAllSubmatch(printed, -1) {
		var numbers []int
		for field := range strings.FieldsFuncSeq(string(list[1]), func(c rune) bool { return c < '0' || c > '9' }) {
			numbers = append(numbers, must(strconv.Atoi(field)))
		}
		lists = append(lists, numbers)
	}
	return lists
}

// unconverged returns n^(n r) times the exact probabilities of package recycled that a run has not
// converged after r rounds, and that it then never will: one round later its balls exceed n τ.
func unconverged(n, threshold, rounds int) (open, never, all int) {
	chain := must(recycled.NewChain(recycled.Config{Bins: n, Threshold: threshold}, nil))
	all = int(math.Pow(float64(n), float64(n*rounds)))
	for range rounds {
		chain.Step()
	}
	converged, _ := chain.Decided()
	chain.Step()
	_, certified := chain.Decided()
	return int(math.Round((1 - converged) * float64(all))), int(math.Round(certified * float64(all))), all
}

// TestCoqComputesShares: the numbers of sequences that Coq counts by its definitions (loads,
// converged, doomed; number_words says that they follow its probabilities) are the
// exact ones of package recycled, and 3/16, 3/32 and 793/2187 of all have not converged. With
// a port that serves in every second round they are the numbers of the law that step S20 is checked by, which
// is the law of package recycled's ports (6.11 standard errors of 20,000 runs, false-alarm rate 1e-9).
func TestCoqComputesShares(t *testing.T) {
	printed := must(os.ReadFile("coq/testdata/examples.txt"))
	for _, name := range []string{"loads", "run", "number", "share", "mean", "doomed", "not_yet", "used", "run_from", "fair"} {
		if !strings.Contains(string(printed), "\n"+name+" = ") {
			t.Errorf("the definition of %s is not printed", name)
		}
	}
	lists := coqLists(printed)
	if len(lists) < 4 {
		t.Fatalf("Coq prints %d lists of shares, want 4", len(lists))
	}
	for i, fraction := range [][2]int{{3, 16}, {3, 32}, {793, 2187}} {
		got := lists[i]
		open, never, all := unconverged(got[0], got[1], got[2])
		if want := []int{got[0], got[1], got[2], open, never, all}; !slices.Equal(got, want) || open*fraction[1] != all*fraction[0] {
			t.Errorf("Coq counts %v, package recycled %v", got, want)
		}
	}
	for i, c := range [][2]int{{2, 4}, {3, 5}} {
		law := newUnequalLaw(c[0], []int{1, 2})
		for range c[1] {
			law.step()
		}
		if want := rat(lists[3][i], 1<<(2*c[1])); law.open().Cmp(want) != 0 {
			t.Errorf("τ = %d, %d rounds: %v of the runs are open, in Coq %v", c[0], c[1], law.open(), want)
		}
		checkSlowPort(t, c[0], c[1], law)
	}
}

// checkSlowPort compares the law with runs of package recycled.
func checkSlowPort(t *testing.T, threshold, rounds int, law *unequalLaw) {
	const runs = 20_000
	p := must(recycled.New(recycled.Config{Bins: 2, Threshold: threshold}))
	open := 0
	for replica := range uint64(runs) {
		p.Reset(mc.NewStream(coqSeed, mc.Algorithm, replica))
		p.SetPort(1, 2)
		for range rounds {
			p.Step()
		}
		if min(p.Load(0), p.Load(1)) == 0 || max(p.Load(0), p.Load(1)) > threshold {
			open++
		}
	}
	want, _ := law.open().Float64()
	if got := float64(open) / runs; math.Abs(got-want) > 6.11*math.Sqrt(want*(1-want)/runs) {
		t.Errorf("τ = %d, %d rounds: %v of the runs are open, want %v", threshold, rounds, got, want)
	}
}

// TestCoqProvesSteps: the theorems that steps name are proved in coq, and their axioms are
// printed by Assumptions.v; nothing is admitted, and there is no axiom of our own.
func TestCoqProvesSteps(t *testing.T) {
	var text strings.Builder
	for _, name := range must(filepath.Glob("coq/*.v")) {
		file := must(os.ReadFile(name))
		text.Write(file)
		if word := assumes(string(file)); word != "" {
			t.Errorf("%s has the word %s", name, word)
		}
	}
	if lines := strings.Count(text.String(), "\n"); lines > 3400 {
		t.Errorf("coq has %d lines, at most 3400 are wanted", lines)
	}
	for _, s := range Steps() {
		for _, name := range s.Theorems {
			if !strings.Contains(text.String(), "\nTheorem "+name+" ") {
				t.Errorf("%s: coq has no theorem %s", s.ID, name)
			}
			if !strings.Contains(text.String(), "Check "+name+". Print Assumptions "+name+".") {
				t.Errorf("%s: Assumptions.v does not print the axioms of %s", s.ID, name)
			}
		}
	}
}

// TestCoqConstants: the numbers in the statements of the printed steps in coq/Printed.v are
// those of package proofs.
func TestCoqConstants(t *testing.T) {
	c := PaperConstants()
	text := string(must(os.ReadFile("coq/Printed.v")))
	for name, want := range map[string][]float64{
		"S4": {MinBins, c.Threshold, c.Coupon, c.Absorption},
		"S5": {2, 0, 0, 1, c.TailRounds, 1, 1, 1 / c.TailRate}, // τ >= 2, n > 0, no ball to throw, y >= 1
		"S6": {0, 0, c.NeverShift},
		"S7": {2, 0, 1, c.EventualSlack, 0},
		"S9": {MinBins, c.Threshold, c.Coupon, c.TailRounds, c.Coupon, c.Absorption, 1, c.Failure},
	} {
		_, statement, _ := strings.Cut(text, "\nTheorem "+name+" ")
		statement, _, _ = strings.Cut(statement, "Proof.")
		var got []float64
		for _, number := range regexp.MustCompile(`\b[0-9]+(\.[0-9]+)?\b`).FindAllString(statement, -1) {
			got = append(got, must(strconv.ParseFloat(number, 64)))
		}
		if !slices.Equal(got, want) {
			t.Errorf("the statement of %s has the numbers %v, package proofs %v", name, got, want)
		}
	}
}
