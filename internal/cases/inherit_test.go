package cases

import (
	"testing"

	"repslab/fattree/balance"
	"repslab/fattree/transport"
)

// TestInheritOfEveryBalancer: with fixed windows --inherit on is accepted where a flow that inherits changes a run, and
// refused where it does not, for every balancer. Windows that change, and windows that leak, are something to inherit;
// messages that queue in one connection share it whatever it knows.
func TestInheritOfEveryBalancer(t *testing.T) {
	const ring = "hosts=32 workload=allreduce-ring degree=8 message-bytes=120kB window=60 kmin=2 kmax=6 queue=20 cc=none "
	const refused = "--inherit: on has no effect here: it is used only by workloads in which a pair of hosts has several flows: " +
		"allreduce-ring, those of drawn sizes and some of --flows; queue only with --schedule and without --profile mrc; on with --cc none only by --lb ecmp, plb, "
	takes := func(flags string) bool { return accepts(t, flags+" inherit=on", refused) }
	for _, b := range balance.All() {
		flags := ring + "lb=" + b.Name
		heeds := changes(t, flags, func(o *transport.Options) { o.InheritConnections = true })
		if got := takes(flags); got != heeds {
			t.Errorf("%s: accepted %v, but it changes the run: %v", b.Name, got, heeds)
		}
		if got := takes(flags + " cc=dctcp"); !got {
			t.Errorf("%s with windows that change: refused", b.Name)
		}
	}
	for flags, want := range map[string]bool{
		"lb=ops slips=requests": true, "lb=reps reps=fifo": false, "lb=reps reps=artifact": true, "lb=reps share-state=on": false,
		"lb=ops lb-of=source<14:mixed": true, "lb=plb lb-of=source<14:ops": true, "lb=ops lb-of=source<14:flowlet": false, "lb=ops background-every=2": true,
	} {
		if got := takes(ring + flags); got != want {
			t.Errorf("%s: accepted %v, want %v", flags, got, want)
		}
	}
	const goal = "num_ranks 2\nrank 0 {\nl1: send 1000b to 1 tag 1\n}\nrank 1 {\nl1: recv 1000b from 0 tag 1\n}\n"
	completedPoint(t, "hosts=8 schedule=goal steps=2 cc=none lb=ops inherit=queue", inputOf(t, "goal", goal)) // fails if it is refused
}
