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
// congestion controls, and with background traffic.
func controlCalibrations(t *testing.T) []controlCalibration {
	spec := fattree.Spec{Topology: fattree.Topology{Hosts: 128}, Workload: permutation128(t)}
	var list []controlCalibration
	ops, ring, fifo := sprayed(t, 65535), recycledBy(t, balance.Artifact, 65535), recycledBy(t, balance.FIFO, 65535)
	eqds, nscc := new(congestion.EQDS), new(congestion.NSCC)
	add := func(prefix string, maxFCT, mean float64, b fattree.Balancer, c fattree.Control, s fattree.Spec) {
		list = append(list, controlCalibration{calibration{prefix: prefix, maxFCT: maxFCT, mean: mean, balancer: b, spec: s}, c})
	}
	add("f12cc_oblivious_eqds_", 0.03, 0.01, ops, eqds, spec)
	add("f12cc_freezing_eqds_", 0.03, 0.01, ring, eqds, spec)
	add("f12cc_reps_eqds_", 0.03, 0.01, fifo, eqds, spec)
	add("f12cc_oblivious_nscc_", 0.03, 0.01, ops, nscc, spec)
	add("f12cc_freezing_nscc_", 0.03, 0.01, ring, nscc, spec)
	add("f12cc_reps_nscc_", 0.03, 0.01, fifo, nscc, spec)
	// With a tenth of the flows pinned the maximum is theirs, and scatters as
	// ECMP's does.
	spec.Queue, spec.KMin, spec.KMax, spec.Workload.BackgroundEvery = 101, 25, 76, 10
	pinned := pinnedFlows(t, 65535)
	add("f5bg_perm_n128_8MiB_oblivious_", 0.25, 0.05, balance.NewMixed(ops, pinned), congestion.DCTCP{}, spec)
	add("f5bg_perm_n128_8MiB_freezing_", 0.25, 0.05, balance.NewMixed(ring, pinned), congestion.DCTCP{}, spec)
	return list
}

// TestControlCalibration: so are they under EQDS and NSCC, and with background
// traffic.
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
