// Package compare answers one question: by how much is one load balancer faster than
// another, and on which workload?
//
// A [Comparison] runs contenders on points (comparison.go, workloads.go), gives
// their ratios over paired replicas (gains.go) and draws them (bars.go).
package compare
