// Package schedule plays what the ranks of a job do: compute, send, receive, in an order that depends on each other.
package schedule
