// Package experiment runs replicas of a network and estimates their statistics.
//
// A [Setup] holds the networks ([Fixed] or [Varied]), a load balancer and a congestion control.
// [Setup.NewExperiment] accumulates replicas in a [Tally], and the [Summary] of a Tally has estimates. [Compare]
// runs every replica under several setups and estimates the ratios of their maximum completion times. A [Runner]
// runs replicas one by one. A program that compares setups run by run keeps each run as a [Kept].
//
// # Model
//
// Replica r of a seed has the streams of fattree.NewStreams(seed, r) for salts and algorithms; a workload is drawn
// from the stream of (seed, [mc.Workload], r). So all setups meet the same flows and hash salts in a replica, and
// their ratios are paired. A statistic is formed for each run and then averaged: the maximum, the mean and
// nearest-rank quantiles of completion times (background flows separately), and counts of packets. Completion
// times are from runs in which all flows end.
//
// # Assumptions
//
// Replicas are independent; intervals are computed by package mc.
//
// # What is left out
//
// Estimates within a run, and the removal of its beginning or end.
//
// # References
//
// [Bonato26] sec. 4.1 for the statistics. The full entry is under this key in docs/references.md.
package experiment
