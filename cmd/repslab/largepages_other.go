//go:build !(linux && amd64)

package main

// takeLargePages does nothing: it has not been tried on other systems.
func takeLargePages(int) {}
