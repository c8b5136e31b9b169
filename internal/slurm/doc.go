// Package slurm writes the batch scripts that run a sweep on a cluster.
//
// A [Job] is an array of N tasks. Task i runs shard i of N of a sweep and writes one result file, which it resumes
// if the file exists. The tasks share nothing but the folder with the files, and running a task once too often
// changes no byte: the second process on a file waits for the first and then finds all its blocks done. So a
// script of the tasks that are not finished continues a sweep whatever became of the earlier ones.
//
// Slurm itself starts the tasks of a node that fails again. Submitting, watching and cancelling are left to its own
// commands.
package slurm
