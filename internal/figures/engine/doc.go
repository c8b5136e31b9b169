// Package engine answers one question: how is a figure run, recorded and written?
//
// A [Figure] turns [Settings] into an [Output]. Its experiments are [Trials], with few long replicas that are kept,
// or [Estimations], with many short ones that are summarised. A [Recorder] takes their results from a record, or
// adds them to it. [Write] writes the files of a figure; its [Manifest] is read back by reports. The package knows
// no network, no theory and no figure: they are in package figures.
//
//	figure.go      figures and their contents
//	settings.go    seed, workers and progress
//	runner.go      trials, estimations and their results
//	recorder.go    recorded runs
//	claimruns.go   the runs behind the numbers of claims
//	write.go       the files of a figure; manifest.go reads figure.json back
package engine
