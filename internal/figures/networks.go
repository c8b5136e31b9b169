package figures

import (
	"math/rand/v2"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/mc"
)

// Workload returns the source of a replica's workload.
func WorkloadSource(seed, replica uint64) rand.Source {
	return mc.NewStream(seed, mc.Workload, replica).Source()
}

// Failing returns networks whose workload and whose places of failures differ from
// replica to replica; the failures are written as for the command line, and their
// random places are independent of the workload.
func Failing(seed uint64, spec fattree.Spec, failures string, workload func(replica uint64) (fattree.Workload, error)) fattree.Networks {
	return fattree.Varied(func(_, replica uint64) (fattree.Spec, error) {
		of := spec
		list, err := fattree.ParseFailures(failures)
		if err != nil {
			return of, err
		}
		of.Faults, of.Errors, err = fattree.Place(of.Topology, list, mc.NewStream(seed, mc.Workload, replica).Child(1).Source())
		if err != nil {
			return of, err
		}
		of.Workload, err = workload(replica)
		return of, err
	})
}

// Permutation returns networks with a permutation that differs from replica to
// replica.
func Permutation(seed uint64, spec fattree.Spec, bytes int64) fattree.Networks {
	return Varied(spec, func(replica uint64) (fattree.Workload, error) {
		return traffic.Permutation(spec.Topology.Hosts, traffic.Message{Bytes: bytes}, WorkloadSource(seed, replica))
	})
}

// Fixed returns a function that makes the network for a workload, or for the
// failure to make one.
func Fixed(spec fattree.Spec) func(fattree.Workload, error) fattree.Networks {
	return func(w fattree.Workload, err error) fattree.Networks {
		if err != nil {
			return func(_, _ uint64) (*fattree.Network, error) { return nil, err }
		}
		spec.Workload = w
		return fattree.Fixed(spec)
	}
}

// Varied returns networks for a workload that differs from replica to replica.
func Varied(spec fattree.Spec, workload func(replica uint64) (fattree.Workload, error)) fattree.Networks {
	return fattree.Varied(func(_, replica uint64) (fattree.Spec, error) {
		of := spec
		var err error
		of.Workload, err = workload(replica)
		return of, err
	})
}
