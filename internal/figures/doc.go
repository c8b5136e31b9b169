// Package figures answers one question: which experiment reproduces which figure,
// table or theorem of the paper [Bonato26]?
//
// Each [Figure] has a file of its name that declares the rules of the claims it
// decides ([Figure.Rules]) and turns [Settings] into an [Output]: tables, a plot and a
// finding for each rule; figNNjudge.go holds the judging where it is long. Figures are
// numbered by their order of appearance in the camera-ready paper. The project's own
// are open, look, crosscheck, ring, oversubscription, settings and conclusion.
//
// Figures share these files:
//
//	schemes.go       the compared load balancers, their names and colours
//	networks.go      networks and workloads of each replica
//	simulate.go      replicas of many set-ups on all cores
//	runs.go          what is kept of a run; estimates.go: means and ratios of runs
//	comparison.go    balancers on workloads: times, ratios (gains.go), bars (bars.go)
//	uplinks.go       queues and rates of the uplinks of one ToR over time
//	acks.go          coalesced ACKs
//	distribution.go  quantiles and shares of flows
//	switch.go        queues of one switch, by the theory
//	testbed.go       the FPGA testbed as a model
//	write.go         the files of a figure; made.go reads them back
package figures
