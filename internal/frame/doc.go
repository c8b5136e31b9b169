// Package frame holds tables of cells.
//
// A table is a list of [Column]s and rows of cells. A cell is nil, a bool, a string, an int, int64, uint64 or float64;
// in a [Row] it may also be an [Estimate], which takes a column for the value, and columns for its standard error and
// the ends of its interval. Their keys are made by [BesideOf], and read back by [Estimates], nowhere else.
//
// A value that does not exist is null: nil, NaN or an infinity. Units belong in column keys; the package never
// converts.
package frame
