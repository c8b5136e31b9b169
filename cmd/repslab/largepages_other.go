//go:build !(linux && amd64)

package main

// takeLargePages does nothing: large pages are given unasked here, or are too large.
func takeLargePages(int) {}
