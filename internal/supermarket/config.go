package supermarket

import (
	"cmp"

	"repslab/faults"
)

// Policy selects the server of a job.
type Policy string

// The policies. Servers are sampled uniformly. Ties between equal queues are broken at random.
const (
	// JSQ: the shortest queue of d samples, with replacement unless Config.Distinct; d messages per job
	// [Mitzenmacher01]. The default.
	JSQ Policy = "jsq"
	// Memory: the shortest queue of d samples and the remembered server. After the job has joined, the
	// shortest of the same queues is remembered. d + 1 messages per job, ceil(log2 n) bits of memory
	// [Shah02, Mitzenmacher02].
	Memory Policy = "memory"
	// Observations, SQ(d, n): the queues of d distinct samples are remembered, and the job goes to the
	// shortest of all remembered queues, which is remembered with one job more. The dispatcher does not
	// see completions. d messages per job, n queue lengths of memory [AnselmiDufour20].
	Observations Policy = "observations"
	// Pull: an idle server sends its name at rate α unless it is remembered. The dispatcher remembers at
	// most c names. A job goes to a random remembered server, which is then forgotten, or to a sample if
	// there is none. c ceil(log2 n) bits of memory [Gamarnik18].
	Pull Policy = "pull"
)

// Policies lists the policies, the default first.
func Policies() []Policy { return []Policy{JSQ, Memory, Observations, Pull} }

// Config describes a dispatcher and its servers. The zero value is an open system of 100 servers
// at λ = 0.9 with two choices.
type Config struct {
	Servers int       // n in [1, MaxServers]; 0 means 100
	Rates   []float64 // rates of the first servers, each in [0, 1]; the others have rate 1

	Lambda float64 // in (0, MaxLambda]; 0 means 0.9, unless there are Jobs
	Jobs   int     // m in [0, MaxJobs], at uniform servers at first; 0 means an open system

	Policy   Policy
	Choices  int     // d in [1, min(n, MaxChoices)], for all policies but Pull; 0 means min(2, n)
	Distinct bool    // JSQ: samples are distinct servers
	Names    int     // c of Pull, in [1, n]; 0 means n
	Alpha    float64 // α of Pull, in (0, MaxAlpha]; 0 means 1
}

// Limits of a Config.
const (
	MaxServers = 1 << 20
	MaxLambda  = 1 << 10
	MaxJobs    = 1 << 30
	MaxChoices = 1 << 10
	MaxAlpha   = 1 << 20
)

// WithDefaults returns the configuration with defaults applied.
func (c Config) WithDefaults() Config {
	c.Servers = cmp.Or(c.Servers, 100)
	if c.Jobs == 0 {
		c.Lambda = cmp.Or(c.Lambda, 0.9)
	}
	c.Policy = cmp.Or(c.Policy, JSQ)
	c.Choices = cmp.Or(c.Choices, min(2, c.Servers))
	c.Names = cmp.Or(c.Names, c.Servers)
	c.Alpha = cmp.Or(c.Alpha, 1)
	return c
}

// Validate reports every fault of the configuration with defaults applied, as joined
// [*faults.FieldError] values.
func (c Config) Validate() error {
	bad := faults.List{Package: "supermarket"}
	bad.In("Servers", c.WithDefaults().Servers, 1, MaxServers)
	c.Servers = min(max(0, c.Servers), MaxServers) // so that a refused number does not set limits for other fields
	c = c.WithDefaults()
	bad.Check(len(c.Rates) <= c.Servers, "Rates", len(c.Rates), "must list at most Servers=%d rates", c.Servers)
	for _, rate := range c.Rates {
		bad.Check(rate >= 0 && rate <= 1, "Rates", rate, "must be in [0, 1]")
	}
	bad.In("Jobs", c.Jobs, 0, MaxJobs)
	bad.Check(c.Jobs == 0 || c.Lambda == 0, "Lambda", c.Lambda, "must be 0 in a closed system, with Jobs")
	bad.Check(c.Jobs != 0 || c.Lambda > 0 && c.Lambda <= MaxLambda, "Lambda", c.Lambda, "must be in (0, %d]", MaxLambda)
	faults.OneOf(&bad, "Policy", c.Policy, Policies())
	bad.In("Choices", c.Choices, 1, min(c.Servers, MaxChoices))
	bad.In("Names", c.Names, 1, c.Servers)
	bad.Check(c.Alpha > 0 && c.Alpha <= MaxAlpha, "Alpha", c.Alpha, "must be in (0, %d]", MaxAlpha)
	return bad.Err()
}
