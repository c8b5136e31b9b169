// Package schedule plays the ranks of a job: they compute, send and receive in an order that depends on each other,
// as in a step of training. Package fattree answers with the time of flows; a schedule answers with that of the
// step.
//
// # Model
//
// A schedule is a directed graph of operations. Each belongs to a rank, which is an endpoint of the network, and to
// one of the rank's streams (cpu).
//
//   - An operation is ready when all that it requires have ended and all that it irequires have started.
//   - The operations of a stream start one after another in the order in which they become ready; those that become
//     ready at the same time in the order of the file. A calc holds its stream for its time. A send or recv takes a
//     turn but no time of it.
//   - The k-th send from a rank to another one with a tag goes to the k-th recv with the same ends and tag, in the
//     order of the file. Both have the same number of bytes. A recv from any rank, or with any tag (-1), takes one of
//     the sends that are left: the sends, in the order in which they start where messages take no time, go to
//     the first open recv of the file that takes them. This is settled before the schedule is played.
//   - A send hands its message to the network when it starts, whether or not the recv has. It ends when its sender
//     has the last acknowledgement.
//   - A recv ends when it has started and all of its message has arrived.
//   - A message of 0 bytes carries an order alone: it takes the latency of its path ([Job].Latency), and so does the
//     answer that its sender waits for, and neither enters the network. Without latencies a schedule whose messages
//     are all empty takes the critical path of its calcs, exactly.
//
// At one time all ends and arrivals come before any start. What starts may end at once and make others ready, which
// then take their turns at the same time.
//
// # Files
//
// [Read] and [Write] have the text of the GOAL format [Hoefler09], as the tools of LogGOPSim [Hoefler10] and ATLAHS
// [Shen25] have it:
//
//	file      = "num_ranks" RANKS block { block }
//	block     = "rank" RANK "{" newline { statement newline } "}" newline
//	statement = operation | LABEL ( "requires" | "irequires" ) LABEL
//	operation = [ LABEL ":" ] ( calc | send | recv ) [ "cpu" CPU ] [ "nic" 0 ]
//	calc      = "calc" NANOSECONDS
//	send      = "send" BYTES "b" "to" RANK [ "tag" TAG ]
//	recv      = "recv" BYTES "b" "from" ( RANK | -1 ) [ "tag" ( TAG | -1 ) ]
//
// Blocks come in any order of ranks, one for each. A label is that of an operation above it in its block; of two
// operations with a label it stays the label of the first, with a warning, as in LogGOPSim. Comments
// begin with # or // and end with the line, or stand between /* and */. NICs other than 0 are errors: a host has one.
// So is the binary form that LogGOPSim's txt2bin writes.
//
// # Units
//
// Times of a schedule are nanoseconds, as in its file; those of a [Player] are picoseconds.
//
// # Makers
//
//	RingAllreduce  2 (n - 1) steps around a ring
//	TreeAllreduce  NCCL's double binary tree
//	AllToAll       every pair, a fixed number of sends of a rank at a time
//	Pipeline       micro-batches through stages and back
//	Training       a synchronous step: pipelines, rings of gradients, exchanges of experts
//
// Their comments have the time that each takes on a network in which no message slows another one.
//
// References (docs/references.md): [Hoefler09], [Hoefler10], [Huang19], [Kaplan20], [Lepikhin20], [Narayanan21],
// [NCCL], [Patarasuk09], [Sanders09], [Shen25].
package schedule
