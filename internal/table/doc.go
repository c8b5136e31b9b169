// Package table encodes tables of numbers.
//
// A table is a list of [Column]s and a stream of rows; [NewWriter] encodes it as an aligned text table,
// CSV, JSON lines, Markdown or LaTeX. A value that does not exist is null: nil, NaN or an infinity. It is
// printed as an empty field, as null or as "-". Units belong in column keys; the package never
// converts. Equal input gives equal bytes.
package table
