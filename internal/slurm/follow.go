package slurm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Part reports how much of its shard a task has done.
type Part struct {
	Blocks   uint64 // recorded
	Finished bool
}

// Progress counts the tasks of a job by their state.
type Progress struct {
	Tasks, Done, Running, Pending int
	Again                         int // tasks that were submitted more than once
	Merging                       bool
}

// Follower runs a job to its end.
type Follower struct {
	Job      Job
	Client   Client
	Inspect  func(task int) (Part, error) // reads the file of a task that is not in the queue
	Sleep    func(ctx context.Context, d time.Duration) error
	Progress func(Progress) // called after each look at the queue
	Tell     func(string)   // passes a message on to the user

	tasks     []task              // by number, from 1
	seen      map[submission]fate // of entries of the queue
	held      map[int]bool        // reported jobs that a person holds
	refusals  int                 // failed cancellations in a row
	silent    bool                // Slurm did not answer the last time
	submitted bool                // a job was submitted
}

// task holds the state of a task.
type task struct {
	finished bool
	lost     bool   // neither done nor queued when last looked
	futile   int    // submissions since its last new block
	all      int    // submissions
	blocks   uint64 // recorded
	refused  bool   // Slurm could not start the last submission
}

// submission identifies a task of an array that was submitted; task is 0 for the job itself.
type submission struct{ job, task int }

// fate records what happened to a submission.
type fate int

const (
	alive   fate = iota + 1 // it was seen pending or running
	dropped                 // it was cancelled because Slurm could not start it
)

// maxFutile bounds the submissions of a task that bring no new block.
const maxFutile = 3

// maxOutOfService bounds the sets of nodes that are listed after a failed launch.
const maxOutOfService = 4

// The time between two looks at the queue grows from least to most while nothing
// changes.
const (
	leastPoll = 2 * time.Second
	mostPoll  = 20 * time.Second
)

// Errors that end following.
var (
	// ErrCancelled reports tasks that somebody cancelled.
	ErrCancelled = errors.New("was cancelled")
	// ErrFutile reports a task that ends again and again without progress.
	ErrFutile = errors.New("ended again without a new block")
	// ErrLaunch reports a task that Slurm failed to start again and again.
	ErrLaunch = errors.New("could not be started by Slurm")
	// ErrRefused reports that Slurm did not answer or refused, and nothing was
	// submitted.
	ErrRefused = errors.New("nothing was submitted")
)

// Run submits tasks that are neither finished nor in the queue, repeatedly, until the
// files of all tasks are finished and the merging job has ended, could not run, or
// was never there. When ctx is cancelled the jobs go on and ctx.Err() is returned.
func (f *Follower) Run(ctx context.Context) error {
	if err := f.Job.Validate(); err != nil {
		return err
	}
	f.tasks, f.refusals = make([]task, f.Job.Tasks+1), 0
	f.seen, f.held = map[submission]fate{}, map[int]bool{}
	var last Progress
	pause := leastPoll
	for first := true; ; {
		queue, err := f.Client.queue(ctx, f.Job.Name, f.Job.MergeName())
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && first {
			return f.withoutSlurm(err)
		}
		queue = slices.DeleteFunc(queue, func(e entry) bool { return e.Task > f.Job.Tasks })
		pause = min(pause*3/2, mostPoll)
		if f.note(err) {
			done, err := f.look(ctx, queue, first)
			if done || err != nil {
				return err
			}
			first = false
			if now := f.progress(queue); now != last {
				last, pause = now, leastPoll
			}
		}
		if err := f.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// withoutSlurm returns nil if nothing is left to be submitted, else the error that
// Slurm answered with.
func (f *Follower) withoutSlurm(answer error) error {
	missing, err := f.missing(nil, true)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%w: %w", ErrRefused, answer)
	}
	return err
}

// note reports whether Slurm answers; it tells the user once that Slurm does not.
func (f *Follower) note(err error) bool {
	if err != nil && !f.silent {
		f.Tell(fmt.Sprintf("Slurm does not answer, asking again: %v", err))
	}
	f.silent = err != nil
	return err == nil
}

// look acts on the queue and reports whether all is done.
func (f *Follower) look(ctx context.Context, queue []entry, first bool) (done bool, err error) {
	f.tellHeld(queue)
	if err := f.drop(ctx, queue); err != nil {
		return false, err
	}
	missing, err := f.missing(queue, first)
	if err == nil {
		err = f.cancelled(queue)
	}
	switch {
	case err != nil:
		return false, err
	case len(missing) > 0:
		return false, f.submit(ctx, queue, missing)
	case f.finished() < f.Job.Tasks:
		return false, nil
	}
	return f.merged(ctx, queue)
}

// finished returns the number of finished tasks.
func (f *Follower) finished() (n int) {
	for _, t := range f.tasks {
		if t.finished {
			n++
		}
	}
	return n
}

// cancelled returns an error if somebody cancelled an unfinished task since following
// began: one that was seen pending or running.
func (f *Follower) cancelled(queue []entry) error {
	for _, e := range queue {
		s := submission{e.Job, e.Task}
		switch {
		case e.Name != f.Job.Name || f.seen[s] == dropped:
		case e.State == "CANCELLED" && f.seen[s] == alive && !f.tasks[e.Task].finished:
			return fmt.Errorf("slurm: task %d of job %d %w", e.Task, e.Job, ErrCancelled)
		case e.live() && e.State != "COMPLETING":
			f.seen[s] = alive
		}
	}
	return nil
}

// tellHeld tells the user of held jobs: they wait until somebody releases them.
func (f *Follower) tellHeld(queue []entry) {
	for _, e := range queue {
		if e.held() && !f.held[e.Job] {
			f.held[e.Job] = true
			f.Tell(fmt.Sprintf("job %d is held (%s); scontrol release %d lets it go on", e.Job, e.Reason, e.Job))
		}
	}
}

// drop cancels the tasks that Slurm holds because it could not start them; they are then
// missing and submitted again. Releasing them instead would start them under the same
// number, which a node that still has their first copy refuses once more.
func (f *Follower) drop(ctx context.Context, queue []entry) error {
	failed := map[int][]int{} // tasks by job
	fresh := map[int]entry{}  // those that were not dropped before
	for _, e := range queue {
		if !e.launchFailed() {
			continue
		}
		failed[e.Job] = append(failed[e.Job], e.Task)
		if s := (submission{e.Job, e.Task}); f.seen[s] != dropped {
			f.seen[s], f.tasks[e.Task].refused, fresh[e.Job] = dropped, true, e
		}
	}
	if len(failed) == 0 {
		return nil
	}
	var names []string
	for _, job := range slices.Sorted(maps.Keys(failed)) {
		names = append(names, jobName(job, failed[job]))
		if e, ok := fresh[job]; ok {
			f.Tell(fmt.Sprintf("Slurm could not start %s and holds it (%s); "+
				"it is cancelled, and unfinished tasks are submitted again", names[len(names)-1], e.Reason))
		}
	}
	if err := f.Client.cancel(ctx, names...); err != nil {
		if f.refusals++; ctx.Err() != nil || f.refusals >= maxFutile {
			return err
		}
		f.Tell(fmt.Sprintf("%v; trying again", err))
	} else {
		f.refusals = 0
	}
	if len(fresh) > 0 {
		f.tellOutOfService(ctx)
	}
	return nil
}

// tellOutOfService tells the user which nodes are out of service, and why.
func (f *Follower) tellOutOfService(ctx context.Context) {
	list, err := f.Client.outOfService(ctx)
	if err != nil {
		f.Tell(fmt.Sprintf("the states of the nodes are unknown: %v", err))
	}
	for _, text := range list[:min(len(list), maxOutOfService)] {
		f.Tell(text)
	}
	if len(list) > maxOutOfService {
		f.Tell("other nodes are out of service too; sinfo --list-reasons lists all")
	}
}

// missing returns the tasks that are neither done nor in the queue, in order. A file system may
// show a finished file late: unless it is the first look, a task is missing the second time.
func (f *Follower) missing(queue []entry, first bool) (missing []int, err error) {
	live := map[int]bool{}
	for _, e := range queue {
		if e.Name == f.Job.Name && e.live() && f.seen[submission{e.Job, e.Task}] != dropped {
			live[e.Task] = true
		}
	}
	for number := 1; number <= f.Job.Tasks; number++ {
		t := &f.tasks[number]
		lost := t.lost
		if t.lost = false; t.finished || live[number] {
			continue
		}
		part, err := f.Inspect(number)
		if err != nil {
			return nil, err
		}
		t.finished, t.lost = part.Finished, !part.Finished
		if part.Blocks > t.blocks {
			t.futile, t.blocks, t.refused = 0, part.Blocks, false
		}
		if t.lost && (lost || first) {
			missing = append(missing, number)
		}
	}
	return missing, nil
}

// submit submits tasks and, anew, the merging job that waits for them and for those
// that are in the queue.
func (f *Follower) submit(ctx context.Context, queue []entry, tasks []int) error {
	for _, t := range tasks {
		if f.tasks[t].futile >= maxFutile {
			err := ErrFutile
			if f.tasks[t].refused {
				err = ErrLaunch
			}
			return fmt.Errorf("slurm: task %d %w, %d times", t, err, maxFutile)
		}
	}
	array, err := f.Client.submit(ctx, f.Job.Dir, f.Job.ArrayScript(), "--array="+taskSet(tasks))
	if err != nil {
		return f.refused(ctx, err)
	}
	f.submitted = true
	text := "tasks %s of %d are submitted as job %d"
	for _, number := range tasks {
		t := &f.tasks[number]
		if t.all > 0 {
			text = "tasks %s of %d have ended unfinished and are submitted again as job %d"
		}
		t.all++
		t.futile++
		t.refused, t.lost = false, false
	}
	f.Tell(fmt.Sprintf(text, taskSet(tasks), f.Job.Tasks, array))
	return f.refused(ctx, f.submitMerge(ctx, queue, array))
}

// submitMerge replaces the merging jobs in the queue by one that waits for an array
// and for the other tasks that are in the queue.
func (f *Follower) submitMerge(ctx context.Context, queue []entry, array int) error {
	dependency := fmt.Sprintf("--dependency=afterok:%d", array)
	var old []string
	others := map[int]bool{}
	for _, e := range queue {
		switch {
		case !e.live():
		case e.Name == f.Job.MergeName():
			old = append(old, jobName(e.Job, nil))
		default:
			others[e.Job] = true
		}
	}
	for _, job := range slices.Sorted(maps.Keys(others)) {
		dependency += fmt.Sprintf(",afterany:%d", job)
	}
	if len(old) > 0 {
		if err := f.Client.cancel(ctx, old...); err != nil {
			return err
		}
	}
	_, err := f.Client.submit(ctx, f.Job.Dir, f.Job.script(true), dependency)
	return err
}

// refused returns an error of Slurm, if there is one, or nil if Slurm accepted a job before: then
// it is asked again.
func (f *Follower) refused(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case !f.submitted:
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	f.note(err)
	return nil
}

// merged reports whether the merging job has ended or can never run; such a job is
// cancelled.
func (f *Follower) merged(ctx context.Context, queue []entry) (bool, error) {
	for _, e := range queue {
		if e.Name != f.Job.MergeName() || !e.live() {
			continue
		}
		if e.Reason != "DependencyNeverSatisfied" {
			return false, nil
		}
		if err := f.Client.cancel(ctx, jobName(e.Job, nil)); err != nil {
			return false, err
		}
	}
	return true, nil
}

// progress counts the tasks by their state and passes the numbers on.
func (f *Follower) progress(queue []entry) Progress {
	p := Progress{Tasks: f.Job.Tasks, Done: f.finished()}
	p.Merging = p.Done == p.Tasks
	for _, t := range f.tasks {
		if t.all > 1 {
			p.Again++
		}
	}
	for _, e := range queue {
		switch {
		case e.Name != f.Job.Name || !e.live():
		case e.State == "PENDING":
			p.Pending++
		default:
			p.Running++
		}
	}
	f.Progress(p)
	return p
}
