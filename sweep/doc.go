// Package sweep answers one question: how does a long list of experiments run to
// its end whatever happens on the way?
//
// # Work
//
// A [Sweep] is a list of points; the replicas of a point are dealt in blocks
// [k B, (k+1) B). A block is what a worker runs in one go, what a record holds and
// what a shard gets: shard i of N runs the blocks whose number, counted through all
// points, is i-1 modulo N. Replica r draws from the stream (seed, purpose, r) at
// every point, so compared points share their random numbers.
//
// # Files
//
// A result file is JSON Lines. The first line is the [Header]; each other line is a
// record that begins with its key and ends with a checksum (CRC-32C) of all before:
//
//	{"key":"ID/FIRST-END","tally":{...},"crc32c":"..."}     a finished block
//	{"key":"ID/rows","replicas":N,"rows":[...],"warnings":[...],"crc32c":"..."}
//	{"key":"ID/failed","point":{...},"error":"...","crc32c":"..."}
//
// ID is a hash of the model, the seed and the parameters of the point; tallies are
// exact ([mc.AppendTally]). One process writes a file, which it locks. A record is
// one write, made as soon as the block is done; fsync runs beside the computation
// and covers all records since the last one. A line without its newline, which a
// crash left, is cut off when the file is opened for resuming.
//
// When all is done the file is replaced by one whose records are in the order of
// points and blocks. Since tallies merge exactly, its bytes do not depend on
// workers, interruptions, shards or their order.
//
// # What is left out
//
// No model: a [Point] says how its replicas run and how its tally becomes rows.
package sweep
