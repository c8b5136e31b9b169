// Package figures answers one question: which experiment reproduces which figure,
// table or theorem of the paper [Bonato26]?
//
// Each figure has a function of its name, in a file of its name. The function turns [engine.Settings] into an
// [engine.Output]: tables, a plot, notes and a finding for each claim that the lists of claims assign to the figure.
// The paper's figures are tab01, fig02 to fig24 and thm1, numbered by their order of appearance in the camera-ready
// paper; the others are our own. [All] lists them. Package engine runs, records and writes them.
//
// # Adding a figure
//
// oversubscription.go is a short example. A figure
//  1. lists its experiments under keys, runs them together and looks up the results by key. Load balancers on
//     networks are a [comparison], which [compared] runs; other runs that are kept are [engine.Trials]; many
//     short runs of theory, which are summarised, are [engine.Estimations];
//  2. builds the rows of its tables from [cells], each a key and a value ([frame.Table.Add]);
//  3. draws series of estimates;
//  4. describes its set-up in notes/ID.md ([notes]);
//  5. grades each claim's rule by a finding, which follows from estimates and the bounds of its row ([rule]);
//  6. is listed in [All], with its claims and their rules in internal/claims/claims.csv, or own.csv if they are ours.
//
// # Shared files
//
//	comparison.go  schemes on many workloads: runs and tables
//	netrun.go      what is kept of a run of the network; runs.go has means and ratios of runs
//	gains.go       times of schemes over the times of others, in words and conditions
//	panels.go      bars and curves of schemes
//	networks.go    networks and workloads
//	schemes.go     the compared load balancers and their names
//	uplinks.go     queues and rates of the uplinks of one ToR over time
//	switch.go      queues of one switch in the theory
//	testbed.go     the FPGA testbed as a model
//	estimates.go   numbers with intervals in words, series and on axes; the parts of a rule
//	quantity.go    kinds of numbers, which decide the intervals of their means
//	rows.go        rows of tables
//	notes.go       notes with numbers
package figures
