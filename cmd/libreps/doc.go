// Libreps is package reps for C: a static or shared library with the header
// reps.h, which documents the functions. In the root of the repository, with gcc,
//
//	go build -buildmode=c-archive -o "$DIR/libreps.a" ./cmd/libreps && cp cmd/libreps/reps.h "$DIR"
//	go build -buildmode=c-shared -o "$DIR/libreps.so" ./cmd/libreps && cp cmd/libreps/reps.h "$DIR"
//
// puts one of the two into the folder $DIR. A C program includes only reps.h. The libreps.h that the Go tool
// writes next to the library is not needed.
//
// The state of a connection is a reps.REPS in the memory of the C program. It holds no
// Go pointer, so there are no handles, no locks and no limit of connections. A call
// starts no goroutine, and allocates only if it returns an error.
//
// A call crosses from C to Go, which costs much more than the work of REPS itself; BenchmarkPair measures both.
// docs/vectors.md has test vectors for implementations in other languages or in hardware.
package main

import (
	"fmt"
	"os"
)

// main is not part of the library. It prints how to build the library.
func main() {
	fmt.Fprintln(os.Stderr, "libreps: error: this is a C library, not a program: "+
		"build it with -buildmode=c-archive or c-shared")
	os.Exit(2)
}
