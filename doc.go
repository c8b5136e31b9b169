// Package repslab is a laboratory for the theory and simulation of packet
// spraying in data-centre networks, built around REPS (Recycled Entropy Packet
// Spraying, EuroSys '26). The package itself only digests the source of the others
// ([Source]), by which result files of different programs are told apart; in reading
// order its parts are
//
//	reps                     REPS itself: Algorithms 1 and 2, 25 bytes of state
//	ballsbins                balls into bins without memory: oblivious packet spraying
//	recycled                 balls into bins with memory: recycled packet spraying
//	proofs                   the convergence proof as executable checks
//	coalescing               what is left of it when not every packet is acknowledged
//	internal/bins            queues of bins, rings of flows, slow and failed ports
//	evsimbalance             entropy values on uplinks: load imbalance
//	internal/ecmphash        the switch's hash of addresses and entropy value
//	fattree                  flow completion times in a network of switches with queues
//	fattree/balance          load balancers, REPS among them
//	fattree/congestion       congestion controls
//	fattree/traffic          workloads: patterns, traces, collectives, htsim's files
//	fattree/fluid            the ideal: fluids that share links fairly
//	mc                       streams, replicas, estimates with intervals
//	internal/figures         which experiment reproduces which figure of the paper
//	internal/claims          the paper's claims, verdicts and scorecard
//	internal/plot            plots
//	internal/table           tables
//	sweep                    grids of experiments: blocks, result files, resume, shard, merge
//	internal/cell            the cells of rows and their exact text
//	internal/slurm           sweeps as arrays of a cluster
//	internal/web/scene       what the live page shows
//	internal/web/live        the live page, compiled and served
//	internal/web/reportpage  the report of all figures
//	tools/browser            tests of the pages in a browser, a module of its own
//	internal/crosscheck      tests that join packages, benchmarks of whole runs
//	internal/propertytest    random cases for tests, made smaller when they fail
//	internal/values          the text of a parameter: ranges, sizes, expressions
//	internal/wholefile       files that appear whole or not at all
//	cmd/repslab              the command line
//
// Who may import whom is written and enforced in internal/crosscheck/imports_test.go;
// docs/architecture.md draws it. The folder examples, a module of its own, has programs
// that use the library. The documents are a short book, docs/README.md
// its contents; comments cite docs/references.md by keys such as [Bonato26].
package repslab
