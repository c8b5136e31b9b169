package balance

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"repslab/fattree/transport"
	"repslab/mc"
)

// TestNewHasOneRangeOfEVs: under every name, 0, negative and more than MaxEVS EVs are
// refused with the same words, and all other numbers from 8 on are taken.
func TestNewHasOneRangeOfEVs(t *testing.T) {
	for _, named := range All() {
		for _, evs := range []int{-1, 0, MaxEVS + 1, 70_000} {
			if b, err := New(named.Name, evs); err == nil || err.Error() != fmt.Sprintf("balance: evs (%d) must be in [1, 65536]", evs) || b != nil {
				t.Errorf("%s, %d EVs: %v, error %v", named.Name, evs, b, err)
			}
		}
		for _, evs := range []int{8, 255, MaxEVS} {
			if b, err := New(named.Name, evs); err != nil || b == nil {
				t.Errorf("%s, %d EVs: %v, error %v", named.Name, evs, b, err)
			}
		}
	}
}

// TestConstructorsReturnNothingWithAnError: constructors return a balancer or an error, not both.
func TestConstructorsReturnNothingWithAnError(t *testing.T) {
	for _, named := range All() {
		for _, evs := range []int{-1, 0, 7, MaxEVS + 1} {
			if b, err := named.New(evs); (b == nil) != (err != nil) {
				t.Errorf("%s, %d EVs: %v, error %v", named.Name, evs, b, err)
			}
		}
	}
	ecmp, errECMP := NewECMP(0)
	ops, errOPS := NewSpraying(0)
	plb, errPLB := NewPLB(0, 0)
	flowlet, errFlowlet := NewFlowlet(0)
	mprdma, errMPRDMA := NewMPRDMA(0)
	multipath, errMultipath := NewMultipath(0, 8)
	if ecmp != nil || ops != nil || plb != nil || flowlet != nil || mprdma != nil || multipath != nil {
		t.Error("a balancer without EVs")
	}
	for _, err := range []error{errECMP, errOPS, errPLB, errFlowlet, errMPRDMA, errMultipath} {
		if err == nil || err.Error() != "balance: evs (0) must be in [1, 65536]" {
			t.Errorf("no EVs: error %v", err)
		}
	}
}

// TestPackageDocListsAll: the table of the package's documentation has the name, the constructor, the summary and the
// source of every balancer, in the words of the list.
func TestPackageDocListsAll(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(strings.ReplaceAll(string(text), "//", "")), " ")
	for _, named := range All() {
		row := regexp.MustCompile(fmt.Sprintf(` %s (\w+) %s`, regexp.QuoteMeta(named.Name), regexp.QuoteMeta(fmt.Sprintf("%s [%s]", named.Summary, named.Source))))
		found := row.FindStringSubmatch(words)
		if found == nil || !regexp.MustCompile(`(?m)^func (\(.*\) )?New`+found[1]+`\(`).MatchString(code.String()) {
			t.Errorf("doc.go: its table has no row\n%s CONSTRUCTOR %s [%s]", named.Name, named.Summary, named.Source)
		}
	}
}

// TestRecycled: after a packet and good feedback on another EV, the next EV is recycled if the
// balancer keeps EVs that it could replace by random ones.
func TestRecycled(t *testing.T) {
	keeps := map[string]bool{"host-adaptive": true, "plb": true, "plb-k25": true, "flowlet": true, "mprdma": true, "mixed": true, "reps": true, "reps-exclude": true, "reps-planes": true}
	for _, named := range All() {
		b, err := named.New(MaxEVS)
		if err != nil {
			t.Fatal(err)
		}
		b.Reset(pair(t), mc.NewStream(1, mc.Algorithm, 0))
		b.NextEV(0, 0)
		b.Feedback(transport.Feedback{EV: 7, Now: us, RTT: rtt, Room: 2})
		if _, recycled := b.NextEV(0, us); recycled != keeps[named.Name] {
			t.Errorf("%s: recycled is %v; keeps lists the balancers for which it is true", named.Name, recycled)
		}
	}
}

// TestUsesCarried: a Mixed learns from carried EVs, and from trims, if either balancer does.
func TestUsesCarried(t *testing.T) {
	plb, err := NewPLB(MaxEVS, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, parts := range [][2]transport.Balancer{{plb, NewAdaptive()}, {NewAdaptive(), plb}, {NewAdaptive(), NewRoundRobin()}} {
		want := parts[0] == plb || parts[1] == plb
		if got := NewMixed(parts[0], parts[1]).Traits(); got.UsesCarried != want || got.UsesTrims != want {
			t.Errorf("%T, %T: %+v", parts[0], parts[1], got)
		}
	}
}
