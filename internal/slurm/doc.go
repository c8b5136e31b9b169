// Package slurm answers one question: how does a sweep run on a cluster that
// Slurm schedules, whatever becomes of its nodes, its controller and the terminal?
//
// # Work
//
// A [Job] is an array of N tasks and a job that merges. Task i runs shard i of N of
// a sweep and writes one result file, which it resumes if there is one; the merge
// depends on the array by afterok. Nothing else is shared than the folder with the
// files, and no accounting database is asked.
//
// # What is true
//
// The result files say what is done, the queue says what is under way, and all else
// follows: a task that is neither done nor in the queue is submitted again. So
// [Follower.Run] begins a sweep, goes on with one that was left, and mends one whose
// nodes died or whose tasks were killed by the same steps; running a task once too
// often costs time but changes no byte, since the second process on a file waits for
// the first and then finds all its blocks done.
//
// Slurm itself requeues the tasks of a node that dies. What it does not (a task that
// was killed, cancelled, or ran out of time or memory) is submitted again by
// whoever follows. A task that Slurm itself holds because a node refused to start it
// is cancelled and submitted again too; one that a person holds is waited for. Tasks
// that end or fail to start again and again without a new block end the sweep with an
// error.
//
// # What is left out
//
// Models and result files: package sweep has them. Time limits are not guessed; a
// task that hits one is resumed.
package slurm
