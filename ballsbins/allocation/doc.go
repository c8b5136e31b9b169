// Package allocation models balls that are thrown one after the other into bins.
package allocation
