package cases

import (
	"reflect"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/transport"
	"repslab/internal/param"
)

// trimming is an incast that trims packets of every flow at the port to their receiver.
const trimming = "hosts=16 workload=incast degree=12 message-bytes=250kB cc=none window=60 queue=20 kmin=5 kmax=19 "

// changes reports whether a run differs if options of hosts differ.
func changes(t *testing.T, flags string, options func(*transport.Options)) bool {
	t.Helper()
	run := func(options func(*transport.Options)) *fattree.Result {
		p := pointOf(t, flags)
		transport.Change(&p.Spec, options)
		return replicaOf(t, p, 0)
	}
	return !reflect.DeepEqual(run(func(*transport.Options) {}), run(options))
}

// accepts reports whether flags are accepted. It fails if they are refused in other words.
func accepts(t *testing.T, flags, refused string) bool {
	t.Helper()
	given := param.Texts{}
	for assignment := range strings.FieldsSeq(flags) {
		flag, value, _ := strings.Cut(assignment, "=")
		given[param.KeyOf(flag)] = value // the last one counts
	}
	_, err := fattreeModel().Grid(param.Selection{Parameters: given})
	if err != nil && !strings.HasPrefix(err.Error(), refused) {
		t.Errorf("%s: error %v, want %s", flags, err, refused)
	}
	return err == nil
}

// TestLastHopTrimsOfEveryBalancer: --last-hop-trims is accepted where it changes a run, and refused where it does not,
// for every balancer; of two that share the flows one has to learn from trims.
func TestLastHopTrimsOfEveryBalancer(t *testing.T) {
	const refused = "--last-hop-trims: good has no effect here: it is used only by --profile reps with --trimming on and --lb plb, "
	good := func(o *transport.Options) { o.LastHopGood = true }
	for _, b := range balance.All() {
		flags := "lb=" + b.Name
		heeds := changes(t, trimming+flags, good)
		cases := map[string]bool{flags: heeds, flags + " trimming=off": false}
		if b.Name != lbMRC {
			cases[flags+" background-every=2"] = heeds
		}
		if b.Name != lbSubflows && b.Name != lbExclude {
			cases[flags+" profile=uet"], cases[flags+" profile=mrc"] = false, false
		}
		if b.Name != lbMRC && b.Name != lbPerPlane && b.Name != lbOracle {
			cases[flags+" lb-of=source<14:flowlet"], cases[flags+" lb-of=source<14:mixed"] = heeds, true
		}
		for flags, want := range cases {
			if takes := accepts(t, trimming+flags+" last-hop-trims=good", refused); takes != want {
				t.Errorf("%s: accepted %v, want %v", flags, takes, want)
			}
		}
	}
	for flags, want := range map[string]bool{"lb=ops lb-of=source<14:mixed": true, "lb=mprdma lb-of=source<14:ops": true, "lb=ops lb-of=source<14:flowlet": false} {
		if got := changes(t, trimming+flags, good); got != want {
			t.Errorf("%s: it changes the run: %v, want %v", flags, got, want)
		}
	}
}
