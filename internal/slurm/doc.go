// Package slurm runs a sweep on a cluster that Slurm schedules. The sweep survives the
// failure of nodes, controller and terminal.
//
// # Work
//
// A [Job] is an array of N tasks and a job that merges. Task i runs shard i of N of
// a sweep and writes one result file, which it resumes if the file exists; the merge
// depends on the array by afterok. The tasks share nothing but the folder with the
// files; no accounting database is needed.
//
// # State
//
// The result files tell which tasks are finished, the queue tells which are pending or
// running. A task that is neither finished nor in the queue is submitted again. So
// [Follower.Run] begins a sweep, continues one that was left, and repairs one whose
// nodes failed or whose tasks were killed by the same steps. Running a task once too
// often costs time but changes no byte, since the second process on a file waits for
// the first and then finds all its blocks done.
//
// Slurm itself requeues the tasks of a node that fails. A task that was killed,
// cancelled, or ran out of time or memory is submitted again by the follower. A task
// that Slurm holds because a node refused to start it is cancelled and submitted again;
// a task that a person holds is waited for. If a task ends or fails to start three times
// without a new block, the sweep ends with an error.
//
// # What is left out
//
// Models and result files are those of package sweep. Time limits are not guessed; a
// task that reaches its limit is resumed.
package slurm
