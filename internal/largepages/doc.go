// Package largepages prepares memory for large networks: large pages, which they need to be fast, and early collection
// of garbage.
package largepages
