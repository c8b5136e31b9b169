// Package sweep runs a grid of experiments and writes a result file that survives crashes.
//
// # A sweep
//
// A model is an experiment of package mc whose parameters have several values. Each combination of values
// is a [Point]: the cells of its parameters, its experiment, and a function that turns the tally of all
// replicas into rows. [Estimated] makes a point, [New] makes a sweep of points, and [Sweep.Run] runs it
// and writes the file:
//
//	columns := sweep.Columns{Parameters: []string{"bins"}, Results: []string{"max_load_mean", "max_load_se"}}
//	var points []sweep.Point
//	for _, bins := range []int{16, 32, 64} {
//		throw := mc.Repeat(func() *tally { return new(tally) }, func(t *tally, seed, replica uint64) {
//			t.max.Add(maxLoad(bins, mc.NewStream(seed, mc.Algorithm, replica).Rand()))
//		})
//		points = append(points, sweep.Estimated(fmt.Sprint("bins=", bins), []any{bins}, throw,
//			func(_ context.Context, t *tally, _ uint64) (sweep.Results, error) {
//				e := t.StoppingStatistic()
//				return sweep.Results{Rows: [][]any{{e.Value, e.StdErr}}}, nil
//			}))
//	}
//	config := sweep.Config{Model: "balls", Seed: 1, Replicas: 1000}
//	s, err := sweep.New(sweep.Program{Version: "1"}, config, columns, points)
//	if err != nil {
//		return err
//	}
//	failed, err := s.Run(ctx, path, sweep.Options{Resume: true})
//
// The Example runs it; examples/sweep is a whole program. [Read] returns the rows of a file. The commands repslab
// show, export, plot and compare read the file too, of any model. Continuing a sweep ([Options].Resume) or merging
// its shards ([Sweep.Merge]) needs the points, and therefore the program that wrote the file.
//
// # Blocks and shards
//
// The replicas of a point are divided into blocks [k B, (k+1) B). A block is run by one worker, stored as
// one record, and belongs to one shard: shard i of N runs every block with a number, counted through all
// points, that is i-1 modulo N ([Sweep.Part]). Replica r draws from the stream (seed, purpose, r) at
// every point (common random numbers).
//
// # Files
//
// A result file is JSON Lines. The first line is the [Header]; each other line is a record that begins
// with its key and ends with a checksum (CRC-32C) of everything before it:
//
//	{"key":"ID/FIRST-END","tally":{...},"crc32c":"..."}     a finished block
//	{"key":"ID/rows","replicas":N,"rows":[...],"warnings":[...],"crc32c":"..."}
//	{"key":"ID/failed","point":{...},"error":"...","crc32c":"..."}
//
// ID is a hash of the model, the seed and the parameters of the point; tallies are exact
// ([mc.AppendTally]). One process writes a file, which it locks. A record is written as soon as its block
// is done. fsync runs in the background and covers all records since the last fsync. When a file is
// resumed, a last line without a newline, which a crash may leave, is cut off.
//
// When the sweep is finished, a file with the records in the order of points and blocks replaces this
// file as a whole. Since tallies merge exactly, its bytes do not depend on workers, interruptions, shards
// or their order. They depend on the processor's architecture, because the arithmetic of experiments may.
package sweep
