package schedule

import "math"

// Pipeline describes a pass of micro-batches through a pipeline of stages, forward and then backward, as in GPipe
// [Huang19]. A stage begins its backward pass when all micro-batches have gone forward, with the last micro-batch
// first.
type Pipeline struct {
	Stages       int64 // p, in [1, maxRanks]
	Microbatches int64 // m, in [1, 2^16]
	ForwardNs    int64 // time of a micro-batch on a stage; in [0, MaxCalc], like BackwardNs
	BackwardNs   int64
	Bytes        int64 // sent to the next stage after each forward calc, and back; in [0, 2^50]
}

// Schedule returns the schedule, with one rank for each stage. If a message takes d from the start of its send to
// its delivery, and is acknowledged before the last calc ends, the schedule takes
//
//	(m + p - 1) (ForwardNs + BackwardNs) + 2 (p - 1) d
//
// Errors are [*faults.FieldError] values, or say that the limit of 2^24 operations or MaxCalc is exceeded. O(m p).
func (c Pipeline) Schedule() (*Schedule, error) {
	return job{Pipeline: c, replicas: 1, experts: 1, layers: 1, buckets: 1}.schedule([]limit{
		{"Stages", c.Stages, 1, maxRanks}, {"Microbatches", c.Microbatches, 1, maxParts},
		{"ForwardNs", c.ForwardNs, 0, MaxCalc}, {"BackwardNs", c.BackwardNs, 0, MaxCalc},
	})
}

// Training describes a synchronous step of training a transformer. A rank is a group of TensorParallel GPUs. In
// practice they sit in one server, and the traffic inside the server is not part of this network. So there are
// DataParallel * PipelineParallel ranks; rank d * PipelineParallel + s is stage s of replica d.
type Training struct {
	DataParallel     int64 // D, replicas, in [1, 2^16]
	PipelineParallel int64 // P, stages; a divisor of Layers
	TensorParallel   int64 // T, GPUs to a rank, in [1, 1024]
	ExpertParallel   int64 // E, replicas that share experts; a divisor of D; 1 for a dense model
	Microbatches     int64 // M, per replica, in [1, 2^16]
	Buckets          int64 // parts in which gradients are reduced; a divisor of the layers of a stage; 1 for no overlap

	Parameters int64 // Φ, used by a token, in [1, 2^50]
	Layers     int64 // L, in [1, 4096]
	Hidden     int64 // h, numbers of an activation, in [1, 2^20]
	Tokens     int64 // B, of a step in all replicas, in [D M, 2^30]
	TopK       int64 // experts that a token goes to, in [1, 64]

	GradientBytes, ActivationBytes int64 // bytes of one number, in [1, 8]

	TFLOPS int64 // rate that a GPU achieves, 10^12 FLOP/s, in [1, 10^6]
}

// Schedule returns the schedule of the step. With t = B / (D M) tokens in a micro-batch, a layer takes
//
//	2 Φ t / (L T F)  forward, and twice that backward: 6 Φ B FLOPs in all  [Kaplan20]
//
// on F FLOP/s. A stage sends t h ActivationBytes to the next one, and back [Narayanan21]. The replicas of a stage
// reduce Φ / P GradientBytes over a ring, in Buckets, each as soon as the last pass has computed it. With experts,
// a layer has two all-to-alls in each direction among E consecutive replicas, after its first and second half;
// each replica sends t h ActivationBytes TopK / E to each other one [Lepikhin20]. The model leaves out the
// optimizer, memory, the FLOPs of attention, and the traffic inside servers. It reduces the gradients of experts
// over all replicas, which is more than E > 1 needs.
//
// Let a message take d in a pipeline and r in a ring, from the start of its send to its delivery, and e in an
// exchange to its acknowledgement, or 0 for a dense model. If no acknowledgement ends the step, the step takes
//
//	(M + P - 1) (L / P) (3 times the forward time of a layer + 4 e) + 2 (P - 1) d + 2 (D - 1) r
//
// It returns the errors of [Pipeline.Schedule]. O(operations).
func (c Training) Schedule() (*Schedule, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	tokens := c.Tokens / (c.DataParallel * c.Microbatches)
	flops := 2 * float64(c.Parameters) / float64(c.Layers) * float64(tokens)
	forward := int64(math.Round(min(MaxCalc, flops/(float64(c.TensorParallel)*float64(c.TFLOPS)*1000))))
	activation := tokens * c.Hidden * c.ActivationBytes
	return job{
		Pipeline: Pipeline{c.PipelineParallel, c.Microbatches, forward, 2 * forward, activation},
		replicas: c.DataParallel, experts: c.ExpertParallel, layers: c.Layers / c.PipelineParallel, buckets: c.Buckets,
		gradient: c.Parameters / c.PipelineParallel * c.GradientBytes,
		expert:   activation * c.TopK / c.ExpertParallel,
	}.schedule(nil)
}

// validate reports values out of range.
func (c Training) validate() error {
	f := outside([]limit{
		{"DataParallel", c.DataParallel, 1, maxParts}, {"TensorParallel", c.TensorParallel, 1, 1024},
		{"Microbatches", c.Microbatches, 1, maxParts}, {"Parameters", c.Parameters, 1, MaxBytes},
		{"Layers", c.Layers, 1, 4096}, {"Hidden", c.Hidden, 1, 1 << 20}, {"TopK", c.TopK, 1, 64},
		{"GradientBytes", c.GradientBytes, 1, 8}, {"ActivationBytes", c.ActivationBytes, 1, 8},
		{"TFLOPS", c.TFLOPS, 1, 1_000_000}, {"Tokens", c.Tokens, c.DataParallel * c.Microbatches, 1 << 30},
	})
	divides := func(name string, divisor, total int64) {
		f.Check(divisor >= 1 && total%max(1, divisor) == 0, name, divisor, "must be a divisor of %d", total)
	}
	divides("PipelineParallel", c.PipelineParallel, c.Layers)
	divides("ExpertParallel", c.ExpertParallel, c.DataParallel)
	divides("Buckets", c.Buckets, c.Layers/max(1, c.PipelineParallel))
	return f.Err()
}

// job is a step of training.
type job struct {
	Pipeline                                 // with the times of one layer
	replicas, experts, layers, buckets int64 // layers per stage
	gradient, expert                   int64 // bytes of gradients per stage; bytes of an exchange from each rank to each other
}

// schedule returns the schedule of the step, if values are within their limits.
func (j job) schedule(limits []limit) (*Schedule, error) {
	ranks := j.replicas * j.Stages
	limits = append(limits, limit{"ranks", ranks, 1, maxRanks}, limit{"bytes between stages", j.Bytes, 0, MaxBytes},
		limit{"bytes of a stage's gradients", j.gradient, 0, MaxBytes}, limit{"bytes of an exchange", j.expert, 0, MaxBytes})
	operations := 2*j.Microbatches*(3+j.layers*(4*j.experts+2)) + 4*j.replicas*j.buckets
	return made(limits, ranks, operations, func(m *maker) {
		at := int32(-1)
		for pass := range 2 * j.Microbatches {
			at = j.pass(m, pass >= j.Microbatches, pass == 2*j.Microbatches-1, at)
		}
	})
}

// pass adds a micro-batch's forward or backward pass through the stage of a rank, after operation at.
func (j job) pass(m *maker, backward, last bool, at int32) int32 {
	ns, towards, tag := j.ForwardNs, int64(1), int32(forwardTag)
	if backward {
		ns, towards, tag = j.BackwardNs, -1, backwardTag
	}
	if from := m.rank%j.Stages - towards; from >= 0 && from < j.Stages {
		at = m.calc(0, at, m.add(Recv, m.rank-towards, j.Bytes, tag))
	}
	for layer := range j.layers {
		at = j.layer(m, ns, at)
		if each := j.layers / j.buckets; last && (layer+1)%each == 0 && j.replicas > 1 {
			m.ring(group{m.rank % j.Stages, j.Stages, j.replicas}, m.rank/j.Stages, part(j.gradient, j.buckets, layer/each), at)
		}
	}
	if to := m.rank%j.Stages + towards; to >= 0 && to < j.Stages {
		m.add(Send, m.rank+towards, j.Bytes, tag, at)
	}
	return at
}

// layer adds a layer of a micro-batch.
func (j job) layer(m *maker, ns int64, at int32) int32 {
	if j.experts == 1 {
		return m.calc(ns, at)
	}
	place := m.rank / j.Stages % j.experts
	members := group{m.rank - place*j.Stages, j.Stages, j.experts}
	for _, half := range []int64{ns / 2, ns - ns/2} {
		at = m.exchange(members, place, j.experts-1, j.expert, m.calc(half, at))
	}
	return at
}
