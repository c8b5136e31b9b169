// Package netrun answers one question: how is a set-up of a network run many times,
// and what do its runs say together?
//
// Networks are made for each replica (networks.go), run on all cores (simulate.go)
// and kept as a [Run] (runs.go); [Runs] give means and ratios of paired replicas
// with intervals (estimates.go), and what failures cost (lost.go).
package netrun
