// Package lists maps and filters slices, for which the standard library has no functions.
package lists

import "slices"

// Map returns the results of a function for each item, in order; nil if there are no items. It makes
// O(len(items)) calls.
func Map[T, U any](items []T, of func(T) U) []U {
	values := slices.Grow([]U(nil), len(items))
	for _, item := range items {
		values = append(values, of(item))
	}
	return values
}

// Where returns the items that meet a condition, in order, in a new slice. It makes O(len(items)) calls.
func Where[S ~[]T, T any](items S, meets func(T) bool) S {
	return slices.DeleteFunc(slices.Clone(items), func(item T) bool { return !meets(item) })
}
