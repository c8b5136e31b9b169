// Package schedule plays the ranks of a job: they compute, send and receive in an order that depends on each
// other, as in a step of training. Package fattree gives the time of flows; a schedule gives the time of the step.
//
// # Model
//
// A schedule is a directed graph of operations. Each belongs to a rank, which is an endpoint of the network, and to
// one of the rank's streams (cpu).
//
//   - An operation is ready when all operations that it requires have ended, and all that it irequires have started.
//   - The operations of a stream start one after another in the order in which they become ready. Operations that
//     become ready at the same time start in the order of the file. A calc holds its stream for its time. A send or
//     recv takes a turn but no time of the stream.
//   - The k-th send from a rank to another one with a tag goes to the k-th recv with the same ends and tag, in the
//     order of the file. Both have the same number of bytes. A recv from any rank, or with any tag (-1), takes one
//     of the remaining sends. These sends are taken in the order in which they would start if messages took no
//     time; each goes to the first open recv of the file that accepts it. This is settled before the schedule is
//     played.
//   - A send hands its message to the network when it starts, whether or not the recv has started. It ends when its
//     sender has the last acknowledgement.
//   - A recv ends when it has started and its whole message has arrived.
//   - A message of 0 bytes only orders operations. It takes the latency of its path ([Job].Latency), and so does the
//     answer that its sender waits for; neither enters the network. Without latencies, a schedule with only empty
//     messages takes exactly the critical path of its calcs.
//
// All ends and arrivals at a time are handled before any start at this time. An operation that starts may end at
// once and make others ready; these take their turns at the same time.
//
// # Files
//
// [Read] and [Write] use the text of the GOAL format [Hoefler09], in the form that the tools of LogGOPSim
// [Hoefler10] and ATLAHS [Shen25] use:
//
//	file      = "num_ranks" RANKS block { block }
//	block     = "rank" RANK "{" newline { statement newline } "}" newline
//	statement = operation | LABEL ( "requires" | "irequires" ) LABEL
//	operation = [ LABEL ":" ] ( calc | send | recv ) [ "cpu" CPU ] [ "nic" 0 ]
//	calc      = "calc" NANOSECONDS
//	send      = "send" BYTES "b" "to" RANK [ "tag" TAG ]
//	recv      = "recv" BYTES "b" "from" ( RANK | -1 ) [ "tag" ( TAG | -1 ) ]
//
// There is one block for each rank, in any order. A label refers to an operation above it in its block. If two
// operations have the same label, it refers to the first, with a warning, as in LogGOPSim. Comments begin with #
// or // and end with the line, or stand between /* and */. NICs other than 0 are errors, because a host has one.
//
// [Read] also reads the binary form that txt2bin makes of a text, and [WriteBinary] writes it. The first 8 bytes
// distinguish it. It has no labels: operations are numbered from 0 in each rank. Tags are below 2^32 - 1, which stands
// for any source or any tag. Files of LogGOPSim2 have more fields in an operation; these are not used, with a warning,
// and its operations other than sends, receives and calculations are errors. A file that LogGOPSim has simulated is an
// error: the simulator counts down in the file.
//
// # Units
//
// Times of a schedule are nanoseconds, as in its file; times of a [Player] are picoseconds. A calculation in a
// binary file has the unit of the text from which the file was made: nanoseconds in traces of ATLAHS, and here.
//
// # Makers
//
//	RingAllreduce  2 (n - 1) steps around a ring
//	ReduceScatter  the first half of these steps
//	AllGather      the second half
//	TreeAllreduce  NCCL's double binary tree
//	AllToAll       every pair, a fixed number of sends of a rank at a time
//	Pipeline       micro-batches through stages and back
//	Training       a synchronous step: pipelines, rings of gradients or shards, exchanges of experts
//
// Their comments give the time that each takes on a network in which no message slows another one.
//
// References (docs/references.md): [Hoefler09], [Hoefler10], [Huang19], [Kaplan20], [Lepikhin20], [Narayanan21],
// [NCCL], [Patarasuk09], [Rajbhandari20], [Sanders09], [Shen25], [Zhao23].
package schedule
