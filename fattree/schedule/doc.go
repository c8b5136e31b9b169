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
//     order of the file. Both have the same number of bytes.
//   - A send hands its message to the network when it starts, whether or not the recv has. It ends when its sender
//     has the last acknowledgement.
//   - A recv ends when it has started and all of its message has arrived.
//   - A message of 0 bytes carries an order alone: it takes no time and does not enter the network. So a schedule
//     whose messages are all empty takes the critical path of its calcs, exactly.
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
//	recv      = "recv" BYTES "b" "from" RANK [ "tag" TAG ]
//
// Blocks come in the order of ranks, one for each. A label is that of an operation above it in its block. Comments
// begin with # or // and end with the line, or stand between /* and */. Receives from any source or with any tag
// (-1), and NICs other than 0, are errors: a message has its ends in the file, and a host one NIC.
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
