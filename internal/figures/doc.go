// Package figures answers one question: which experiment reproduces which figure,
// table or theorem of the paper [Bonato26]?
//
// Each [Figure] has a function of its name, in a file of its name. The function turns [Settings] into an [Output]:
// tables, a plot, notes and a finding for each claim that claims.csv assigns to the figure. Figures are numbered
// by their order of appearance in the camera-ready paper. The project's own figures are open, threshold, boundary,
// family, memory, look, crosscheck, ring, oversubscription, ultraethernet, mrc, training, settings, conclusion and
// findings.
//
// # Adding a figure
//
// oversubscription.go is a short example. A figure
//  1. lists its experiments under keys, runs them together and looks up the results by key. Load balancers on
//     networks are a [comparison], which [Settings.compared] runs; other runs that are kept are [trials]; many
//     short runs of theory, which are summarised, are [estimations];
//  2. builds the rows of its tables from [cells], each a key and a value ([frame.Table.Add]);
//  3. draws series of estimates;
//  4. describes its set-up in notes/ID.md ([notes]);
//  5. grades each claim's rule by a finding, which follows from estimates and the bounds of its row ([rule]);
//  6. is listed in [All], with its claims and their rules in internal/claims/claims.csv.
//
// # Shared files
//
//	runner.go      trials, estimations and their results
//	runs.go        runs of the network: means and ratios, by package experiment
//	rows.go        rows of tables
//	options.go     seed, workers and progress
//	estimates.go   numbers with intervals in words, series and on axes; the parts of a rule
//	comparison.go  schemes on many workloads: runs and tables
//	gains.go       times of schemes over the times of others, in words and conditions
//	panels.go      bars and curves of schemes
//	networks.go    networks and workloads
//	schemes.go     the compared load balancers and their names
//	uplinks.go     queues and rates of the uplinks of one ToR over time
//	switch.go      queues of one switch in the theory
//	testbed.go     the FPGA testbed as a model
//	write.go       the files of a figure and their notes; manifest.go reads figure.json back
package figures
