// Package frame holds tables of cells and writes them.
//
// A table is a list of [Column]s and rows of cells. A cell is nil, a bool, a string, an int, int64, uint64 or float64;
// in a [Row] it may also be an [Estimate], which takes a column for the value, and columns for its standard error and
// the ends of its interval. Their keys are made by [BesideOf], and read back by [Estimates], nowhere else.
//
// [NewWriter] encodes a table as aligned text, CSV, JSON lines, Markdown or LaTeX. A value that does not exist is null:
// nil, NaN or an infinity. It is printed as an empty field, as null or as "-". Units belong in column keys; the package
// never converts. Equal input gives equal bytes.
package frame
