package param

import (
	"fmt"

	"repslab/internal/console"
	"repslab/internal/values"
)

// Formulas lets the integers and numbers of a list also be formulas of n, such as 100*n, where n is the value of the
// parameter with a flag. That parameter takes no formula, and is set before the others.
func Formulas(flag string, n *int, list []Parameter) []Parameter {
	for i := range list {
		switch {
		case list[i].Flag == flag:
			list[i] = list[i].withoutFormulas()
		case list[i].formula != nil:
			list[i] = list[i].withFormulas(n)
		}
	}
	return list
}

// withoutFormulas makes formulas an error of their own.
func (q Parameter) withoutFormulas() Parameter {
	read := q.Read
	q.Read = func(files *InputFiles, text string) (valueList, error) {
		if values.IsFormula(text) {
			return valueList{}, fmt.Errorf("%.60q must have no formula: n stands for the value of --%s", text, q.Flag)
		}
		return read(files, text)
	}
	return q
}

// withFormulas reads the items of a text that are formulas of n, and the others as before.
func (q Parameter) withFormulas(n *int) Parameter {
	read, set := q.Read, q.formula
	q.late = true
	q.Read = func(files *InputFiles, text string) (valueList, error) {
		if !values.IsFormula(text) {
			return read(files, text)
		}
		parts, err := values.Each(text, q.Separator, func(item string) (valueList, error) {
			if !values.IsFormula(item) {
				return read(files, item)
			}
			list, err := values.Exprs(item)
			return valueList{
				length: len(list),
				text:   func(i int) string { return list[i].String() },
				apply: func(i int) error {
					if err := set(list[i], *n); err != nil {
						return console.Usagef("--%s: %w", q.Flag, err)
					}
					return nil
				},
			}, err
		})
		if err != nil {
			return valueList{}, err
		}
		return joined(text, parts)
	}
	return q
}

// joined returns the values of the parts of a text, one part after the other.
func joined(text string, parts []valueList) (all valueList, err error) {
	type place struct{ part, i int }
	var places []place
	for k, part := range parts {
		if all.length += part.length; all.length > MaxPoints {
			return all, fmt.Errorf("%.60q must have at most %d values", text, MaxPoints)
		}
		for i := range part.length {
			places = append(places, place{k, i})
		}
	}
	all.text = func(i int) string { return parts[places[i].part].text(places[i].i) }
	all.apply = func(i int) error { return parts[places[i].part].apply(places[i].i) }
	return all, nil
}
