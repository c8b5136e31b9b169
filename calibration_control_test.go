package repslab

import (
	"os"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
)

// controlCalibration is a calibration under a congestion control.
type controlCalibration struct {
	calibration
	control fattree.Control
}

// controlCalibrations lists the authors' permutation under the other two
// congestion controls.
func controlCalibrations(t *testing.T) []controlCalibration {
	spec := fattree.Spec{Topology: fattree.Topology{Hosts: 128}, Workload: permutation128(t)}
	var list []controlCalibration
	for cc, control := range map[string]fattree.Control{"eqds": new(congestion.EQDS), "nscc": new(congestion.NSCC)} {
		for lb, balancer := range map[string]fattree.Balancer{
			"oblivious": sprayed(t, 65535), "freezing": recycledBy(t, balance.Artifact, 65535), "reps": recycledBy(t, balance.FIFO, 65535),
		} {
			c := calibration{prefix: "f12cc_" + lb + "_" + cc + "_", maxFCT: 0.03, mean: 0.01, balancer: balancer, spec: spec}
			list = append(list, controlCalibration{c, control})
		}
	}
	return list
}

// TestControlCalibration: so are they under EQDS and NSCC.
func TestControlCalibration(t *testing.T) {
	replicas := uint64(3)
	if os.Getenv("REPSLAB_LONG") != "" {
		replicas = 10
	}
	for _, c := range controlCalibrations(t) {
		t.Run(strings.TrimSuffix(c.prefix, "_"), func(t *testing.T) {
			maxFCT, mean := c.measure(t, replicas, c.control)
			wantMax, wantMean := reference(t, c.prefix)
			compare(t, "max", maxFCT, wantMax, c.maxFCT)
			compare(t, "mean", mean, wantMean, c.mean)
		})
	}
}
