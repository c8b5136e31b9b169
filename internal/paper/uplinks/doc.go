// Package uplinks answers one question: what happens at the uplinks of one ToR over
// time, under several load balancers?
package uplinks
