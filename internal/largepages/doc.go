// Package largepages asks the system for large pages of memory, which a large network needs to be fast.
package largepages
