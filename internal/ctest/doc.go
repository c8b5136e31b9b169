// Package ctest compares the C code in folder c with packages reps and mrc, which are the reference: by the test
// vectors, by random calls, and by mutants of the C code, which both must find. It has only tests, which need gcc.
package ctest
