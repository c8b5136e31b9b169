// Package record answers one question: what is kept of figures in a folder, and what
// do they say together?
//
// [Write] writes a figure, [ReadMade] reads what a folder holds, and
// [WriteScorecard] lists all claims with what the folder's figures found, whichever
// run made them.
package record
