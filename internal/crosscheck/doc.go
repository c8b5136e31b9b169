// Package crosscheck holds the tests that concern several packages of this module: theory against the
// network, the network against the authors' simulator, imports and exports, documents and examples, and
// the benchmarks of whole runs. It has no other code. Its tests run in the root of the repository, so
// their paths are relative to it.
package crosscheck
