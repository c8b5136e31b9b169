package schedule

import (
	"cmp"
	"math"
	"strconv"
)

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
	return job{Pipeline: c, replicas: 1, nics: 1, experts: 1, layers: 1, buckets: 1}.schedule([]limit{
		{"Stages", c.Stages, 1, maxRanks}, {"Microbatches", c.Microbatches, 1, maxParts},
		{"ForwardNs", c.ForwardNs, 0, MaxCalc}, {"BackwardNs", c.BackwardNs, 0, MaxCalc},
	})
}

// Sharding says what the replicas of a stage divide among them.
type Sharding int64

// The kinds of sharding.
const (
	Replicated Sharding = iota // nothing: gradients are all-reduced over a ring
	// ZeRO divides the state of the optimizer [Rajbhandari20]: gradients are reduced and scattered, each bucket as soon
	// as the last pass has computed it; when all are, the new parameters are gathered.
	ZeRO
	// FSDP divides the parameters too [Zhao23]. In each pass of each micro-batch every bucket of layers gathers them
	// before it computes, at most one bucket ahead of the computation; each backward pass reduces and scatters the
	// bucket's gradients.
	FSDP
)

// String returns the name by which --shard calls it.
func (s Sharding) String() string {
	if s < Replicated || s > FSDP {
		return strconv.FormatInt(int64(s), 10)
	}
	return [...]string{"none", "zero", "fsdp"}[s]
}

// Training describes a synchronous step of training a transformer. A server has TensorParallel GPUs that share a stage,
// and NICs that divide its traffic evenly. The traffic inside the server is not part of this network. A rank is a NIC.
// So there are NICs * DataParallel * PipelineParallel ranks; rank (i * DataParallel + d) * PipelineParallel + s is NIC
// i of stage s of replica d. All its messages go to NICs i of other servers: a rail.
type Training struct {
	DataParallel     int64 // D, replicas, in [1, 2^16]
	PipelineParallel int64 // P, stages; a divisor of Layers
	TensorParallel   int64 // T, GPUs to a server, in [1, 1024]
	NICs             int64 // N, of a server; a divisor of T; default 1
	ExpertParallel   int64 // E, replicas that share experts; a divisor of D; 1 for a dense model
	Microbatches     int64 // M, per replica, in [1, 2^16]
	Buckets          int64 // parts in which gradients are reduced; a divisor of the layers of a stage; 1 for no overlap

	Parameters int64 // Φ, used by a token, in [1, 2^50]
	Layers     int64 // L, in [1, 4096]
	Hidden     int64 // h, numbers of an activation, in [1, 2^20]
	Tokens     int64 // B, of a step in all replicas, in [D M, 2^30]
	TopK       int64 // experts that a token goes to, in [1, 64]

	// Bytes of one number, in [1, 8]. GradientBytes is also the size of a parameter that ZeRO or FSDP gathers.
	GradientBytes, ActivationBytes int64
	Shard                          Sharding

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
// over all replicas, which is more than E > 1 needs. Each NIC carries 1/N of all these bytes. The NICs of a server wait
// for each other only at the end of the step: waits of one NIC in the step delay its own rail alone.
//
// With G = Φ / (P N) GradientBytes a NIC sends 2 G (D - 1) / D in the rings of a step, Replicated or with ZeRO, and
// 3 M G (D - 1) / D with FSDP. Rings of ZeRO and FSDP have a stream of their own. A step of a ring of Replicated
// gradients waits for a layer that is computed when the step becomes ready.
//
// Let a message take d in a pipeline and r in a ring, from the start of its send to its delivery, and e in an
// exchange to its acknowledgement, or 0 for a dense model. If no acknowledgement ends the step, the step takes
//
//	(M + P - 1) (L / P) (3 times the forward time of a layer + 4 e) + 2 (P - 1) d + 2 (D - 1) r
//
// unless it is FSDP. A dense model with P = 1 takes, with FSDP and U Buckets, if a ring takes no longer than the
// forward time of a bucket,
//
//	3 M L times the forward time of a layer + 2 (D - 1) r
//
// and (2 M U + 1) (D - 1) r without computation. It returns the errors of [Pipeline.Schedule]. O(operations).
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
		replicas: c.DataParallel, nics: cmp.Or(c.NICs, 1), shard: c.Shard, experts: c.ExpertParallel, layers: c.Layers / c.PipelineParallel, buckets: c.Buckets,
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
	f.Check(c.Shard >= Replicated && c.Shard <= FSDP, "Shard", c.Shard, "must be %v, %v or %v", Replicated, ZeRO, FSDP)
	f.Check(c.Shard == Replicated || c.DataParallel > 1, "Shard", c.Shard, "must be %v with one replica", Replicated)
	divides("NICs", cmp.Or(c.NICs, 1), c.TensorParallel)
	divides("PipelineParallel", c.PipelineParallel, c.Layers)
	divides("ExpertParallel", c.ExpertParallel, c.DataParallel)
	divides("Buckets", c.Buckets, c.Layers/max(1, c.PipelineParallel))
	return f.Err()
}

// job is a step of training.
type job struct {
	Pipeline                                       // with the times of one layer
	replicas, nics, experts, layers, buckets int64 // layers per stage
	gradient, expert                         int64 // bytes of gradients per stage; bytes of an exchange from each server to each other
	shard                                    Sharding
}

// schedule returns the schedule of the step, if values are within their limits.
func (j job) schedule(limits []limit) (*Schedule, error) {
	rail := j.replicas * j.Stages
	limits = append(limits, limit{"ranks", j.nics * rail, 1, maxRanks}, limit{"bytes between stages", j.Bytes, 0, MaxBytes},
		limit{"bytes of a stage's gradients", j.gradient, 0, MaxBytes}, limit{"bytes of an exchange", j.expert, 0, MaxBytes})
	operations := 2*j.Microbatches*(3+j.layers*(4*j.experts+2)) + 4*(j.replicas+1)*j.buckets
	if j.shard == FSDP {
		operations += 2 * j.Microbatches * j.buckets * (3*j.replicas + 6)
	}
	return made(limits, j.nics*rail, operations, func(m *maker) {
		nic, place := m.rank/rail, m.rank/j.Stages%j.replicas
		s := &server{job: j, maker: m, members: group{m.rank - place*j.Stages, j.Stages, j.replicas}, place: place,
			at: -1, before: -1, gathered: -1, reduced: -1}
		s.Bytes, s.gradient, s.expert = part(j.Bytes, j.nics, nic), part(j.gradient, j.nics, nic), part(j.expert, j.nics, nic)
		for pass := range 2 * j.Microbatches {
			s.pass(pass >= j.Microbatches, pass == 2*j.Microbatches-1)
		}
		for unit := int64(0); unit < j.buckets && j.shard == ZeRO && j.replicas > 1; unit++ {
			s.exchangeShards(gathering, unit, s.reduced)
		}
	})
}

// server adds the operations of a NIC of a server. Operations are -1 before the first.
type server struct {
	job
	*maker
	members           group // the NICs of its stage in all replicas
	place             int64 // among them
	at, before        int32 // last computation; the last one of the bucket before the current one
	gathered, reduced int32 // last receives of the last all-gather and of reduce-scatters
}

// pass adds a micro-batch's forward or backward pass through the stage.
func (s *server) pass(backward, last bool) {
	ns, towards, tag := s.ForwardNs, int64(1), int32(forwardTag)
	if backward {
		ns, towards, tag = s.BackwardNs, -1, backwardTag
	}
	if from := s.rank%s.Stages - towards; from >= 0 && from < s.Stages {
		s.at = s.calc(0, s.at, s.add(Recv, s.rank-towards, s.Bytes, tag))
	}
	for layer := range s.layers {
		each := s.layers / s.buckets
		if layer%each == 0 {
			s.gather(layer / each)
		}
		s.layer(ns)
		if (layer+1)%each == 0 {
			s.reduce(layer/each, backward, last)
		}
	}
	if to := s.rank%s.Stages + towards; to >= 0 && to < s.Stages {
		s.add(Send, s.rank+towards, s.Bytes, tag, s.at)
	}
}

// shardStream is the stream of rings of ZeRO and FSDP. All else has stream 0.
const shardStream = 1

// exchangeShards adds steps of a ring over the gradients or parameters of a bucket, after operations. It returns the
// last receive.
func (s *server) exchangeShards(steps func(n int64) ringSteps, unit int64, after ...int32) int32 {
	s.cpu = shardStream
	last := s.ring(s.members, steps(s.replicas), s.place, part(s.gradient, s.buckets, unit), s.calc(0, after...))
	s.cpu = 0
	return last
}

// gather lets FSDP gather the parameters of a bucket before its computation, while the bucket before computes.
func (s *server) gather(unit int64) {
	if s.shard != FSDP || s.replicas == 1 {
		return
	}
	s.gathered = s.exchangeShards(gathering, unit, s.gathered, s.before)
	s.before, s.at = s.at, s.calc(0, s.at, s.gathered)
}

// reduce reduces the gradients of a bucket after its computation.
func (s *server) reduce(unit int64, backward, last bool) {
	switch {
	case s.replicas == 1:
	case s.shard == FSDP && backward:
		s.reduced = s.exchangeShards(reducing, unit, s.at, s.reduced)
	case s.shard == ZeRO && last:
		s.reduced = s.calc(0, s.reduced, s.exchangeShards(reducing, unit, s.at))
	case s.shard == Replicated && last:
		s.ring(s.members, allReducing(s.replicas), s.place, part(s.gradient, s.buckets, unit), s.at)
	}
}

// layer adds a layer of a micro-batch.
func (s *server) layer(ns int64) {
	if s.experts == 1 {
		s.at = s.calc(ns, s.at)
		return
	}
	place := s.place % s.experts
	members := group{s.rank - place*s.Stages, s.Stages, s.experts}
	for _, half := range []int64{ns / 2, ns - ns/2} {
		s.at = s.exchange(members, place, s.experts-1, s.expert, s.calc(half, s.at))
	}
}
