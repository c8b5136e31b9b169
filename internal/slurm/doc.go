// Package slurm writes the batch scripts that run a sweep on a cluster.
//
// A [Job] is an array of N tasks. Task i runs shard i of N of a sweep and writes one result file, which
// it resumes if the file exists. The tasks share only the folder with the files. Running a task twice
// changes no byte: the second process on a file waits for the first and then finds all its blocks done.
// So submitting a script with the unfinished tasks continues a sweep, whatever happened to earlier
// scripts.
//
// If a node fails, Slurm itself restarts its tasks. Scripts are submitted, watched and cancelled with
// Slurm's own commands.
package slurm
