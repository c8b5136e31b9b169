package transport

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/nettest"
)

// optionsOfKinds returns the options of each kind of failure, as its help text lists them.
func optionsOfKinds() map[string][]string {
	of := map[string][]string{}
	for _, line := range regexp.MustCompile(`(?m)^  ([a-z-]+)=\S+ .*\(options: (.*)\)$`).FindAllStringSubmatch(topology.FailureGrammar(), -1) {
		of[line[1]] = strings.Split(line[2], ", ")
	}
	return of
}

// drawFailure draws a term of a kind with some of its options, for places that do not depend on the term's number. In
// half of the terms the links do not fail but are slow or lossy, if the kind can be.
func drawFailure(t *rapid.T, kind string, options []string, network topology.Planes) string {
	one := func(list ...string) string { return rapid.SampledFrom(list).Draw(t, "value") }
	value := map[string][]string{
		"cables": {"1", "2", "50%"}, "switches": {"1"}, "degrade": {"1:0.25", "50%:0.5"}, "links": {"tor0:spine0", "tor0..1:spine1..2+tor3:spine0"},
		"transceivers": {"1"}, "ports": {"1", "50%"}, "ber-cable": {"0.1%", "2%"}, "ber-switch": {"1%"}, "loss": {"0.1%", "5%"}, "flow": {"0", "2..5"},
	}[kind]
	values := map[string][]string{
		"paths": {"1", "0..1"}, "rate": {"0.25", "0.5"}, "loss": {"0.01%", "3%", "20%"}, "dir": {"up", "down", "both"}, "place": {"first", "aligned"},
		"at": {"0", "3"}, "for": {"4", "1000"}, "flap": {"5:1", "50:20"},
	}
	if network.Planes > 1 {
		values["plane"] = []string{"0", "1"}
	}
	if network.Tree.Tiers == 3 {
		values["layer"] = []string{"core"}
		if kind == "links" {
			value = []string{"tor0:agg0..1", "agg0:core0+tor7:agg7"}
		}
	}
	term := kind + "=" + one(value...)
	for _, option := range options {
		must := option == "place" || option == "paths" || kind == "ports" && option == "plane"
		if list := values[option]; list != nil && (must || rapid.Bool().Draw(t, option)) {
			term += "," + option + "=" + one(list...)
		}
	}
	return term
}

// runWith returns the result of a network with failures, or an error that refuses them. It checks that another number
// of workers gives the same.
func runWith(t *rapid.T, network topology.Planes, profile fattree.Profile, text string) (*fattree.Result, error) {
	list, err := topology.ParseFailures(text)
	if err != nil {
		t.Fatal(err)
	}
	s := fattree.Spec{Topology: network, Profile: profile, Workload: nettest.Tornado(network.Tree.Hosts, 40_000), Horizon: 2_000_000_000}
	if s.Faults, s.Errors, err = network.Place(list, nil); err != nil {
		return nil, err
	}
	n, err := fattree.Build(s)
	if err != nil {
		return nil, err
	}
	var results [2]*fattree.Result
	for i := range results {
		r := NewRun(n)
		r.Workers(1 + i)
		if results[i], err = r.Execute(t.Context(), new(uniform), shrinking{}, fattree.NewStreams(1, 0)); err != nil {
			t.Fatalf("%s: %v", text, err) // packets that are not accounted for
		}
	}
	if !reflect.DeepEqual(results[0], results[1]) {
		t.Fatalf("%s: another result with two workers", text)
	}
	return results[0], nil
}

// TestAnyFailure: each kind of failure with random options, all that its help lists, in trees and planes: packets are
// conserved and lost as the options say; a rate of 1, a loss of 0 % and a failure after the last flow change nothing;
// both directions at once are the two directions; and twice the same failure is one.
func TestAnyFailure(t *testing.T) {
	kinds, ran := optionsOfKinds(), map[string]int{}
	if len(kinds) != len(topology.FailureKinds()) {
		t.Fatalf("%d kinds with options, want %d", len(kinds), len(topology.FailureKinds()))
	}
	rapid.Check(t, func(t *rapid.T) {
		kind := string(rapid.SampledFrom(topology.FailureKinds()).Draw(t, "kind").Kind)
		network := topology.Planes{Tree: Tree{Hosts: 16, Tiers: rapid.IntRange(2, 3).Draw(t, "tiers")}, Planes: rapid.IntRange(1, 2).Draw(t, "planes")}
		switch kind {
		case "ports":
			network.Planes = 2
		case "flow":
			network.Planes = 1
		case "transceivers": // four uplinks
			network.Tree.Tiers = 2
		}
		profile := rapid.SampledFrom([]fattree.Profile{fattree.Artifact, fattree.UltraEthernet}).Draw(t, "profile")
		term := drawFailure(t, kind, kinds[kind], network)
		result, err := runWith(t, network, profile, term)
		if err != nil {
			if !strings.Contains(err.Error(), "last path") && !strings.Contains(err.Error(), "last one left") {
				t.Fatalf("%s: %v", term, err)
			}
			return
		}
		ran[kind]++
		checkLosses(t, term, result)
		healthy, err := runWith(t, network, profile, "")
		if err != nil {
			t.Fatal(err)
		}
		same := func(what string, want *fattree.Result, text string) {
			got, err := runWith(t, network, profile, text)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: %s: error %v\n%+v\nwant\n%+v", what, text, err, got, want)
			}
		}
		bare := regexp.MustCompile(`,(rate|loss|at|for)=[^,]*`).ReplaceAllString(term, "")
		same("late", healthy, regexp.MustCompile(`,at=[^,]*`).ReplaceAllString(term, "")+fmt.Sprintf(",at=%d", healthy.Slots))
		for _, option := range []string{"rate=1", "loss=0%"} {
			if name, _, _ := strings.Cut(option, "="); strings.Contains(strings.Join(kinds[kind], ","), name) && kind != "degrade" {
				same(option, healthy, bare+","+option)
			}
		}
		if strings.HasPrefix(kind, "ber") || kind == "loss" || kind == "flow" {
			return
		}
		same("twice", result, term+";"+term)
		if both := strings.Replace(term, "dir=both", "dir=up", 1); both != term {
			same("both ways", result, both+";"+strings.Replace(term, "dir=both", "dir=down", 1))
		}
	})
	for kind := range kinds {
		if ran[kind] == 0 {
			t.Errorf("%s never ran: %v", kind, ran)
		}
	}
}

// checkLosses checks the counts of a run with one failure: slow links lose nothing, and lossy ones no headers.
func checkLosses(t *rapid.T, term string, r *fattree.Result) {
	lossy := strings.Contains(term, ",loss=") && !strings.HasPrefix(term, "flow")
	random := strings.HasPrefix(term, "ber") || strings.HasPrefix(term, "loss")
	slow := strings.Contains(term, ",rate=") || strings.HasPrefix(term, "degrade")
	byFlow, gone := nettest.LostByFlows(r)
	switch {
	case byFlow != gone:
		t.Fatalf("%s: flows lose %d packets, all together %d", term, byFlow, gone)
	case r.Lost > 0 && (lossy || slow || random), r.Corrupted > 0 && !lossy && !random, r.Lost+r.Corrupted > r.Sent, r.Reroute > 0 && r.Lost == 0:
		t.Fatalf("%s: %d lost and %d corrupted of %d", term, r.Lost, r.Corrupted, r.Sent)
	case (slow || lossy || random) && r.Finished() != len(r.Flows):
		t.Fatalf("%s: %d flows finished", term, r.Finished())
	}
}
