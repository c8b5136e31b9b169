package sweep

import (
	"errors"

	"repslab/internal/wholefile"
)

// Errors of reading and writing result files, for errors.Is.
var (
	ErrForeign   = errors.New("is not a result file of a sweep")
	ErrOther     = errors.New("belongs to another sweep")
	ErrExists    = errors.New("exists")                          // without [Options].Resume
	ErrLocked    = wholefile.ErrLocked                           // another process writes the file
	ErrIrregular = wholefile.ErrIrregular                        // a directory, a pipe, a socket or a device
	ErrDisplaced = errors.New("was replaced by another process") // while the sweep ran
	ErrKept      = errors.New("merging must not replace")        // without [MergeOptions].Force
)

// errLoss reports a file with records that its replacement does not have.
var errLoss = errors.New("has records that would be lost")
