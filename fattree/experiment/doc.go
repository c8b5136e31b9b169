// Package experiment runs replicas of a network and estimates their statistics.
//
// Use it in this order: a [Setup] holds the networks ([Fixed] or [Varied]), a load balancer and a
// congestion control. [Setup.NewExperiment] accumulates replicas in a [Tally], whose [Summary] has
// estimates; [Compare] runs every replica under several setups and estimates the ratios of their
// maximum completion times; a [Runner] runs replicas one by one;
// [Kept] is what a program keeps of them to compare setups run by run.
//
// # Model
//
// Replica r of a seed has the streams of fattree.NewStreams(seed, r) for salts and algorithms, and
// a drawn workload has that of (seed, [mc.Workload], r). So all setups meet the same flows and
// hash salts in a replica, and their ratios are paired. A statistic is formed for each run and
// then averaged: the maximum, the mean and nearest-rank quantiles of completion times, background
// flows apart, and counts of packets. Completion times are those of runs in which all flows end.
//
// # Assumptions
//
// Replicas are independent; intervals are those of package mc.
//
// # What is left out
//
// Estimates within a run, and the removal of a beginning or an end of it.
//
// # References
//
// [Bonato26] sec. 4.1 for the statistics. The full entry is under this key in docs/references.md.
package experiment
